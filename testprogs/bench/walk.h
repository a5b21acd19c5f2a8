/* The loop of the walk kernels: three reads for each write, in address order. */
#ifndef TESTPROGS_WALK_H
#define TESTPROGS_WALK_H

#include "guest.h"

static inline int walk(const char *name, uint32_t *words, size_t count, uint32_t rounds)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        words[i] = (uint32_t)i * 2654435761u;
    for (uint32_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i += 4) {
            sum += words[i];
            sum ^= words[i + 1];
            sum += words[i + 2] << 1;
            words[i + 3] = sum;
        }
    }
    print_checksum(name, checksum(sum, words, count * sizeof *words));
    return 0;
}

#endif
