#include "measure.h"

uint8_t measured_memory[256 * 1024] __attribute__((aligned(4096)));

static int64_t clocks(measured_loop *loop, uint32_t trips)
{
    uint64_t begin = read_tsc();
    loop(trips);
    return (int64_t)(read_tsc() - begin);
}

int32_t clocks_per_trip(measured_loop *loop)
{
    enum { FEW = 200, MANY = 1200 };
    clocks(loop, FEW); /* fills caches, TLBs and branch buffer */
    int64_t few = clocks(loop, FEW), many = clocks(loop, MANY);
    int32_t difference = (int32_t)(many - few); /* 1000 trips */
    return (difference + (difference < 0 ? -5 : 5)) / 10;
}

int measure_rows(int argc, char **argv, const measured_row *rows, size_t count)
{
    int status = 0;
    bool check = argc > 1 && argv[1][0] == 'c';
    print_padded("clocks per trip", 48);
    print("  measured  Pentium\n");
    for (size_t i = 0; i < count; i++) {
        int32_t measured = clocks_per_trip(rows[i].loop);
        print_padded(rows[i].title, 48);
        print_hundredths(measured, 10);
        if (rows[i].expected != NOT_STATED) {
            print_hundredths(rows[i].expected, 9);
            if (measured != rows[i].expected) {
                print("  differs");
                status = check;
            }
        }
        print("\n");
    }
    return status;
}
