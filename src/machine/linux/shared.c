/* Files that are mapped shared. Their pages are frames of the guest's RAM, one for all mappings of a page;
 * file and frames are brought together at the guest's own calls: those that read the file find what was
 * written through a mapping, and what those that write it wrote is in the mappings. Nobody else runs in
 * between. What other programs of the host write is seen at msync. */
#define _GNU_SOURCE /* pread, pwrite */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/base/notice.h"
#include "machine/linux/linux_internal.h"

bool linux_shared_any(const linux_process *p)
{
    for (size_t i = 0; i < p->memory.regions.count; i++)
        if (p->memory.regions.items[i].file != NULL)
            return true;
    return false;
}

bool linux_same_file(int a, int b)
{
    struct stat x, y;
    return a == b || (fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static uint32_t page_at(const linux_region *region, uint32_t linear)
{
    return region->page + (linear - region->start) / PAGE_BYTES;
}

uint32_t linux_shared_backed(const linux_open_file *file, uint32_t page, uint32_t size)
{
    uint64_t length = share_size(file->host), from = (uint64_t)page * PAGE_BYTES;
    uint64_t pages = length > from ? (length - from + PAGE_BYTES - 1) / PAGE_BYTES : 0;
    return pages < size / PAGE_BYTES ? (uint32_t)pages * PAGE_BYTES : size;
}

uint32_t linux_shared_frame(linux_process *p, const linux_region *region, uint32_t linear)
{
    uint32_t page = page_at(region, linear);
    for (size_t i = 0; i < p->memory.regions.count; i++) {
        const linux_region *r = &p->memory.regions.items[i];
        if (r->file == NULL || page < r->page || page - r->page >= (r->end - r->start) / PAGE_BYTES ||
            !linux_same_file(r->file->host, region->file->host))
            continue;
        uint32_t there = r->start + (page - r->page) * PAGE_BYTES;
        uint32_t frame = there != linear ? linux_frame_at(p, there) : LINUX_NO_FRAME;
        if (frame != LINUX_NO_FRAME)
            return frame;
    }
    return LINUX_NO_FRAME;
}

/* The file's page, zeros behind its end: how many bytes it has. */
static size_t read_page(int host, uint32_t page, uint8_t bytes[PAGE_BYTES])
{
    ssize_t got = pread(host, bytes, PAGE_BYTES, (off_t)page * PAGE_BYTES);
    size_t there = got > 0 ? (size_t)got : 0;
    memset(bytes + there, 0, PAGE_BYTES - there);
    return there;
}

void linux_shared_fill(linux_process *p, const linux_region *region, uint32_t linear, uint32_t frame)
{
    read_page(region->file->host, page_at(region, linear), engine_ram(p->engine, frame, PAGE_BYTES));
    engine_flush_code(p->engine, frame, PAGE_BYTES);
}

/* The region's pages that [from, to) touches: addresses [*first, *last). */
static void pages_of(const linux_region *r, uint64_t from, uint64_t to, uint32_t *first, uint32_t *last)
{
    uint64_t base = (uint64_t)r->page * PAGE_BYTES, size = r->backed_end - r->start;
    uint64_t low = from > base ? from - base : 0, high = to > base ? to - base : 0;
    *first = r->start + (uint32_t)(low < size ? low / PAGE_BYTES * PAGE_BYTES : size);
    *last = r->start + (uint32_t)(high < size ? high : size);
}

void linux_shared_store(linux_process *p, int host, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < p->memory.regions.count; i++) {
        const linux_region *r = &p->memory.regions.items[i];
        if (r->file == NULL || (r->file->flags & O_ACCMODE) != O_RDWR ||
            (host >= 0 && !linux_same_file(r->file->host, host)))
            continue;
        uint32_t at, last;
        for (pages_of(r, from, to, &at, &last); at < last; at += PAGE_BYTES) {
            uint8_t old[PAGE_BYTES];
            uint32_t frame = linux_frame_at(p, at);
            const uint8_t *now = frame != LINUX_NO_FRAME ? engine_ram(p->engine, frame, PAGE_BYTES) : NULL;
            size_t there = now != NULL ? read_page(r->file->host, page_at(r, at), old) : 0;
            if (there != 0 && memcmp(old, now, there) != 0 &&
                pwrite(r->file->host, now, there, (off_t)page_at(r, at) * PAGE_BYTES) < 0)
                notice_once(&p->machine->notices, NOTICE_OTHER, 1001,
                            "what was written to a mapped file cannot be stored");
        }
    }
}

void linux_shared_load(linux_process *p, int host, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < p->memory.regions.count; i++) {
        linux_region *r = &p->memory.regions.items[i];
        if (r->file == NULL || !linux_same_file(r->file->host, host))
            continue;
        uint32_t backed = linux_shared_backed(r->file, r->page, r->end - r->start), at, last;
        if (r->start + backed != r->backed_end)
            linux_region_resize(p, r, r->start + backed);
        for (pages_of(r, from, to, &at, &last); at < last; at += PAGE_BYTES) {
            uint32_t frame = linux_frame_at(p, at);
            if (frame != LINUX_NO_FRAME)
                linux_shared_fill(p, r, at, frame);
        }
    }
}
