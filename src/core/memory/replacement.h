/* Tree pseudo-LRU for 2 to 64 ways, as the caches and TLBs of both processors have it: a binary tree of bits
 * in heap order (bit 0 the root, bits 2n+1 and 2n+2 below bit n), each pointing to the half to be replaced
 * next. For two ways the one bit is true LRU; for four it is the table of TR4 (bit 0 chooses ways {0,1} or
 * {2,3}, bit 1 and bit 2 within them). */
#ifndef CORE_MEMORY_REPLACEMENT_H
#define CORE_MEMORY_REPLACEMENT_H

#include <stdint.h>

enum { REPLACEMENT_WAYS = 64 };

/* A use of way w makes every node on its path point away from it: bits = (bits & keep[w]) | point[w]. */
typedef struct replacement {
    uint64_t keep[REPLACEMENT_WAYS];
    uint64_t point[REPLACEMENT_WAYS];
    unsigned ways; /* a power of two */
} replacement;

void replacement_init(replacement *r, unsigned ways);

static inline uint64_t replacement_used(const replacement *r, uint64_t bits, unsigned way)
{
    return (bits & r->keep[way]) | r->point[way];
}

/* The way that the bits point to. */
static inline unsigned replacement_victim(const replacement *r, uint64_t bits)
{
    unsigned node = 0, way = 0;
    for (unsigned half = r->ways / 2; half > 0; half /= 2) {
        unsigned upper = (unsigned)(bits >> node) & 1;
        way += upper * half;
        node = 2 * node + 1 + upper;
    }
    return way;
}

/* The same of a cache's ways, in bytes. */
enum { ORDER_WAYS = 4 };
typedef struct way_order {
    uint8_t ways, all; /* bit n of `all`: way n exists */
    uint8_t keep[ORDER_WAYS], point[ORDER_WAYS];
    uint8_t victim[1 << (ORDER_WAYS - 1)]; /* by LRU bits */
} way_order;

void way_order_init(way_order *order, unsigned ways);

static inline uint8_t way_order_used(const way_order *order, uint8_t bits, unsigned way)
{
    return (uint8_t)((bits & order->keep[way]) | order->point[way]);
}

/* The way that a new line takes: the first of those without one (bit n: way n), else the one that the bits
 * point to. */
static inline unsigned way_order_victim(const way_order *order, uint8_t bits, unsigned invalid)
{
    invalid &= order->all;
    return invalid != 0 ? (unsigned)__builtin_ctz(invalid) : order->victim[bits];
}

#endif
