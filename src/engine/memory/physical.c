/* Physical memory: RAM from address 0 on, the windows of devices (engine_window), and the host's accesses on
 * behalf of the guest. A *timed* window belongs to a device whose state depends on the clock. Where there is
 * neither RAM nor a window, reads find ones and writes are lost: the open bus. */
#include <assert.h>
#include <stdlib.h>

#include "base/area.h"
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"

/* Allocates RAM. Returns false if host memory runs out; physical_close frees what there is. */
bool physical_open(engine *e)
{
    memory_state *m = &e->memory;
    assert(e->options.memory_bytes > 0 && e->options.memory_bytes % ENGINE_PAGE_BYTES == 0);
    m->ram_bytes = e->options.memory_bytes;
    m->address_mask = UINT32_MAX;
    memset(m->open_bus, 0xff, sizeof m->open_bus);
    memset(m->pages_filled, 0xff, sizeof m->pages_filled); /* so that mmu_flush_all empties every entry */
    m->ram = area_open(m->ram_bytes);
    if (m->ram != NULL)
        area_request_huge_pages(m->ram, m->ram_bytes);
    m->code_lines = calloc(m->ram_bytes / ENGINE_PAGE_BYTES, sizeof *m->code_lines);
    m->table_pages = calloc(m->ram_bytes / ENGINE_PAGE_BYTES, 1);
    code_forget_found(e);
    mmu_flush_all(e);
    return m->ram && m->code_lines && m->table_pages;
}

void physical_close(engine *e)
{
    area_close(e->memory.ram, e->memory.ram_bytes);
    coherence_close(e);
    free(e->memory.code_lines);
    free(e->memory.table_pages);
}

/* --- Windows --- */

/* Returns the window that contains `physical`, or NULL. */
const engine_window *physical_window(const engine *e, uint32_t physical)
{
    for (const engine_window *w = e->memory.windows; w < e->memory.windows + ENGINE_WINDOWS; w++)
        if (physical - w->first < w->bytes)
            return w;
    return NULL;
}

/* Reads bytes of one page outside of RAM, by the callback of its device. A timed window gets the whole access,
 * others single bytes. */
void physical_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size)
{
    assert((physical & ENGINE_PAGE_MASK) + size <= ENGINE_PAGE_BYTES);
    const engine_window *window = physical_window(e, physical);
    if (window == NULL) { /* nothing drives the bus */
        memset(to, 0xff, size);
        return;
    }
    unsigned step = window->timed ? size : 1;
    for (unsigned i = 0; i < size; i += step) {
        uint64_t value = e->callbacks.memory_read(e->callbacks.context, physical + i, step);
        memcpy(to + i, &value, step);
    }
}

/* Writes bytes of one page outside of RAM, by the callback of its device, in the same steps. */
void physical_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size)
{
    const engine_window *window = physical_window(e, physical);
    if (window == NULL)
        return; /* lost on the open bus */
    unsigned step = window->timed ? size : 1;
    for (unsigned i = 0; i < size; i += step) {
        uint64_t value = 0;
        memcpy(&value, from + i, step);
        e->callbacks.memory_write(e->callbacks.context, physical + i, step, value);
    }
}

/* Sets a window, and drops the translations that it changes. */
void engine_set_window(engine *e, unsigned number, const engine_window *window)
{
    assert(number < ENGINE_WINDOWS);
    assert(window->first % ENGINE_PAGE_BYTES == 0 && window->bytes % ENGINE_PAGE_BYTES == 0);
    engine_window *w = &e->memory.windows[number];
    bool same = w->first == window->first && w->bytes == window->bytes;
    if (same && w->host == window->host && w->timed == window->timed)
        return;
    *w = *window;
    if (same) /* no code is translated there */
        mmu_flush(e);
    else
        engine_flush_translations(e);
}

/* --- engine.h --- */

/* Must be called after a device has written these bytes of RAM through engine_ram. */
void engine_ram_written(engine *e, uint32_t physical, uint32_t size)
{
    engine_flush_code(e, physical, size);
    coherence_written(e, physical, size);
}

/* Returns where `size` bytes of RAM lie in host memory; NULL if they are not all RAM. */
uint8_t *engine_ram(engine *e, uint32_t physical, uint32_t size)
{
    return physical < e->memory.ram_bytes && size <= e->memory.ram_bytes - physical ? e->memory.ram + physical
                                                                                    : NULL;
}

/* Returns whether the host can access `physical`: RAM, or a window that is not timed. */
bool engine_answers(const engine *e, uint32_t physical)
{
    const engine_window *window = physical_window(e, physical);
    return window != NULL ? !window->timed : physical < e->memory.ram_bytes;
}

/* Reads bytes of one page for the host. `there` is their place in host memory, or on the open bus (mmu_peek).
 * Timed windows read as the open bus or as the RAM below them. */
static void read_part(engine *e, uint32_t physical, const uint8_t *there, uint8_t *to, size_t size)
{
    const engine_window *window = physical_window(e, physical);
    if (window != NULL && window->host == NULL && !window->timed)
        physical_read_device(e, physical, to, (unsigned)size);
    else
        memcpy(to, there, size);
}

/* Writes bytes of one page for the host. `there` is as above. A timed window ignores the write. */
static void write_part(engine *e, uint32_t physical, uint8_t *there, const uint8_t *from, size_t size)
{
    const engine_window *window = physical_window(e, physical);
    if (window != NULL && window->timed)
        return;
    if (window != NULL && window->host == NULL) {
        physical_write_device(e, physical, from, (unsigned)size);
    } else if (window != NULL) {
        memcpy(there, from, size);
    } else if (engine_ram(e, physical, (uint32_t)size) != NULL) { /* else lost on the open bus */
        engine_flush_code(e, physical, (uint32_t)size);
        memcpy(there, from, size);
        coherence_written(e, physical, (uint32_t)size);
    }
}

/* Moves `size` bytes between the page of `physical` and `bytes`: writes them to the page if `write`, otherwise reads
 * them. `there` is as above. */
static void move_part(engine *e, uint32_t physical, uint8_t *there, uint8_t *bytes, bool write, size_t size)
{
    if (write)
        write_part(e, physical, there, bytes, size);
    else
        read_part(e, physical, there, bytes, size);
}

/* Returns how many of `left` bytes from `address` on lie in its page. */
static size_t in_page(uint32_t address, size_t left)
{
    const size_t part = ENGINE_PAGE_BYTES - (address & ENGINE_PAGE_MASK);
    return part < left ? part : left;
}

/* Does what move_part does for all pages of a range of linear addresses. Returns false at a page that is not present. */
static bool move_linear(engine *e, uint32_t linear, uint8_t *bytes, bool write, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        uint32_t at = linear + (uint32_t)done, physical;
        part = in_page(at, size - done);
        uint8_t *there = mmu_peek(e, at, &physical);
        if (!there)
            return false;
        move_part(e, physical, there, bytes + done, write, part);
    }
    return true;
}

/* Does so for a range of physical addresses. */
static void move_physical(engine *e, uint32_t physical, uint8_t *bytes, bool write, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        const uint32_t at = physical + (uint32_t)done;
        part = in_page(at, size - done);
        move_part(e, at, mmu_place(e, at), bytes + done, write, part);
    }
}

bool engine_read_linear(engine *e, uint32_t linear, void *data, size_t size)
{
    return move_linear(e, linear, data, false, size);
}

bool engine_write_linear(engine *e, uint32_t linear, const void *data, size_t size)
{
    return move_linear(e, linear, (uint8_t *)data, true, size);
}

bool engine_copy_physical(engine *e, uint32_t to, uint32_t from, uint32_t size)
{
    uint8_t *copy = malloc(size);
    if (size != 0 && copy == NULL)
        return false;
    move_physical(e, from, copy, false, size);
    move_physical(e, to, copy, true, size);
    free(copy);
    return true;
}
