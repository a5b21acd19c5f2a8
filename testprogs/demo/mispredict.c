/* mispredict: clocks per conditional branch for patterns of taken (1) and not taken (0); what the predictor
 * can learn. */
#include "guest.h"

enum { BRANCHES = 4096 };

/* Runs over `outcomes` with one conditional branch per entry; the two ways cost the same instructions. */
static uint32_t __attribute__((noinline)) follow(const uint8_t *outcomes)
{
    uint32_t sum = 0;
    for (const uint8_t *outcome = outcomes; outcome < outcomes + BRANCHES; outcome++) {
        __asm__ volatile("testb %b1, %b1\n\t"
                         "jnz 1f\n\t"
                         "incl %0\n"
                         "1:"
                         : "+r"(sum)
                         : "q"(*outcome)
                         : "cc");
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const patterns[] = {"1", "0", "10", "1100", "110", "1110", "11110000", "random"};
    static uint8_t outcomes[BRANCHES];
    (void)argc, (void)argv;
    print("pattern      clocks per trip\n");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        uint32_t state = 1;
        const char *at = patterns[i];
        for (size_t n = 0; n < BRANCHES; n++) {
            outcomes[n] = *patterns[i] == 'r' ? (uint8_t)(random_next(&state) >> 31) : (uint8_t)(*at++ - '0');
            if (!*at)
                at = patterns[i];
        }
        follow(outcomes);
        uint64_t begin = read_tsc();
        follow(outcomes);
        uint32_t clocks = (uint32_t)(read_tsc() - begin);
        print_padded(patterns[i], 12);
        print_hundredths((int64_t)(clocks * 100 / BRANCHES), 8);
        print("\n");
    }
    return 0;
}
