/* Extended memory as HIMEM.SYS provides it: XMS version 3.0, without upper memory blocks. Blocks are above the
 * high memory area, the first 64 KB after 1 MB. A program calls the driver with the function in AH. Functions 88h-8Fh are
 * those of 08h-0Fh with 32-bit registers (`wide`); sizes are in KB. */
#include "machine/dos/dos_internal.h"

enum {
    POOL = 0x110000, /* physical address of the first block: 1 MB + 64 KB */
    /* errors in BL */
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
    LOCKS_OVERFLOW = 0xac,
    NO_UPPER_MEMORY = 0xb1
};

/* Result of a function that has set the registers itself. Any other result is the error for BL, or 0. */
enum { ANSWERED = -1 };

static uint32_t pool_end(const dos *d)
{
    return d->machine->options.memory_bytes;
}

/* Returns the lowest block that begins at or after `from`, or NULL. */
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

/* The free holes between the blocks, in bytes. */
typedef struct xms_holes {
    uint32_t largest, total;
} xms_holes;

/* Returns the address of the lowest free hole of at least `bytes`; 0 if there is none. Sets *all. */
static uint32_t find_hole(const dos *d, uint64_t bytes, xms_holes *all)
{
    uint32_t found = 0, from = POOL;
    *all = (xms_holes){0};
    while (from < pool_end(d)) {
        const dos_block *next = next_block(d, from);
        uint32_t end = next != NULL ? next->start : pool_end(d), hole = end - from;
        all->largest = hole > all->largest ? hole : all->largest;
        all->total += hole;
        if (found == 0 && hole >= bytes)
            found = from;
        from = next != NULL ? next->start + next->bytes : pool_end(d);
    }
    return found;
}

/* Returns the block of a handle, which is its index + 1; NULL if the handle is not valid. */
static dos_block *block_of(dos *d, uint16_t handle)
{
    return handle != 0 && handle <= DOS_XMS_HANDLES && d->blocks[handle - 1].used ? &d->blocks[handle - 1]
                                                                                  : NULL;
}

/* Returns a register, or its low word. */
static uint32_t operand(const dos *d, engine_register which, bool wide)
{
    return wide ? bios_reg(&d->bios, which) : bios_word(&d->bios, which);
}

/* AH = 09h, 89h: Allocates DX or EDX KB; returns a handle in DX. */
static int allocate(dos *d, bool wide)
{
    xms_holes all;
    uint64_t bytes = (uint64_t)operand(d, ENGINE_EDX, wide) << 10;
    uint16_t handle = 0;
    while (handle < DOS_XMS_HANDLES && d->blocks[handle].used)
        handle++;
    if (handle == DOS_XMS_HANDLES)
        return NO_HANDLES;
    uint32_t at = find_hole(d, bytes, &all);
    if (at == 0)
        return NO_MEMORY;
    d->blocks[handle] = (dos_block){.used = true, .start = at, .bytes = (uint32_t)bytes};
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(handle + 1));
    return 0;
}

/* AH = 0Fh, 8Fh: Sets the size of block DX to BX or EBX KB, in place or by a move. */
static int resize(dos *d, bool wide)
{
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    xms_holes all;
    uint64_t bytes = (uint64_t)operand(d, ENGINE_EBX, wide) << 10;
    if (b == NULL || b->locks != 0)
        return b == NULL ? BAD_HANDLE : LOCKED;
    dos_block old = *b;
    b->used = false; /* so that its own place counts as free */
    uint32_t at = find_hole(d, bytes, &all);
    *b = old;
    if (at == 0)
        return NO_MEMORY;
    uint32_t kept = old.bytes < bytes ? old.bytes : (uint32_t)bytes;
    const dos_block *next = next_block(d, old.start + 1);
    if (bytes <= old.bytes || old.start + bytes <= (next != NULL ? next->start : pool_end(d)))
        at = old.start; /* it stays where it is */
    if (at != old.start && !engine_copy_physical(d->engine, at, old.start, kept))
        return NO_MEMORY;
    *b = (dos_block){.used = true, .start = at, .bytes = (uint32_t)bytes};
    return 0;
}

/* Determines the physical address of one side of a move. Returns false if it is out of range. With handle 0, the offset is
 * a far pointer to conventional memory. */
static bool move_side(dos *d, uint16_t handle, uint32_t offset, uint32_t bytes, uint32_t *physical)
{
    if (handle == 0) {
        *physical = dos_linear((uint16_t)(offset >> 16), (uint16_t)offset);
        return bytes <= POOL && *physical <= POOL - bytes;
    }
    const dos_block *b = block_of(d, handle);
    if (b == NULL || offset > b->bytes || bytes > b->bytes - offset)
        return false;
    *physical = b->start + offset;
    return true;
}

/* AH = 0Bh: Copies memory, also to and from the display. DS:SI points to length, source handle and offset, target handle
 * and offset. */
static int move(dos *d, bool wide)
{
    (void)wide;
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_ESI), bytes = bios_load(&d->bios, at, 4), source, target;
    uint16_t from = dos_load(d, at + 4), to = dos_load(d, at + 10);
    if ((bytes & 1) != 0)
        return BAD_LENGTH;
    if (bytes == 0)
        return 0;
    if (from != 0 && block_of(d, from) == NULL)
        return BAD_SOURCE;
    if (to != 0 && block_of(d, to) == NULL)
        return BAD_TARGET;
    if (!move_side(d, from, bios_load(&d->bios, at + 6, 4), bytes, &source))
        return BAD_SOURCE_OFFSET;
    if (!move_side(d, to, bios_load(&d->bios, at + 12, 4), bytes, &target))
        return BAD_TARGET_OFFSET;
    return engine_copy_physical(d->engine, target, source, bytes) ? 0 : NO_MEMORY;
}

/* AH = 0Ch: Locks block DX and returns its physical address in DX:BX. */
static int lock(dos *d, bool wide)
{
    (void)wide;
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    if (b == NULL || b->locks == 255)
        return b == NULL ? BAD_HANDLE : LOCKS_OVERFLOW;
    b->locks++;
    bios_set_word(&d->bios, ENGINE_EAX, 1);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(b->start >> 16));
    bios_set_word(&d->bios, ENGINE_EBX, (uint16_t)b->start);
    return ANSWERED;
}

/* AH = 0Dh: Unlocks block DX, which must be locked. AH = 0Ah (`release`): Frees block DX, which must not be locked. */
static int unlock_or_free(dos *d, bool release)
{
    dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    if (b == NULL)
        return BAD_HANDLE;
    if (release != (b->locks == 0))
        return release ? LOCKED : NOT_LOCKED;
    if (release)
        *b = (dos_block){0};
    else
        b->locks--;
    return 0;
}

/* AH = 0Eh, 8Eh: Returns the locks of block DX in BH; the number of free handles in BL or CX; the size in KB in DX or
 * EDX. */
static int information(dos *d, bool wide)
{
    const dos_block *b = block_of(d, bios_word(&d->bios, ENGINE_EDX));
    uint16_t unused = 0;
    if (b == NULL)
        return BAD_HANDLE;
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
    return ANSWERED;
}

/* AH = 08h, 88h: Returns the size of the largest free hole in AX or EAX and that of all holes in DX or EDX, in KB. 88h also
 * returns the highest address in ECX. */
static int query(dos *d, bool wide)
{
    xms_holes all;
    find_hole(d, 0, &all);
    uint32_t largest = all.largest >> 10, total = all.total >> 10;
    bios_set_low(&d->bios, ENGINE_EBX, total == 0 ? NO_MEMORY : 0);
    if (wide) {
        engine_set(d->engine, ENGINE_EAX, largest);
        engine_set(d->engine, ENGINE_EDX, total);
        engine_set(d->engine, ENGINE_ECX, pool_end(d) - 1);
        return ANSWERED;
    }
    bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)(largest > 0xffff ? 0xffff : largest));
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(total > 0xffff ? 0xffff : total));
    return ANSWERED;
}

/* AH = 01h, 02h: Requests or releases the high memory area. */
static int high_memory(dos *d, bool take)
{
    if (d->high_memory_taken == take)
        return take ? HIGH_MEMORY_TAKEN : HIGH_MEMORY_FREE;
    d->high_memory_taken = take;
    return 0;
}

/* AH = 03h-06h: Opens or closes the gate of address line 20. */
static int a20(dos *d, bool on)
{
    devices_set_a20(d->machine->devices, on);
    return 0;
}

/* AH = 07h: Returns whether the gate is open. */
static int a20_query(dos *d, bool wide)
{
    (void)wide;
    bios_set_word(&d->bios, ENGINE_EAX, devices_a20(d->machine->devices));
    bios_set_low(&d->bios, ENGINE_EBX, 0);
    return ANSWERED;
}

/* AH = 00h: Reports XMS version 3.00, driver 3.10, and a high memory area. */
static int version(dos *d, bool wide)
{
    (void)wide;
    bios_set_word(&d->bios, ENGINE_EAX, 0x300);
    bios_set_word(&d->bios, ENGINE_EBX, 0x310);
    bios_set_word(&d->bios, ENGINE_EDX, 1);
    return ANSWERED;
}

/* AH = 10h: Finds no upper memory blocks. */
static int upper_memory(dos *d, bool wide)
{
    (void)wide;
    bios_set_word(&d->bios, ENGINE_EDX, 0);
    return NO_UPPER_MEMORY;
}

/* Serves the driver's entry point. Returns AX = 1, or AX = 0 and the error in BL. */
void dos_xms(dos *d)
{
    static const struct {
        int (*call)(dos *d, bool which);
        bool which; /* the second argument, whose meaning depends on the function */
    } functions[256] = {
        [0x00] = {version, false},       [0x01] = {high_memory, true},
        [0x02] = {high_memory, false},   [0x03] = {a20, true},
        [0x04] = {a20, false},           [0x05] = {a20, true},
        [0x06] = {a20, false},           [0x07] = {a20_query, false},
        [0x08] = {query, false},         [0x09] = {allocate, false},
        [0x0a] = {unlock_or_free, true}, [0x0b] = {move, false},
        [0x0c] = {lock, false},          [0x0d] = {unlock_or_free, false},
        [0x0e] = {information, false},   [0x0f] = {resize, false},
        [0x10] = {upper_memory, false},  [0x88] = {query, true},
        [0x89] = {allocate, true},       [0x8e] = {information, true},
        [0x8f] = {resize, true},
    };
    unsigned number = bios_high(&d->bios, ENGINE_EAX);
    int wrong =
        functions[number].call != NULL ? functions[number].call(d, functions[number].which) : NO_FUNCTION;
    if (wrong == ANSWERED)
        return;
    bios_set_word(&d->bios, ENGINE_EAX, wrong == 0);
    bios_set_low(&d->bios, ENGINE_EBX, (uint8_t)wrong);
}
