/* stride: clocks per read while walking 4 KB to 256 KB at strides of 4 to 256 bytes; shows line size and
 * cache size. */
#include "measure.h"

enum { PASSES = 4 };

static uint32_t walk(uint32_t bytes, uint32_t stride)
{
    uint32_t sum = 0;
    for (uint32_t at = 0; at < bytes; at += stride)
        sum += *(volatile uint32_t *)&measured_memory[at];
    return sum;
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 256}, strides[] = {4, 8, 16, 32, 64, 256};
    (void)argc, (void)argv;
    print("clocks per read; rows: KB walked, columns: stride in bytes\n      ");
    for (size_t j = 0; j < sizeof strides / sizeof *strides; j++)
        print_hundredths((int64_t)strides[j] * 100, 9);
    print("\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        print_hundredths((int64_t)sizes[i] * 100, 6);
        for (size_t j = 0; j < sizeof strides / sizeof *strides; j++) {
            uint32_t bytes = sizes[i] * 1024, reads = bytes / strides[j] * PASSES;
            walk(bytes, strides[j]);
            uint64_t begin = read_tsc();
            for (int pass = 0; pass < PASSES; pass++)
                walk(bytes, strides[j]);
            uint32_t clocks = (uint32_t)(read_tsc() - begin);
            print_hundredths((int64_t)(clocks / reads * 100 + clocks % reads * 100 / reads), 9);
        }
        print("\n");
    }
    return 0;
}
