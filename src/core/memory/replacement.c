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

void way_order_init(way_order *order, unsigned ways)
{
    replacement of;
    replacement_init(&of, ways);
    *order = (way_order){.ways = (uint8_t)ways, .all = (uint8_t)((1u << ways) - 1)};
    for (unsigned way = 0; way < ways; way++) {
        order->keep[way] = (uint8_t)of.keep[way];
        order->point[way] = (uint8_t)of.point[way];
    }
    for (unsigned bits = 0; bits < sizeof order->victim; bits++)
        order->victim[bits] = (uint8_t)replacement_victim(&of, bits);
}
