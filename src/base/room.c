#include "base/room.h"

#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *room_open(size_t bytes)
{
    assert(bytes > 0);
    const size_t spare = bytes < HUGE_PAGE ? 0 : HUGE_PAGE, page = (size_t)sysconf(_SC_PAGESIZE);
    bytes = (bytes + page - 1) / page * page;
    char *room =
        mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    const size_t in_front = spare == 0 ? 0 : -(uintptr_t)room % HUGE_PAGE;
    if (in_front != 0)
        munmap(room, in_front);
    if (in_front != spare)
        munmap(room + in_front + bytes, spare - in_front);
    return room + in_front;
}

void room_huge(void *room, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(room, bytes, MADV_HUGEPAGE); /* the host may decline */
#else
    (void)room;
    (void)bytes;
#endif
}

void room_close(void *room, size_t bytes)
{
    if (room != NULL)
        munmap(room, bytes);
}
