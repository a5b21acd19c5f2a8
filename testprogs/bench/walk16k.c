/* walk16k ROUNDS: reads and updates a 16 KB array repeatedly. It fits into the data cache of a P55C; that of a
 * P54C has half the size. */
#include "walk.h"

int main(int argc, char **argv)
{
    static uint32_t words[16 * 1024 / sizeof(uint32_t)];
    return walk("walk16k", words, sizeof words / sizeof *words, number_argument(argc, argv, 1, 12000));
}
