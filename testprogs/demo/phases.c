/* phases: five rounds of work between markers 1, with other work between markers 2 inside, and some outside.
 * They are long enough for the timeline of `p5scope report`. */
#include "guest.h"
#include "p5scope/guest.h"

static uint32_t __attribute__((noinline)) work(uint32_t rounds)
{
    uint32_t sum = 1;
    for (uint32_t i = 0; i < rounds; i++) {
        sum = sum * 3 + i;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint32_t sum = 0, rounds = number_argument(argc, argv, 1, 30000);
    for (unsigned i = 0; i < 5; i++) {
        P5_BEGIN(1);
        sum += work(rounds);
        P5_BEGIN(2);
        sum += work(rounds);
        P5_END(2);
        P5_END(1);
        sum += work(rounds);
    }
    print_checksum("phases", sum);
    return 0;
}
