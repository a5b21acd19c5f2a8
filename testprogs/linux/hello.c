/* hello: the smallest useful Linux guest; writes a line and exits with status 0. */
#include "guest.h"

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    print("Hello from a Pentium.\n");
    return 0;
}
