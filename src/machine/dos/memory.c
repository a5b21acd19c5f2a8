/* Memory control blocks: each memory block has a paragraph before it with its size and owner. The blocks form
 * a chain that programs may walk. Sizes are in paragraphs of 16 bytes. An owner is the segment of a program's prefix. */
#include <string.h>

#include "machine/dos/dos_internal.h"

enum {
    MEMORY_END = 0xa000, /* segment */
    MORE = 'M',          /* kinds of control blocks: others follow, or it is the last one */
    LAST = 'Z',
    FREE = 0 /* owner of a free block */
};

/* A control block and its place. */
typedef struct control {
    uint16_t segment;    /* of the control block; the memory block begins one paragraph later */
    uint8_t kind;        /* MORE or LAST */
    uint16_t owner;      /* FREE: none */
    uint16_t paragraphs; /* size of the memory block */
} control;

/* Reads a control block. Returns false if it is not valid: the program has destroyed the chain. */
static bool control_load(const dos *d, uint16_t segment, control *c)
{
    uint32_t at = dos_linear(segment, 0);
    *c = (control){segment, (uint8_t)bios_load(&d->bios, at, 1), dos_load(d, at + 1), dos_load(d, at + 3)};
    return (c->kind == MORE || c->kind == LAST) && segment + 1u + c->paragraphs <= MEMORY_END;
}

/* Writes a control block. Leaves the rest of the 16 bytes, with the owner's name, unchanged. */
static void control_store(dos *d, const control *c)
{
    uint8_t bytes[5] = {c->kind};
    memcpy(bytes + 1, &c->owner, 2);
    memcpy(bytes + 3, &c->paragraphs, 2);
    engine_write_linear(d->engine, dos_linear(c->segment, 0), bytes, sizeof bytes);
}

/* Returns the segment of the next control block. */
static uint16_t control_next(const control *c)
{
    return (uint16_t)(c->segment + 1 + c->paragraphs);
}

void dos_memory_open(dos *d, uint16_t first)
{
    d->first_block = first;
    control_store(d, &(control){first, LAST, FREE, (uint16_t)(MEMORY_END - first - 1)});
}

/* Joins adjacent free blocks, as DOS does when it allocates, but not when it frees. */
static dos_error join_free(dos *d)
{
    control c, next;
    for (uint16_t at = d->first_block;; at = control_next(&c)) {
        if (!control_load(d, at, &c))
            return DOS_BLOCKS_DESTROYED;
        while (c.kind == MORE && c.owner == FREE) {
            if (!control_load(d, control_next(&c), &next))
                return DOS_BLOCKS_DESTROYED;
            if (next.owner != FREE)
                break;
            c.kind = next.kind;
            c.paragraphs = (uint16_t)(c.paragraphs + 1 + next.paragraphs);
            control_store(d, &c);
        }
        if (c.kind == LAST)
            return DOS_OK;
    }
}

/* Splits a block: returns the piece with `paragraphs` from its end or its beginning. The other piece becomes a free
 * block. */
static control split(dos *d, control c, uint16_t paragraphs, bool from_end)
{
    if (c.paragraphs == paragraphs)
        return c;
    control rest = c;
    if (from_end) {
        rest.paragraphs = (uint16_t)(c.paragraphs - paragraphs - 1);
        rest.kind = MORE;
        rest.owner = FREE;
        c.segment = control_next(&rest);
        c.paragraphs = paragraphs;
    } else {
        c.paragraphs = paragraphs;
        rest.segment = control_next(&c);
        rest.paragraphs = (uint16_t)(rest.paragraphs - paragraphs - 1);
        rest.owner = FREE;
        c.kind = MORE;
    }
    control_store(d, &rest);
    control_store(d, &c);
    return c;
}

/* Allocates *paragraphs for `owner` by the strategy, in the first block that is large enough, the smallest, or the end of
 * the last. Sets *segment; on DOS_NO_MEMORY, sets *paragraphs to the size of the largest free block. */
dos_error dos_allocate(dos *d, uint16_t owner, uint16_t *paragraphs, uint16_t *segment)
{
    enum { FIRST_FIT, BEST_FIT, LAST_FIT };
    control c, found = {0};
    uint16_t largest = 0;
    unsigned strategy = d->strategy & 3;
    dos_error wrong = join_free(d);
    if (wrong != DOS_OK)
        return wrong;
    for (uint16_t at = d->first_block;; at = control_next(&c)) {
        control_load(d, at, &c);
        largest = c.owner == FREE && c.paragraphs > largest ? c.paragraphs : largest;
        bool fits = c.owner == FREE && c.paragraphs >= *paragraphs;
        if (fits && (found.segment == 0 || strategy >= LAST_FIT ||
                     (strategy == BEST_FIT && c.paragraphs < found.paragraphs)))
            found = c;
        if (c.kind == LAST)
            break;
    }
    if (found.segment == 0) {
        *paragraphs = largest;
        return DOS_NO_MEMORY;
    }
    found = split(d, found, *paragraphs, strategy >= LAST_FIT);
    found.owner = owner;
    control_store(d, &found);
    *segment = (uint16_t)(found.segment + 1);
    return DOS_OK;
}

/* Finds the control block of the memory block at `segment` in the chain. */
static dos_error control_of(const dos *d, uint16_t segment, control *c)
{
    for (uint16_t at = d->first_block;; at = control_next(c)) {
        if (!control_load(d, at, c))
            return DOS_BLOCKS_DESTROYED;
        if (at + 1 == segment)
            return DOS_OK;
        if (c->kind == LAST)
            return DOS_NO_BLOCK;
    }
}

dos_error dos_free(dos *d, uint16_t segment)
{
    control c;
    dos_error wrong = control_of(d, segment, &c);
    if (wrong != DOS_OK)
        return wrong;
    c.owner = FREE;
    control_store(d, &c);
    return DOS_OK;
}

dos_error dos_resize(dos *d, uint16_t segment, uint16_t *paragraphs)
{
    control c, next;
    dos_error wrong = control_of(d, segment, &c);
    if (wrong == DOS_OK)
        wrong = join_free(d);
    if (wrong != DOS_OK)
        return wrong;
    bool joined = c.kind == MORE && control_load(d, control_next(&c), &next) && next.owner == FREE;
    if (joined) {
        c.kind = next.kind;
        c.paragraphs = (uint16_t)(c.paragraphs + 1 + next.paragraphs);
    }
    if (c.paragraphs < *paragraphs) {
        control_store(d, &c);
        *paragraphs = c.paragraphs;
        return DOS_NO_MEMORY;
    }
    uint16_t owner = c.owner;
    c = split(d, c, *paragraphs, false);
    c.owner = owner;
    control_store(d, &c);
    return DOS_OK;
}

/* Frees all blocks of a program that ends. Stops where the chain is destroyed. */
void dos_free_owned(dos *d, uint16_t owner)
{
    control c;
    for (uint16_t at = d->first_block; control_load(d, at, &c); at = control_next(&c)) {
        if (c.owner == owner) {
            c.owner = FREE;
            control_store(d, &c);
        }
        if (c.kind == LAST)
            return;
    }
}

void dos_name_block(dos *d, uint16_t segment, const char *name)
{
    char text[8] = {0};
    memcpy(text, name, strcspn(name, ".") < sizeof text ? strcspn(name, ".") : sizeof text);
    engine_write_linear(d->engine, dos_linear((uint16_t)(segment - 1), 8), text, sizeof text);
}

/* --- AH = 48h, 49h, 4Ah, 58h --- */

/* AH = 48h: Allocates BX paragraphs; returns the segment in AX, or the largest free size in BX. */
dos_error dos_call_allocate(dos *d)
{
    uint16_t paragraphs = bios_word(&d->bios, ENGINE_EBX), segment = 0;
    dos_error wrong = dos_allocate(d, d->psp, &paragraphs, &segment);
    if (wrong == DOS_OK)
        bios_set_word(&d->bios, ENGINE_EAX, segment);
    else
        bios_set_word(&d->bios, ENGINE_EBX, paragraphs);
    return wrong;
}

/* AH = 49h: Frees the block ES. */
dos_error dos_call_free(dos *d)
{
    return dos_free(d, (uint16_t)(bios_segment(&d->bios, ENGINE_ES) >> 4));
}

/* AH = 4Ah: Sets the size of block ES to BX paragraphs. */
dos_error dos_call_resize(dos *d)
{
    uint16_t paragraphs = bios_word(&d->bios, ENGINE_EBX);
    dos_error wrong = dos_resize(d, (uint16_t)(bios_segment(&d->bios, ENGINE_ES) >> 4), &paragraphs);
    if (wrong == DOS_NO_MEMORY)
        bios_set_word(&d->bios, ENGINE_EBX, paragraphs);
    return wrong;
}

/* AH = 58h: AL = 0 returns the allocation strategy, 1 sets it (0 to 2, and bits for upper memory,
 * which is not there), 2 returns the upper memory link, which is off. */
dos_error dos_call_strategy(dos *d)
{
    enum { LAST_FIT = 2, UPPER_MEMORY = 0xc0 };
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0:
        bios_set_word(&d->bios, ENGINE_EAX, d->strategy);
        return DOS_OK;
    case 1:
        if ((bios_word(&d->bios, ENGINE_EBX) & ~(unsigned)UPPER_MEMORY) > LAST_FIT)
            return DOS_NO_FUNCTION;
        d->strategy = bios_low(&d->bios, ENGINE_EBX);
        return DOS_OK;
    case 2:
        bios_set_low(&d->bios, ENGINE_EAX, 0);
        return DOS_OK;
    default:
        return DOS_NO_FUNCTION;
    }
}
