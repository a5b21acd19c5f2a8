/* The guest's address space: frames of RAM, page tables in RAM, and the list of mappings.
 *
 * Pages get their frames when they are mapped, not at the first access. So every page fault is the guest's
 * own mistake, and the counts of a run contain no faults from a kernel's demand paging. A page without any
 * access right (PROT_NONE) gets its frame when it first becomes accessible. A frame is a physical page, known by its
 * physical address; a region is a mapping. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/area.h"
#include "core/model/model.h"
#include "machine/linux/linux_internal.h"
#include "machine/linux/abi.h"

/* Bit 9 of a page table entry is free for the system. It means that the entry owns a frame, present or
 * not. */
enum { PTE_FRAME = 1 << 9 };
#define PTE_ADDRESS 0xfffff000u
enum { LAST_ENTRY = 0x3ff000 }; /* bits of an address that select the entry in a page table */

bool linux_memory_open(linux_process *p)
{
    linux_memory *m = &p->memory;
    m->frame_count = p->machine->options.memory_bytes / PAGE_BYTES;
    m->frames = calloc(m->frame_count, 1);
    if (m->frames == NULL)
        return false;
    /* Physical page 0 stays unused (LINUX_NO_FRAME). Memory that the board does not cache is not used as
     * RAM. */
    for (uint32_t i = 0; i < m->frame_count; i++)
        if (i == 0 || model_uncacheable(p->machine->model, i * PAGE_BYTES))
            m->frames[i] = FRAME_USED;
        else
            m->frames_free++;
    m->first_free = 1;
    m->directory = linux_frame_allocate(p);
    return m->directory != LINUX_NO_FRAME;
}

void linux_memory_close(linux_process *p)
{
    free(p->memory.frames);
    free(p->memory.regions.items);
}

/* Returns the lowest free frame, filled with zeros; LINUX_NO_FRAME if there is none. The lowest, so that physical
 * addresses depend only on the guest's own calls. */
uint32_t linux_frame_allocate(linux_process *p)
{
    linux_memory *m = &p->memory;
    while (m->first_free < m->frame_count && (m->frames[m->first_free] & FRAME_USED) != 0)
        m->first_free++;
    if (m->first_free == m->frame_count)
        return LINUX_NO_FRAME;
    uint32_t index = m->first_free++, physical = index * PAGE_BYTES;
    if ((m->frames[index] & FRAME_DIRTY) != 0) {
        uint8_t *page = engine_ram(p->engine, physical, PAGE_BYTES);
        if (!area_is_zero(page, PAGE_BYTES))
            memset(page, 0, PAGE_BYTES);
        engine_flush_code(p->engine, physical, PAGE_BYTES);
    }
    m->frames[index] = FRAME_USED | FRAME_DIRTY;
    m->frames_free--;
    return physical;
}

static void frame_free(linux_memory *m, uint32_t physical)
{
    uint32_t index = physical / PAGE_BYTES;
    if (index >= m->frame_count || (m->frames[index] & FRAME_USED) == 0)
        return; /* a debugger or a snapshot may have written the entry */
    m->frames[index] &= (uint8_t)~FRAME_USED;
    m->frames_free++;
    if (index < m->first_free)
        m->first_free = index;
}

/* --- Page tables --- */

/* Returns a word of a page table or directory in guest memory; NULL outside of RAM. */
static uint32_t *table_word(const linux_process *p, uint32_t physical)
{
    return (uint32_t *)(void *)engine_ram(p->engine, physical, 4);
}

/* Returns the page table entry of `linear`. Returns NULL if its page table is missing and `create` is false
 * or memory has run out; and if the table lies outside of memory (a debugger or a snapshot may have written
 * the directory). */
static uint32_t *page_entry(linux_process *p, uint32_t linear, bool create)
{
    uint32_t *directory = table_word(p, p->memory.directory + (linear >> 22) * 4);
    if ((*directory & PTE_PRESENT) == 0) {
        uint32_t table = create ? linux_frame_allocate(p) : LINUX_NO_FRAME;
        if (table == LINUX_NO_FRAME)
            return NULL;
        *directory = table | PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_ACCESSED;
    }
    return table_word(p, (*directory & PTE_ADDRESS) + (linear >> 12 & 0x3ff) * 4);
}

bool linux_map_kernel(linux_process *p, uint32_t linear, uint32_t frame)
{
    uint32_t *entry = page_entry(p, linear, true);
    if (entry == NULL)
        return false;
    *entry = frame | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED | PTE_DIRTY | PTE_FRAME;
    return true;
}

/* Changes an entry, and does an INVLPG if the core's TLBs may hold the old one. */
static void entry_set(linux_process *p, uint32_t linear, uint32_t *entry, uint32_t value)
{
    bool was_present = (*entry & PTE_PRESENT) != 0;
    if (*entry == value)
        return;
    *entry = value;
    if (was_present)
        p5_core_invlpg(p->machine->core, linear);
}

/* Returns the bits of an entry for LINUX_PROT_*; 0: not present. */
static uint32_t entry_rights(uint32_t protection)
{
    if ((protection & LINUX_PROT_ALL) == 0)
        return 0;
    /* On this processor every present page can be read and executed. Pages are marked as used, so that page
     * walks have nothing to write. */
    uint32_t rights = PTE_PRESENT | PTE_USER | PTE_ACCESSED;
    return (protection & LINUX_PROT_WRITE) != 0 ? rights | PTE_WRITE | PTE_DIRTY : rights;
}

/* Returns how many more frames, also for page tables, are needed to give `protection` to [start, end). */
static uint32_t frames_needed(linux_process *p, uint32_t start, uint32_t end, uint32_t protection)
{
    uint32_t needed = 0;
    if ((protection & LINUX_PROT_ALL) == 0)
        return 0;
    for (uint32_t page = start; page < end; page += PAGE_BYTES) {
        const uint32_t *entry = page_entry(p, page, false);
        needed += entry == NULL && (page == start || (page & LAST_ENTRY) == 0); /* the page table */
        needed += entry == NULL || (*entry & PTE_FRAME) == 0;
    }
    return needed;
}

/* --- Regions --- */

/* Returns the index of the first region that ends after `address`. */
static size_t region_index(const linux_memory *m, uint32_t address)
{
    return ARRAY_SEARCH(m->regions.items, m->regions.count, end, address + 1ull);
}

const linux_region *linux_region_at(const linux_process *p, uint32_t address)
{
    const linux_memory *m = &p->memory;
    size_t i = region_index(m, address);
    return i < m->regions.count && m->regions.items[i].start <= address ? &m->regions.items[i] : NULL;
}

bool linux_is_mapped(const linux_process *p, uint32_t start, uint32_t end)
{
    const linux_region *region = linux_region_at(p, start);
    while (region != NULL && region->end < end)
        region = linux_region_at(p, region->end);
    return region != NULL || start == end;
}

static void region_insert(linux_memory *m, size_t at, linux_region region)
{
    memmove(&m->regions.items[at + 1], &m->regions.items[at], (m->regions.count - at) * sizeof region);
    m->regions.items[at] = region;
    m->regions.count++;
}

/* Reserves space for the regions that two splits and an insertion can add. Returns false if there are too many. */
static bool region_reserve(linux_memory *m)
{
    return m->regions.count + 3 <= LINUX_REGIONS_AT_MOST &&
           array_reserve(&m->regions.items, &m->regions.capacity, m->regions.count + 3,
                         sizeof *m->regions.items);
}

/* Splits the region that contains `address` there, unless it begins there. */
static void region_split(linux_memory *m, uint32_t address)
{
    size_t i = region_index(m, address);
    if (i == m->regions.count || m->regions.items[i].start >= address)
        return;
    linux_region upper = m->regions.items[i];
    upper.start = address;
    if (upper.backed_end < address)
        upper.backed_end = address;
    m->regions.items[i].end = address;
    if (m->regions.items[i].backed_end > address)
        m->regions.items[i].backed_end = address;
    region_insert(m, i + 1, upper);
}

/* Removes [start, end) from the list; region_reserve must have reserved space for the splits. */
static void region_remove(linux_memory *m, uint32_t start, uint32_t end)
{
    region_split(m, start);
    region_split(m, end);
    size_t first = region_index(m, start), last = first;
    while (last < m->regions.count && m->regions.items[last].start < end)
        last++;
    memmove(&m->regions.items[first], &m->regions.items[last],
            (m->regions.count - last) * sizeof *m->regions.items);
    m->regions.count -= last - first;
}

/* Joins a region with the next one if they are adjacent, have the same rights, and are backed as a whole. */
static void region_join_next(linux_memory *m, size_t at)
{
    linux_region *a = &m->regions.items[at], *b = a + 1;
    if (at + 1 >= m->regions.count || a->end != b->start || a->protection != b->protection ||
        a->backed_end != a->end || b->backed_end != b->end)
        return;
    a->end = a->backed_end = b->end;
    memmove(b, b + 1, (m->regions.count - at - 2) * sizeof *b);
    m->regions.count--;
}

/* Adds a mapping where there is none, and joins it with its neighbours. */
static void region_add(linux_memory *m, linux_region region)
{
    size_t at = region_index(m, region.start);
    region_insert(m, at, region);
    region_join_next(m, at);
    if (at > 0)
        region_join_next(m, at - 1);
}

uint32_t linux_frame_of(linux_process *p, uint32_t linear)
{
    const uint32_t *entry = page_entry(p, linear, false);
    uint32_t frame = entry != NULL && (*entry & PTE_PRESENT) != 0 ? *entry & PTE_ADDRESS : LINUX_NO_FRAME;
    return frame / PAGE_BYTES < p->memory.frame_count ? frame : LINUX_NO_FRAME;
}

uint32_t linux_find_range(const linux_process *p, uint32_t size)
{
    const linux_memory *m = &p->memory;
    uint32_t at = LINUX_MMAP_BASE;
    for (size_t i = region_index(m, at); i < m->regions.count; i++) {
        if (m->regions.items[i].start >= at && m->regions.items[i].start - at >= size)
            return at;
        at = m->regions.items[i].end;
    }
    return at < LINUX_TASK_SIZE && LINUX_TASK_SIZE - at >= size ? at : 0;
}

/* --- Map, unmap, protect --- */

/* Checks a range of user addresses and rounds it up to whole pages. Returns 0, -EINVAL, or `too_large` if it reaches
 * beyond the user's addresses. */
static int32_t range_check(uint32_t start, uint32_t *size, int32_t too_large)
{
    if (start % PAGE_BYTES != 0)
        return -EINVAL;
    if (*size > LINUX_TASK_SIZE || start > LINUX_TASK_SIZE - *size)
        return too_large;
    *size = linux_page_up(*size);
    return start > LINUX_TASK_SIZE - *size ? too_large : 0;
}

/* Clears the pages' entries and frees their frames. */
static void pages_drop(linux_process *p, uint32_t start, uint32_t end)
{
    for (uint32_t page = start; page < end; page += PAGE_BYTES) {
        uint32_t *entry = page_entry(p, page, false);
        if (entry == NULL) {
            page |= LAST_ENTRY; /* skip to the next page table */
            continue;
        }
        if ((*entry & PTE_FRAME) != 0)
            frame_free(&p->memory, *entry & PTE_ADDRESS);
        entry_set(p, page, entry, 0);
    }
}

/* Unmaps a range, parts of which may be unmapped already. Returns 0 or -errno. */
int32_t linux_unmap(linux_process *p, uint32_t start, uint32_t size)
{
    int32_t wrong = range_check(start, &size, -EINVAL);
    if (wrong != 0 || size == 0)
        return -EINVAL;
    if (!region_reserve(&p->memory))
        return -ENOMEM;
    pages_drop(p, start, start + size);
    region_remove(&p->memory, start, start + size);
    engine_flush_translations(p->engine);
    return 0;
}

/* Gives [start, end) the rights of `protection`, and frames to pages that have none. The caller has checked
 * that there are enough frames. */
static void pages_protect(linux_process *p, uint32_t start, uint32_t end, uint32_t protection)
{
    uint32_t rights = entry_rights(protection);
    for (uint32_t page = start; page < end; page += PAGE_BYTES) {
        const linux_region *region = linux_region_at(p, page);
        uint32_t *entry = page_entry(p, page, rights != 0);
        if (entry == NULL) {
            page |= LAST_ENTRY;
            continue;
        }
        if (region != NULL && page >= region->backed_end)
            continue;
        uint32_t frame = *entry & PTE_ADDRESS;
        if ((*entry & PTE_FRAME) == 0 && rights == 0)
            continue;
        if ((*entry & PTE_FRAME) == 0 && frame == LINUX_NO_FRAME)
            frame = linux_frame_allocate(p);
        entry_set(p, page, entry, frame | PTE_FRAME | rights);
    }
    engine_flush_translations(p->engine);
}

int32_t linux_map(linux_process *p, uint32_t start, uint32_t size, uint32_t backed, uint32_t protection)
{
    int32_t wrong = range_check(start, &size, -ENOMEM);
    if (wrong != 0 || size == 0)
        return wrong != 0 ? wrong : -EINVAL;
    backed = backed < size ? linux_page_up(backed) : size;
    if (!region_reserve(&p->memory) ||
        frames_needed(p, start, start + backed, protection) > p->memory.frames_free)
        return -ENOMEM;
    linux_unmap(p, start, size);
    region_add(&p->memory, (linux_region){.start = start,
                                          .end = start + size,
                                          .backed_end = start + backed,
                                          .protection = protection & LINUX_PROT_ALL});
    pages_protect(p, start, start + size, protection);
    return 0;
}

/* Changes the rights of a range, all of which must be mapped. Gives frames to pages that had no rights before. */
int32_t linux_protect(linux_process *p, uint32_t start, uint32_t size, uint32_t protection)
{
    int32_t wrong = range_check(start, &size, -ENOMEM);
    if (wrong != 0 || size == 0)
        return wrong;
    uint32_t end = start + size;
    if (!linux_is_mapped(p, start, end) || !region_reserve(&p->memory) ||
        frames_needed(p, start, end, protection & LINUX_PROT_ALL) > p->memory.frames_free)
        return -ENOMEM;
    region_split(&p->memory, start);
    region_split(&p->memory, end);
    for (size_t i = region_index(&p->memory, start);
         i < p->memory.regions.count && p->memory.regions.items[i].start < end; i++)
        p->memory.regions.items[i].protection = protection & LINUX_PROT_ALL;
    pages_protect(p, start, end, protection & LINUX_PROT_ALL);
    return 0;
}

int32_t linux_move(linux_process *p, uint32_t from, uint32_t size, uint32_t to)
{
    const linux_region *region = linux_region_at(p, from);
    assert(region != NULL && region->end - from >= size);
    linux_region moved_region = *region;
    uint32_t backed = region->backed_end > from ? region->backed_end - from : 0;
    /* The frames move, so only page tables are needed. */
    if (frames_needed(p, to, to + size, LINUX_PROT_READ) - size / PAGE_BYTES > p->memory.frames_free ||
        !region_reserve(&p->memory))
        return -ENOMEM;
    for (uint32_t offset = 0; offset < size; offset += PAGE_BYTES) {
        uint32_t *old = page_entry(p, from + offset, false);
        if (old == NULL || (*old & PTE_FRAME) == 0)
            continue;
        uint32_t *moved = page_entry(p, to + offset, true);
        if (moved == NULL)
            continue;
        *moved = *old;
        entry_set(p, from + offset, old, 0);
    }
    moved_region.start = to;
    moved_region.end = to + size;
    moved_region.backed_end = to + (backed < size ? backed : size);
    region_remove(&p->memory, from, from + size);
    region_add(&p->memory, moved_region);
    engine_flush_translations(p->engine);
    return 0;
}
