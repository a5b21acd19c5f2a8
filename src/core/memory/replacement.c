#include "core/memory/replacement.h"

#include <string.h>

void replacement_init(replacement *r, unsigned ways)
{
    memset(r, 0, sizeof *r);
    r->ways = ways;
    for (unsigned way = 0; way < ways; way++) {
        uint64_t path = 0, away = 0;
        unsigned node = 0, rest = way;
        for (unsigned half = ways / 2; half > 0; half /= 2) {
            unsigned upper = rest >= half;
            path |= 1ull << node;
            if (!upper)
                away |= 1ull << node;
            rest -= upper * half;
            node = 2 * node + 1 + upper;
        }
        r->keep[way] = ~path;
        r->point[way] = away;
    }
}
