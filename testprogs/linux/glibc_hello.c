/* glibc_hello: a static glibc program. Debian builds glibc for the i686 (CMOV), so a Pentium needs
 * --isa=permissive for it. */
#include <stdio.h>

int main(void)
{
    printf("Hello from glibc on a Pentium: %d, %.3f\n", 586, 1.0 / 3.0);
    return 0;
}
