/* walk1m ROUNDS: reads and updates a 1 MB array again and again: every line is a data cache miss, the pages
 * exceed the data TLB. */
#include "walk.h"

int main(int argc, char **argv)
{
    static uint32_t words[1024 * 1024 / sizeof(uint32_t)];
    return walk("walk1m", words, sizeof words / sizeof *words, number_argument(argc, argv, 1, 160));
}
