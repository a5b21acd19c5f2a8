/* System calls for memory. `a` are the six arguments. A region is a mapping [start, end) with the same rights in all its
 * pages. */
#define _GNU_SOURCE /* MREMAP_MAYMOVE */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* Returns true if no mapping overlaps [start, end). */
static bool range_free(const linux_process *p, uint32_t start, uint32_t end)
{
    for (size_t i = 0; i < p->memory.regions.count; i++)
        if (p->memory.regions.items[i].start < end && p->memory.regions.items[i].end > start)
            return false;
    return true;
}

/* Sets the break. Returns the current break, even if it could not be changed. */
int32_t linux_brk(linux_process *p, const uint32_t a[6])
{
    linux_memory *m = &p->memory;
    uint32_t old_end = linux_page_up(m->brk), new_end = linux_page_up(a[0]);
    if (a[0] < m->brk_start || a[0] > LINUX_MMAP_BASE)
        return (int32_t)m->brk;
    if (new_end > old_end &&
        (!range_free(p, old_end, new_end) || linux_map(p, old_end, new_end - old_end, new_end - old_end,
                                                       LINUX_PROT_READ | LINUX_PROT_WRITE) != 0))
        return (int32_t)m->brk;
    if (new_end < old_end)
        linux_unmap(p, new_end, old_end - new_end);
    m->brk = a[0];
    return (int32_t)m->brk;
}

/* Maps a file privately by copying it into fresh pages. Pages after the end of the file are not backed: an access to them
 * is a SIGBUS. */
static int32_t map_file(linux_process *p, uint32_t start, uint32_t size, uint32_t protection,
                        linux_open_file *file, uint64_t offset)
{
    uint64_t length = share_size(file->host);
    uint64_t there = length > offset ? length - offset : 0;
    uint32_t backed = there < size ? (uint32_t)there : size;
    int32_t wrong = linux_map(p, start, size, backed, LINUX_PROT_READ | LINUX_PROT_WRITE);
    for (uint32_t done = 0; wrong == 0 && done < backed;) {
        size_t chunk = backed - done;
        uint8_t *to = linux_user_chunk(p, start + done, &chunk, true);
        ssize_t got = to != NULL ? pread(file->host, to, chunk, (off_t)(offset + done)) : -1;
        if (got <= 0)
            break; /* the rest reads as zeros, as if the file had been cut */
        done += (uint32_t)got;
    }
    return wrong != 0 ? wrong : linux_protect(p, start, size, protection);
}

/* Does what mmap does. Its arguments are address, length, protection, flags and descriptor; `offset` is in bytes. */
static int32_t map_any(linux_process *p, const uint32_t a[5], uint64_t offset)
{
    uint32_t address = a[0];
    const uint32_t length = a[1], protection = a[2], flags = a[3], descriptor = a[4];
    uint32_t type = flags & LINUX_MAP_TYPE, size = linux_page_up(length);
    bool anonymous = (flags & LINUX_MAP_ANONYMOUS) != 0;
    linux_open_file *file = anonymous ? NULL : linux_file_at(p, descriptor);
    bool zeros = file != NULL && file->kind == LINUX_ZERO;
    if (length == 0 ||
        (type != LINUX_MAP_SHARED && type != LINUX_MAP_PRIVATE && type != 3 /* SHARED_VALIDATE */))
        return -EINVAL;
    if (size == 0 || size > LINUX_TASK_SIZE)
        return -ENOMEM;
    if (!anonymous && file == NULL)
        return -EBADF;
    anonymous |= zeros;
    if (!anonymous && file->kind != LINUX_REGULAR && !linux_is_input_file(file))
        return -ENODEV;
    if (!anonymous && (file->flags & O_ACCMODE) == O_WRONLY)
        return -EACCES;
    if (!anonymous && type != LINUX_MAP_PRIVATE)
        return linux_refuse(p, -EINVAL, "mmap: files cannot be mapped shared (use MAP_PRIVATE)");
    if (offset / PAGE_BYTES + size / PAGE_BYTES > UINT32_MAX)
        return -EOVERFLOW;
    if ((flags & (LINUX_MAP_FIXED | LINUX_MAP_FIXED_NOREPLACE)) != 0) {
        if (address % PAGE_BYTES != 0 || address < LINUX_LEAST_ADDRESS)
            return address % PAGE_BYTES != 0 ? -EINVAL : -EPERM;
        if (address > LINUX_TASK_SIZE - size)
            return -ENOMEM;
        if ((flags & LINUX_MAP_FIXED_NOREPLACE) != 0 && !range_free(p, address, address + size))
            return -EEXIST;
    } else {
        address = linux_page_down(address);
        if (address < LINUX_LEAST_ADDRESS || address > LINUX_TASK_SIZE - size ||
            !range_free(p, address, address + size))
            address = linux_find_range(p, size);
        if (address == 0)
            return -ENOMEM;
    }
    int32_t wrong = anonymous ? linux_map(p, address, size, size, protection)
                              : map_file(p, address, size, protection, file, offset);
    return wrong != 0 ? wrong : (int32_t)address;
}

/* Implements mmap2, whose offset is in pages. */
int32_t linux_mmap2(linux_process *p, const uint32_t a[6])
{
    return map_any(p, a, (uint64_t)a[5] * PAGE_BYTES);
}

/* Implements the old mmap, which has its six arguments in memory, and the offset in bytes. */
int32_t linux_mmap(linux_process *p, const uint32_t a[6])
{
    uint32_t b[6];
    if (!linux_read_user(p, a[0], b, sizeof b))
        return -EFAULT;
    return b[5] % PAGE_BYTES != 0 ? -EINVAL : map_any(p, b, b[5]);
}

int32_t linux_munmap(linux_process *p, const uint32_t a[6])
{
    return linux_unmap(p, a[0], a[1]);
}

int32_t linux_mprotect(linux_process *p, const uint32_t a[6])
{
    enum { PROT_SEM = 8 }; /* which has no effect */
    if ((a[2] & ~(uint32_t)(LINUX_PROT_READ | LINUX_PROT_WRITE | LINUX_PROT_EXEC | PROT_SEM)) != 0)
        return -EINVAL;
    return linux_protect(p, a[0], a[1], a[2] & ~(uint32_t)PROT_SEM);
}

/* Shrinks a mapping, or grows it in place or by a move. */
int32_t linux_mremap(linux_process *p, const uint32_t a[6])
{
    uint32_t old = a[0], old_size = linux_page_up(a[1]), new_size = linux_page_up(a[2]), flags = a[3];
    const linux_region *region = linux_region_at(p, old);
    if (old % PAGE_BYTES != 0 || old_size == 0 || new_size == 0 || (flags & ~(uint32_t)MREMAP_MAYMOVE) != 0)
        return -EINVAL;
    if (region == NULL || region->end - old < old_size)
        return -EFAULT;
    uint32_t protection = region->protection;
    if (new_size <= old_size) {
        int32_t wrong = new_size < old_size ? linux_unmap(p, old + new_size, old_size - new_size) : 0;
        return wrong != 0 ? wrong : (int32_t)old;
    }
    uint32_t more = new_size - old_size, end = old + old_size;
    if (new_size <= LINUX_TASK_SIZE && end <= LINUX_TASK_SIZE - more && range_free(p, end, end + more)) {
        int32_t wrong = linux_map(p, end, more, more, protection);
        return wrong != 0 ? wrong : (int32_t)old;
    }
    if ((flags & MREMAP_MAYMOVE) == 0)
        return -ENOMEM;
    uint32_t to = linux_find_range(p, new_size);
    int32_t wrong = to == 0 ? -ENOMEM : linux_map(p, to + old_size, more, more, protection);
    if (wrong != 0)
        return wrong;
    wrong = linux_move(p, old, old_size, to);
    if (wrong != 0)
        linux_unmap(p, to + old_size, more);
    return wrong != 0 ? wrong : (int32_t)to;
}

/* Accepts advice without acting on it, except for MADV_DONTNEED, after which the pages read as zeros. */
int32_t linux_madvise(linux_process *p, const uint32_t a[6])
{
    uint32_t size = linux_page_up(a[1]);
    enum { LAST = 25 /* MADV_COLLAPSE */ };
    const bool supported = a[2] <= MADV_DONTNEED || (a[2] >= MADV_FREE && a[2] <= LAST);
    if (!supported || a[0] % PAGE_BYTES != 0 || a[0] > LINUX_TASK_SIZE || size > LINUX_TASK_SIZE - a[0])
        return -EINVAL;
    for (uint32_t at = a[0]; at < a[0] + size;) {
        const linux_region *region = linux_region_at(p, at);
        if (region == NULL)
            return -ENOMEM;
        uint32_t end = region->end < a[0] + size ? region->end : a[0] + size, protection = region->protection;
        if (a[2] == MADV_DONTNEED) {
            int32_t wrong = linux_map(p, at, end - at, end - at, protection);
            if (wrong != 0)
                return wrong;
        }
        at = end;
    }
    return 0;
}

/* Checks its arguments only, because no mapping has anything to write back. */
int32_t linux_msync(linux_process *p, const uint32_t a[6])
{
    uint32_t size = linux_page_up(a[1]);
    if (a[0] % PAGE_BYTES != 0 || (a[2] & ~(uint32_t)(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) != 0 ||
        (a[2] & (MS_ASYNC | MS_SYNC)) == (MS_ASYNC | MS_SYNC))
        return -EINVAL;
    if (a[0] > LINUX_TASK_SIZE || size > LINUX_TASK_SIZE - a[0])
        return -ENOMEM;
    return linux_is_mapped(p, a[0], a[0] + size) ? 0 : -ENOMEM;
}

/* Implements mlock and the like, which have nothing to do because all memory is in RAM. */
int32_t linux_memory_noop(linux_process *p, const uint32_t a[6])
{
    return a[1] == 0 || linux_region_at(p, a[0]) != NULL ? 0 : -ENOMEM;
}
