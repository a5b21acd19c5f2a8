/* arguments: prints its arguments one per line, after "argc N"; exits with status argc. */
#include "guest.h"

int main(int argc, char **argv)
{
    print("argc ");
    print_decimal((uint64_t)argc);
    print("\n");
    for (int i = 1; i < argc; i++) {
        print(argv[i]);
        print("\n");
    }
    return argc;
}
