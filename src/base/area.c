/* Large zeroed memory areas (area.h), mapped from the host without reserving memory or swap space for them. */
#include "base/area.h"

#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"

void *area_open(size_t bytes)
{
    assert(bytes > 0);
    /* mmap only aligns to small pages. A large area is mapped with one huge page more than requested, and what lies
     * before and after the aligned part is unmapped. */
    const size_t extra = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
    bytes = round_up(bytes, (size_t)sysconf(_SC_PAGESIZE));
    char *area =
        mmap(NULL, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        return NULL;
    const size_t before = extra == 0 ? 0 : -(uintptr_t)area % HUGE_PAGE;
    if (before != 0)
        munmap(area, before);
    if (before != extra)
        munmap(area + before + bytes, extra - before);
    return area + before;
}

void area_request_huge_pages(void *area, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(area, bytes, MADV_HUGEPAGE); /* the host may decline */
#else
    (void)area;
    (void)bytes;
#endif
}

void area_close(void *area, size_t bytes)
{
    if (area != NULL)
        munmap(area, bytes);
}
