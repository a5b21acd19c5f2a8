/* The functions that gcc calls on its own in freestanding code, and the checksum. */
#include "guest.h"

void *memset(void *to, int byte, size_t size)
{
    unsigned char *p = to;
    while (size-- > 0)
        *p++ = (unsigned char)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *p = to;
    const unsigned char *q = from;
    while (size-- > 0)
        *p++ = *q++;
    return to;
}

uint32_t checksum(uint32_t hash, const void *data, size_t size)
{
    for (const unsigned char *p = data, *end = p + size; p < end; p++)
        hash = (hash ^ *p) * 16777619u;
    return hash;
}
