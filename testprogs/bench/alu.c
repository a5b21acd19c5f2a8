/* alu ROUNDS: integer arithmetic in registers only; one block, no memory accesses in the loop. */
#include "guest.h"

int main(int argc, char **argv)
{
    uint32_t rounds = number_argument(argc, argv, 1, 100);
    uint32_t a = 1, b = 0x9e3779b9, c = 0x12345678;
    for (uint32_t i = 0; i < rounds; i++) {
        for (uint32_t n = 100000; n > 0; n--) {
            a += b;
            c ^= a;
            b = (b << 3) - c;
            a ^= c >> 5;
            c += n;
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
        }
    }
    print_checksum("alu", a ^ b ^ c);
    return 0;
}
