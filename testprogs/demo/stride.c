/* stride: clocks per read when memory is read in steps of a stride, by memory size and stride.
 *
 *   stride                        clocks per read, which show line size and cache sizes
 *   stride hits [KB]...           also hits and misses by RDPMC (needs --pce, --ctr0 data_read and
 *                                 --ctr1 data_read_miss)
 *   stride walk KB STRIDE ROUNDS  only this walk, to be counted by p5scope
 *
 * Every stride reads each byte of the array once, in `stride` rounds. */
#include "measure.h"

enum { LARGEST_KB = 1024, LARGEST_STRIDE = 1024 };

static uint8_t array[LARGEST_KB * 1024] __attribute__((aligned(4096)));
static uint8_t other[64 * 1024] __attribute__((aligned(4096)));

/* Every `stride`-th byte of `bytes` from `from` on, `rounds` times. */
static void walk(const uint8_t *from, uint32_t bytes, uint32_t stride, uint32_t rounds)
{
    const uint8_t *end = from + bytes / stride * stride;
    for (; rounds > 0; rounds--)
        for (const uint8_t *at = from; at != end; at += stride)
            (void)*(const volatile uint8_t *)at;
}

typedef struct readings {
    uint32_t reads, misses; /* low halves of CTR0 and CTR1 */
} readings;

/* The same between two readings of the counters, which see no other reference than those of the walk: all it
 * needs is in registers. */
static inline __attribute__((always_inline)) void walk_counted(const uint8_t *from, uint32_t bytes,
                                                               uint32_t stride, uint32_t rounds,
                                                               readings *before, readings *after)
{
    __asm__ volatile(
        "xorl %%ecx, %%ecx\n"
        "rdpmc\n"
        "movl %%eax, %[reads_before]\n"
        "incl %%ecx\n"
        "rdpmc\n"
        "movl %%eax, %[misses_before]\n"
        ".balign 16\n"
        "1: movl %%esi, %%edx\n"
        "2: movb (%%edx), %%al\n"
        "addl %%ebx, %%edx\n"
        "cmpl %%edi, %%edx\n"
        "jne 2b\n"
        "decl %[rounds]\n"
        "jnz 1b\n"
        "xorl %%ecx, %%ecx\n"
        "rdpmc\n"
        "movl %%eax, %[reads_after]\n"
        "incl %%ecx\n"
        "rdpmc\n"
        "movl %%eax, %[misses_after]\n"
        : [rounds] "+&r"(rounds), [reads_before] "=m"(before->reads), [misses_before] "=m"(before->misses),
          [reads_after] "=m"(after->reads), [misses_after] "=m"(after->misses)
        : "S"(from), "D"(from + bytes / stride * stride), "b"(stride)
        : "eax", "ecx", "edx", "cc", "memory");
}

static void print_number(uint32_t value, unsigned width)
{
    for (uint32_t power = 10; width > 1; width--, power = power > UINT32_MAX / 10 ? UINT32_MAX : power * 10)
        if (value < power)
            print(" ");
    print_decimal(value);
}

/* Nothing of the array is left in the data cache: other lines have been through all ways of all sets. */
static void clear_cache(void)
{
    walk(other, sizeof other, 32, 1);
}

static void print_hits(uint32_t kb)
{
    uint32_t bytes = kb * 1024;
    print_decimal(kb);
    print(" KB\n  stride  clocks/read       hits     misses\n");
    for (uint32_t stride = 1; stride <= LARGEST_STRIDE; stride *= 2) {
        readings before, after;
        clear_cache();
        uint64_t clock = read_tsc();
        walk_counted(array, bytes, stride, stride, &before, &after);
        uint32_t clocks = (uint32_t)(read_tsc() - clock);
        uint32_t reads = after.reads - before.reads, misses = after.misses - before.misses;
        print_number(stride, 8);
        print_hundredths((int64_t)(clocks / bytes * 100 + clocks % bytes * 100 / bytes), 13);
        print_number(reads - misses, 11);
        print_number(misses, 11);
        print("\n");
    }
}

static void print_clocks(void)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 256}, strides[] = {4, 8, 16, 32, 64, 256};
    enum { ROUNDS = 4 };
    print("clocks per read; rows: KB walked, columns: stride in bytes\n      ");
    for (size_t j = 0; j < sizeof strides / sizeof *strides; j++)
        print_hundredths((int64_t)strides[j] * 100, 9);
    print("\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        print_hundredths((int64_t)sizes[i] * 100, 6);
        for (size_t j = 0; j < sizeof strides / sizeof *strides; j++) {
            uint32_t bytes = sizes[i] * 1024, reads = bytes / strides[j] * ROUNDS;
            walk(array, bytes, strides[j], 1);
            uint64_t begin = read_tsc();
            walk(array, bytes, strides[j], ROUNDS);
            uint32_t clocks = (uint32_t)(read_tsc() - begin);
            print_hundredths((int64_t)(clocks / reads * 100 + clocks % reads * 100 / reads), 9);
        }
        print("\n");
    }
}

static bool is(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static uint32_t kilobytes(int argc, char **argv, int index)
{
    uint32_t kb = number_argument(argc, argv, index, 16);
    if (kb < 4 || kb > LARGEST_KB) {
        print("an array has 4 to 1024 KB\n");
        quit(2);
    }
    return kb;
}

int main(int argc, char **argv)
{
    if (argc > 1 && is(argv[1], "hits")) {
        print_hits(kilobytes(argc, argv, 2));
        for (int i = 3; i < argc; i++)
            print_hits(kilobytes(argc, argv, i));
    } else if (argc == 5 && is(argv[1], "walk")) {
        uint32_t bytes = kilobytes(argc, argv, 2) * 1024, stride = number_argument(argc, argv, 3, 32);
        uint32_t rounds = number_argument(argc, argv, 4, 1);
        if (stride == 0 || stride > bytes || rounds == 0)
            quit(2);
        clear_cache();
        walk(array, bytes, stride, rounds);
    } else {
        print_clocks();
    }
    return 0;
}
