/* Extended memory as HIMEM.SYS gives it out: version 3.0 of the specification, without upper memory blocks.
 * Blocks lie above the 64 KB behind the first megabyte (the high memory area). */
#include <string.h>

#include "machine/dos/dos.h"

enum {
    POOL = 0x110000,
    NO_FUNCTION = 0x80,
    HIGH_MEMORY_TAKEN = 0x91,
    HIGH_MEMORY_FREE = 0x93,
    NO_MEMORY = 0xa0,
    NO_HANDLES = 0xa1,
    BAD_HANDLE = 0xa2,
    BAD_SOURCE = 0xa3,
    BAD_SOURCE_OFFSET = 0xa4,
    BAD_TARGET = 0xa5,
    BAD_TARGET_OFFSET = 0xa6,
    BAD_LENGTH = 0xa7,
    NOT_LOCKED = 0xaa,
    LOCKED = 0xab,
    NO_UPPER_MEMORY = 0xb1
};

static void answer(dos *d, uint8_t error)
{
    bios_set_word(&d->bios, ENGINE_EAX, error == 0);
    bios_set_low(&d->bios, ENGINE_EBX, error);
}

static uint32_t pool_end(const dos *d)
{
    return d->machine->options.memory_bytes;
}

/* The first block that begins at or behind `from`. */
static const dos_block *next_block(const dos *d, uint32_t from)
{
    const dos_block *found = NULL;
    for (unsigned i = 0; i < DOS_XMS_HANDLES; i++) {
        const dos_block *b = &d->blocks[i];
        if (b->used && b->bytes != 0 && b->start >= from && (found == NULL || b->start < found->start))
            found = b;
    }
    return found;
}

/* The largest hole and all of them together; *at is the first hole of at least `bytes`, 0 if there is none.
 */
static uint32_t holes(const dos *d, uint32_t bytes, uint32_t *total, uint32_t *at)
{
    uint32_t largest = 0, from = POOL;
    *total = *at = 0;
    while (from < pool_end(d)) {
        const dos_block *next = next_block(d, from);
        uint32_t end = next != NULL ? next->start : pool_end(d), hole = end - from;
        largest = hole > largest ? hole : largest;
        *total += hole;
        if (*at == 0 && hole >= bytes)
            *at = from;
        from = next != NULL ? next->start + next->bytes : pool_end(d);
    }
    return largest;
}

static dos_block *block_of(dos *d, uint16_t handle)
{
    return handle != 0 && handle <= DOS_XMS_HANDLES && d->blocks[handle - 1].used ? &d->blocks[handle - 1]
                                                                                  : NULL;
}

static void allocate(dos *d, uint64_t kilobytes)
{
    uint32_t total, at;
    uint64_t bytes = kilobytes << 10;
    uint16_t handle = 0;
    while (handle < DOS_XMS_HANDLES && d->blocks[handle].used)
        handle++;
    if (handle == DOS_XMS_HANDLES) {
        answer(d, NO_HANDLES);
        return;
    }
    if (bytes > UINT32_MAX || (holes(d, (uint32_t)bytes, &total, &at), at == 0)) {
        answer(d, NO_MEMORY);
        return;
    }
    d->blocks[handle] = (dos_block){.used = true, .start = at, .bytes = (uint32_t)bytes};
    answer(d, 0);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(handle + 1));
}

static void resize(dos *d, uint64_t kilobytes)
{
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    uint32_t total, at;
    uint64_t bytes = kilobytes << 10;
    if (b == NULL || b->locks != 0) {
        answer(d, b == NULL ? BAD_HANDLE : LOCKED);
        return;
    }
    dos_block old = *b;
    b->used = false;
    bool fits = bytes <= UINT32_MAX && (holes(d, (uint32_t)bytes, &total, &at), at != 0);
    *b = old;
    if (!fits) {
        answer(d, NO_MEMORY);
        return;
    }
    uint32_t kept = old.bytes < bytes ? old.bytes : (uint32_t)bytes;
    const dos_block *next = next_block(d, old.start + 1);
    if (bytes <= old.bytes || old.start + bytes <= (next != NULL ? next->start : pool_end(d)))
        at = old.start; /* it stays where it is */
    if (kept != 0 && at != old.start) {
        memmove(engine_ram(d->engine, at, kept), engine_ram(d->engine, old.start, kept), kept);
        engine_flush_code(d->engine, at, kept);
        engine_ram_written(d->engine, at, kept);
    }
    *b = (dos_block){.used = true, .start = at, .bytes = (uint32_t)bytes};
    answer(d, 0);
}

/* A side of a move: memory by its physical address; handle 0 is conventional memory, the offset a far
 * pointer. */
static uint8_t *move_side(dos *d, uint16_t handle, uint32_t offset, uint32_t bytes, uint32_t *physical)
{
    if (handle == 0) {
        *physical = dos_linear((uint16_t)(offset >> 16), (uint16_t)offset);
        return bytes <= POOL && *physical <= POOL - bytes ? engine_ram(d->engine, *physical, bytes) : NULL;
    }
    const dos_block *b = block_of(d, handle);
    if (b == NULL || offset > b->bytes || bytes > b->bytes - offset)
        return NULL;
    *physical = b->start + offset;
    return engine_ram(d->engine, *physical, bytes);
}

/* AH = 0Bh: length, source handle and offset, target handle and offset at DS:SI. */
static void move(dos *d)
{
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_ESI), bytes = bios_load(&d->bios, at, 4), physical, target;
    uint16_t from = dos_load(d, at + 4), to = dos_load(d, at + 10);
    if ((bytes & 1) != 0) {
        answer(d, BAD_LENGTH);
        return;
    }
    if (bytes == 0) {
        answer(d, 0);
        return;
    }
    if (from != 0 && block_of(d, from) == NULL) {
        answer(d, BAD_SOURCE);
        return;
    }
    if (to != 0 && block_of(d, to) == NULL) {
        answer(d, BAD_TARGET);
        return;
    }
    const uint8_t *source = move_side(d, from, bios_load(&d->bios, at + 6, 4), bytes, &physical);
    uint8_t *place = move_side(d, to, bios_load(&d->bios, at + 12, 4), bytes, &target);
    if (source == NULL || place == NULL) {
        answer(d, source == NULL ? BAD_SOURCE_OFFSET : BAD_TARGET_OFFSET);
        return;
    }
    memmove(place, source, bytes);
    engine_flush_code(d->engine, target, bytes);
    engine_ram_written(d->engine, target, bytes);
    answer(d, 0);
}

static void lock(dos *d)
{
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    if (b == NULL || b->locks == 255) {
        answer(d, b == NULL ? BAD_HANDLE : 0xac);
        return;
    }
    b->locks++;
    bios_set_word(&d->bios, ENGINE_EAX, 1);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(b->start >> 16));
    bios_set_word(&d->bios, ENGINE_EBX, (uint16_t)b->start);
}

static void unlock_or_free(dos *d, bool release)
{
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    if (b == NULL)
        answer(d, BAD_HANDLE);
    else if (release ? b->locks != 0 : b->locks == 0)
        answer(d, release ? LOCKED : NOT_LOCKED);
    else {
        if (release)
            *b = (dos_block){0};
        else
            b->locks--;
        answer(d, 0);
    }
}

static void information(dos *d, bool wide)
{
    const dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    uint16_t unused = 0;
    if (b == NULL) {
        answer(d, BAD_HANDLE);
        return;
    }
    for (unsigned i = 0; i < DOS_XMS_HANDLES; i++)
        unused = (uint16_t)(unused + !d->blocks[i].used);
    bios_set_word(&d->bios, ENGINE_EAX, 1);
    bios_set_high(&d->bios, ENGINE_EBX, b->locks);
    if (wide) {
        bios_set_word(&d->bios, ENGINE_ECX, unused);
        engine_set(d->engine, ENGINE_EDX, b->bytes >> 10);
    } else {
        bios_set_low(&d->bios, ENGINE_EBX, (uint8_t)unused);
        bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(b->bytes >> 10 > 0xffff ? 0xffff : b->bytes >> 10));
    }
}

static void query(dos *d, bool wide)
{
    uint32_t total, at, largest = holes(d, 0, &total, &at) >> 10;
    total >>= 10;
    bios_set_low(&d->bios, ENGINE_EBX, total == 0 ? NO_MEMORY : 0);
    if (wide) {
        engine_set(d->engine, ENGINE_EAX, largest);
        engine_set(d->engine, ENGINE_EDX, total);
        engine_set(d->engine, ENGINE_ECX, pool_end(d) - 1);
        return;
    }
    bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)(largest > 0xffff ? 0xffff : largest));
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(total > 0xffff ? 0xffff : total));
}

static void high_memory(dos *d, bool take)
{
    if (d->high_memory_taken == take) {
        answer(d, take ? HIGH_MEMORY_TAKEN : HIGH_MEMORY_FREE);
        return;
    }
    d->high_memory_taken = take;
    answer(d, 0);
}

static void a20(dos *d, bool on)
{
    devices_set_a20(d->machine->devices, on);
    answer(d, 0);
}

void dos_xms(dos *d)
{
    switch (bios_high(&d->bios, ENGINE_EAX)) {
    case 0x00: /* version 3.00, driver 3.10, there is a high memory area */
        bios_set_word(&d->bios, ENGINE_EAX, 0x300);
        bios_set_word(&d->bios, ENGINE_EBX, 0x310);
        bios_set_word(&d->bios, ENGINE_EDX, 1);
        break;
    case 0x01:
        high_memory(d, true);
        break;
    case 0x02:
        high_memory(d, false);
        break;
    case 0x03:
    case 0x05:
        a20(d, true);
        break;
    case 0x04:
    case 0x06:
        a20(d, false);
        break;
    case 0x07:
        bios_set_word(&d->bios, ENGINE_EAX, d->machine->devices->a20);
        bios_set_low(&d->bios, ENGINE_EBX, 0);
        break;
    case 0x08:
        query(d, false);
        break;
    case 0x09:
        allocate(d, bios_word(&d->bios, ENGINE_EDX));
        break;
    case 0x0a:
        unlock_or_free(d, true);
        break;
    case 0x0b:
        move(d);
        break;
    case 0x0c:
        lock(d);
        break;
    case 0x0d:
        unlock_or_free(d, false);
        break;
    case 0x0e:
        information(d, false);
        break;
    case 0x0f:
        resize(d, bios_word(&d->bios, ENGINE_EBX));
        break;
    case 0x10:
        answer(d, NO_UPPER_MEMORY);
        bios_set_word(&d->bios, ENGINE_EDX, 0);
        break;
    case 0x88:
        query(d, true);
        break;
    case 0x89:
        allocate(d, bios_reg(&d->bios, ENGINE_EDX));
        break;
    case 0x8e:
        information(d, true);
        break;
    case 0x8f:
        resize(d, bios_reg(&d->bios, ENGINE_EBX));
        break;
    default:
        answer(d, NO_FUNCTION);
    }
}
