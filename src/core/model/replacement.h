/* Tree pseudo-LRU for 2 to 64 ways, as in the caches, the TLBs and the branch target buffer: a binary tree of bits in
 * heap order (bit 0 is the root, bits 2n+1 and 2n+2 are below bit n), each of which points to the half to be
 * replaced next. For two ways the only bit is true LRU; for four it is the table of TR4 (bit 0 chooses ways
 * {0,1} or {2,3}, bits 1 and 2 choose within them). */
#ifndef CORE_MODEL_REPLACEMENT_H
#define CORE_MODEL_REPLACEMENT_H

#include <stdint.h>

/* Returns the way that the bits point to. `ways` is a power of two. */
static inline unsigned replacement_victim(unsigned ways, uint64_t bits)
{
    unsigned node = 0, way = 0;
    for (unsigned half = ways / 2; half > 0; half /= 2) {
        unsigned upper = (unsigned)(bits >> node) & 1;
        way += upper * half;
        node = 2 * node + 1 + upper;
    }
    return way;
}
/* Returns the bits after a use of `way`: all bits on the path to it point away from it. */
uint64_t replacement_used(unsigned ways, uint64_t bits, unsigned way);

/* The same as tables, for 2 or 4 ways, whose bits fit into a byte. */
enum { ORDER_WAYS = 4 };
typedef struct way_order {
    uint8_t ways, all; /* number of ways; bit n of `all`: way n exists */
    /* A use of a way clears the bits that are 0 in keep[way], and sets those of point[way]. */
    uint8_t keep[ORDER_WAYS], point[ORDER_WAYS];
    uint8_t victim[1 << (ORDER_WAYS - 1)]; /* way to be replaced, by the bits */
} way_order;

void way_order_init(way_order *order, unsigned ways);

/* Returns the bits after a use of `way`. */
static inline uint8_t way_order_used(const way_order *order, uint8_t bits, unsigned way)
{
    return (uint8_t)((bits & order->keep[way]) | order->point[way]);
}

/* Returns the way that a new line takes: the first invalid one (bit n: way n), otherwise the one that the
 * bits point to. */
static inline unsigned way_order_victim(const way_order *order, uint8_t bits, unsigned invalid)
{
    invalid &= order->all;
    return invalid != 0 ? (unsigned)__builtin_ctz(invalid) : order->victim[bits];
}

#endif
