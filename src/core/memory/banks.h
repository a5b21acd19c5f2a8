/* The data cache's eight banks, interleaved by dword. If two references of one clock need the same bank, the
 * second waits. */
#ifndef CORE_MEMORY_BANKS_H
#define CORE_MEMORY_BANKS_H

#include "p5scope/core.h"

enum { BANKS = 8, BANK_BYTES = 4, BANK_CLOCKS = 1 /* per conflict */ };

/* Returns the banks of a reference; bit n is bank n. A misaligned reference of 8 bytes may need three. */
static inline unsigned banks_of(const p5_access *a)
{
    const unsigned dwords = (a->linear % BANK_BYTES + a->size - 1) / BANK_BYTES + 1;
    const unsigned banks = ((1u << dwords) - 1) << (a->linear / BANK_BYTES % BANKS);
    return (banks | banks >> BANKS) & ((1u << BANKS) - 1); /* bank 0 follows the last one */
}

/* Returns whether two references need a bank in common (banks_of). */
static inline bool banks_meet(const p5_access *a, const p5_access *b)
{
    const uint32_t last = a->linear % BANK_BYTES + a->size - 1, other = b->linear % BANK_BYTES + b->size - 1;
    if (__builtin_expect((last | other) >= BANK_BYTES, 0)) /* one of them needs two banks */
        return (banks_of(a) & banks_of(b)) != 0;
    return ((a->linear ^ b->linear) / BANK_BYTES % BANKS) == 0;
}

#endif
