#include "base/room.h"

#include <sys/mman.h>

void *room_open(size_t bytes)
{
    void *room =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

void room_huge(void *room, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(room, bytes, MADV_HUGEPAGE); /* it may decline */
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
