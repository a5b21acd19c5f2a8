/* A C library's start and output, with arguments. */
#include <stdio.h>

int main(int argc, char **argv)
{
    printf("hello, %s (%d)\n", argc > 1 ? argv[1] : "nobody", argc);
    return argc + 1;
}
