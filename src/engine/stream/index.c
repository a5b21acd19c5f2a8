/* The index that finds the description (engine_block) of a block of code again, and the memory of all descriptions. A
 * description is kept when Unicorn drops its translations, and serves the next translation of the same code. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "engine/memory/code.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"

/* Host memory of the descriptions, including the core's, is measured in units: one for each instruction of a
 * block, and BLOCK_ITSELF for the block. MOST_UNITS for all of them correspond to about 256 MB. */
enum { BLOCK_ITSELF = 4, MOST_UNITS = 1 << 20 };
/* The hash table begins with INDEX_FIRST slots. It is doubled when there are more than INDEX_UNITS units for each
 * slot, the size of a block with four instructions. */
enum { INDEX_FIRST = 1u << 10, INDEX_UNITS = 8 };

/* Hashes the address, the mode and the block's first bytes. The bytes distinguish blocks at an address whose code
 * changes often, which would otherwise form one long chain. */
unsigned index_hash(const uc_translated *tb, const block_plan *plan, uint32_t physical,
                    const code_bytes *code)
{
    uint64_t first = 0;
    memcpy(&first, code->bytes, plan->size < sizeof first ? plan->size : sizeof first);
    uint64_t h = (physical ^ (tb->pc << 7) ^ tb->flags) * 0x9e3779b97f4a7c15u ^ first * 0xff51afd7ed558ccdu;
    return (unsigned)(h >> 40);
}

/* Returns the description of the same instructions with the same bytes at the same place in the same mode, or
 * NULL. */
engine_block *index_find(const engine *e, const uc_translated *tb, const block_plan *plan, uint32_t physical,
                         const code_bytes *code, unsigned hash)
{
    for (engine_block *b = e->stream.block_index[hash % e->stream.index_size]; b; b = b->next_in_index) {
        if (b->hash == hash && b->linear == (uint32_t)tb->pc && b->physical == physical &&
            b->flags == tb->flags && b->planned == plan->count && b->size <= code->size &&
            memcmp(b->code->bytes, code->bytes, b->size) == 0)
            return b;
    }
    return NULL;
}

/* Inserts a block, whose hash is set, into the hash table. */
static void insert(engine *e, engine_block *b)
{
    engine_block **place = &e->stream.block_index[b->hash % e->stream.index_size];
    b->next_in_index = *place;
    *place = b;
}

/* Doubles the index. It stays unchanged if memory runs out. */
static void grow(engine *e)
{
    unsigned old_size = e->stream.index_size;
    engine_block **old = e->stream.block_index,
                 **larger = calloc(2 * (size_t)old_size, sizeof(engine_block *));
    if (!larger)
        return;
    e->stream.block_index = larger;
    e->stream.index_size = 2 * old_size;
    for (unsigned i = 0; i < old_size; i++)
        for (engine_block *b = old[i], *next; b; b = next) {
            next = b->next_in_index;
            insert(e, b);
        }
    free(old);
}

/* Adds a complete description to the hash table. */
void index_add(engine *e, engine_block *b, unsigned hash)
{
    assert(b->block != NULL && b->code != NULL);
    if (e->stream.block_units > INDEX_UNITS * e->stream.index_size)
        grow(e);
    b->hash = hash;
    insert(e, b);
}

/* Adds the block to the list of all descriptions, which owns it, and counts its units. */
void index_own(engine *e, engine_block *b)
{
    b->next = e->stream.blocks;
    e->stream.blocks = b;
    e->stream.block_units += b->count + BLOCK_ITSELF;
    if (e->stream.block_units > MOST_UNITS)
        b->slow = true; /* so that block_make_room is called when it starts */
}

/* Frees a block that is not in the list, or NULL. The owner must have processed everything first, because a
 * stretch that was reported may refer to the block. */
void index_discard(engine *e, engine_block *b)
{
    if (b && b->block) {
        engine_catch_up(e);
        p5_block_release(e->options.core, b->block);
    }
    free(b);
}

/* Makes the empty index and the emergency block. Returns false if memory runs out; block_close frees what there
 * is. */
bool block_open(engine *e)
{
    e->stream.index_size = INDEX_FIRST;
    e->stream.block_index = calloc(e->stream.index_size, sizeof *e->stream.block_index);
    e->stream.emergency =
        host_line_calloc(sizeof *e->stream.emergency + sizeof e->stream.emergency->marks[0]);
    if (!e->stream.block_index || !e->stream.emergency)
        return false;
    e->stream.emergency->kind = BLOCK_FAILED;
    e->stream.emergency->slow = true;
    return true;
}

/* Frees all descriptions. The hash table must be emptied as well. */
static void discard_all(engine *e)
{
    while (e->stream.blocks) {
        engine_block *b = e->stream.blocks;
        e->stream.blocks = b->next;
        index_discard(e, b);
    }
    e->stream.block_units = 0;
}

/* Drops all descriptions and translations if there are too many, and returns true; the block that was about to
 * start is then gone, too. Code that changes all the time accumulates descriptions, because those of its older
 * versions remain. */
bool block_make_room(engine *e)
{
    if (e->stream.block_units <= MOST_UNITS && !e->stream.translations_full)
        return false;
    e->stream.translations_full = false;
    code_forget_found(e);
    UC_INTERNAL(tb_flush)(engine_cpu(e));
    /* Unicorn's entry for each block that ever existed. */
    g_hash_table_remove_all(e->stream.block_hook->places);
    memset(e->stream.block_index, 0, e->stream.index_size * sizeof *e->stream.block_index);
    memset(e->stream.changing, 0, sizeof e->stream.changing);
    discard_all(e);
    return true;
}

/* Frees everything. */
void block_close(engine *e)
{
    discard_all(e);
    index_discard(e, e->stream.translated.unfinished);
    index_discard(e, e->stream.emergency);
    free(e->stream.block_index);
}
