/* Large zeroed memory areas that use host memory only where they are touched. */
#ifndef BASE_AREA_H
#define BASE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { HUGE_PAGE = 2 << 20 }; /* bytes of a huge page of the host */

/* Allocates a zeroed area of `bytes` bytes. It is aligned to HUGE_PAGE if it has at least HUGE_PAGE bytes, so that the
 * host can use huge pages for it. Returns NULL if the host has no address space for it. */
void *area_open(size_t bytes);
/* Requests huge pages for an area with scattered accesses, because small pages would miss the host's TLB. */
void area_request_huge_pages(void *area, size_t bytes);
/* Returns whether all of `size` bytes (at least 1) are 0. Reading allocates no memory where nothing was
 * written. */
static inline bool area_is_zero(const void *bytes, size_t size)
{
    const char *first = bytes; /* the comparison is of each byte with the next one */
    return *first == 0 && memcmp(first, first + 1, size - 1) == 0;
}
/* Frees an area that area_open allocated with the same `bytes`; `area` may be NULL. */
void area_close(void *area, size_t bytes);

#endif
