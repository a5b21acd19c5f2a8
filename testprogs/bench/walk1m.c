/* walk1m ROUNDS: reads and updates a 1 MB array repeatedly: every line misses the data cache, and the pages
 * exceed the data TLB. */
#include "walk.h"

int main(int argc, char **argv)
{
    static uint32_t words[1024 * 1024 / sizeof(uint32_t)];
    return walk("walk1m", words, sizeof words / sizeof *words, number_argument(argc, argv, 1, 160));
}
