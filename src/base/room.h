/* Large zeroed rooms that cost the host nothing until they are touched. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { HUGE_PAGE = 2 << 20 };

/* From a huge page's length on it begins where one does. NULL: the host has no address space for it. */
void *room_open(size_t bytes);
/* One that is read all over the place: with small pages its readers would miss the host's TLB. */
void room_huge(void *room, size_t bytes);
/* All of these bytes, one at least, are 0. Looking takes no memory where nothing was written. */
static inline bool room_is_zero(const void *bytes, size_t size)
{
    const char *first = bytes;
    return *first == 0 && memcmp(first, first + 1, size - 1) == 0;
}
/* `room` may be NULL. */
void room_close(void *room, size_t bytes);

#endif
