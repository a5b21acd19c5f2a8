/* Tree pseudo-LRU: the bits after a use, and tables for few ways. */
#include "core/model/replacement.h"

uint64_t replacement_used(unsigned ways, uint64_t bits, unsigned way)
{
    unsigned node = 0;
    for (unsigned half = ways / 2; half > 0; half /= 2) {
        unsigned upper = (way & half) != 0;
        bits = upper ? bits & ~(1ull << node) : bits | 1ull << node;
        node = 2 * node + 1 + upper;
    }
    return bits;
}

void way_order_init(way_order *order, unsigned ways)
{
    *order = (way_order){.ways = (uint8_t)ways, .all = (uint8_t)((1u << ways) - 1)};
    for (unsigned way = 0; way < ORDER_WAYS; way++) { /* entries beyond `ways` are not used */
        order->keep[way] = (uint8_t)replacement_used(ways, UINT64_MAX, way);
        order->point[way] = (uint8_t)replacement_used(ways, 0, way);
    }
    for (unsigned bits = 0; bits < sizeof order->victim; bits++)
        order->victim[bits] = (uint8_t)replacement_victim(ways, bits);
}
