/* x87 ROUNDS: a dot product, an update of a vector and one division and square root per pass, in double
 * precision. */
#include "guest.h"

enum { COUNT = 512 };

int main(int argc, char **argv)
{
    static double x[COUNT], y[COUNT];
    uint32_t rounds = number_argument(argc, argv, 1, 13000), state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (double)(random_next(&state) & 0xffff) / 65536.0;
        y[i] = (double)(random_next(&state) & 0xffff) / 65536.0;
    }
    double scale = 0.5;
    for (uint32_t round = 0; round < rounds; round++) {
        double dot = 0;
        for (size_t i = 0; i < COUNT; i++)
            dot += x[i] * y[i];
        for (size_t i = 0; i < COUNT; i++)
            y[i] = y[i] * 0.75 + x[i] * scale;
        scale = 1.0 / (1.0 + __builtin_sqrt(dot));
    }
    uint32_t hash = checksum(CHECKSUM_START, &scale, sizeof scale);
    print_checksum("x87", checksum(hash, y, sizeof y));
    return 0;
}
