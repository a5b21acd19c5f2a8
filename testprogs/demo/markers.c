/* markers: three pieces of work, each between markers with its number; the second also occurs inside the first.
 * Markers have no effect on a processor; `p5scope trace --markers` shows them. */
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
    (void)argc, (void)argv;
    uint32_t sum = 0;
    P5_BEGIN(1);
    sum += work(100);
    P5_BEGIN(2);
    sum += work(200);
    P5_END(2);
    P5_END(1);
    P5_BEGIN(3);
    sum += work(300);
    P5_END(3);
    print_checksum("markers", sum);
    return 0;
}
