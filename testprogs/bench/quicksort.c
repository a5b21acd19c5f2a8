/* quicksort ROUNDS: sorts 8192 random words; unpredictable branches, calls and returns. */
#include "guest.h"

enum { COUNT = 8192 };

static void sort(uint32_t *first, uint32_t *last)
{
    while (first < last) {
        uint32_t pivot = first[(last - first) / 2];
        uint32_t *low = first, *high = last;
        do {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low <= high) {
                uint32_t word = *low;
                *low++ = *high;
                *high-- = word;
            }
        } while (low <= high);
        if (high - first < last - low) { /* recursion on the shorter part: the stack stays small */
            sort(first, high);
            first = low;
        } else {
            sort(low, last);
            last = high;
        }
    }
}

int main(int argc, char **argv)
{
    static uint32_t words[COUNT];
    uint32_t rounds = number_argument(argc, argv, 1, 75), state = 1, hash = CHECKSUM_START;
    for (uint32_t i = 0; i < rounds; i++) {
        for (size_t n = 0; n < COUNT; n++)
            words[n] = random_next(&state);
        sort(words, words + COUNT - 1);
        for (size_t n = 1; n < COUNT; n++) {
            if (words[n - 1] > words[n])
                return 1;
        }
        hash = checksum(hash, &words[COUNT / 2], sizeof words[0]);
    }
    print_checksum("quicksort", hash);
    return 0;
}
