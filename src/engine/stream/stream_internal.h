/* What the files that translate blocks, start them and end them share. */
#ifndef ENGINE_STREAM_STREAM_INTERNAL_H
#define ENGINE_STREAM_STREAM_INTERNAL_H

#include "engine/stream/stream.h"

enum { MAX_INSN_BYTES = 15 };

static inline const isa_form *block_form(const isa_insn *insn)
{
    return &isa_forms[insn->form];
}

/* --- plan.c --- */

/* What decoding has found out about the block to be translated. */
typedef struct block_plan {
    unsigned count; /* instructions, at least 1 */
    block_kind kind;
    block_needs needs;
    bool alias;      /* TEST as F6 /1 or F7 /1, which Unicorn does not know */
    bool locked_neg; /* LOCK NEG, which Unicorn translates to a loop that reads twice */
    uint32_t flags;  /* of the translated block */
    unsigned stores; /* instructions that store */
    unsigned size;   /* decoded bytes */
} block_plan;

/* The bytes of a block: in place, or joined in a buffer if its only instruction crosses a page end. */
typedef struct code_bytes {
    const uint8_t *bytes;
    size_t size;
    uint8_t joined[2 * MAX_INSN_BYTES];
} code_bytes;

/* Finds the bytes at `linear` in the page, as they are fetched. No bytes: the page is not present. */
void code_bytes_find(engine *e, uint32_t linear, uint32_t *physical, code_bytes *code);
/* Decides where the block at `linear` ends. A block lies in one page, unless its only instruction crosses a
 * page end. So a fetch fault always belongs to a block's first instruction. */
block_plan plan_block(engine *e, uint32_t linear, uint32_t flags, unsigned max, code_bytes *code);
/* Returns true if there is an INVD between `linear` and the end of its page. */
bool plan_comes_to_invd(engine *e, uint32_t linear, bool code32, const code_bytes *code);
/* Returns which part of an instruction the engine does itself. */
isa_engine plan_engine_part(const isa_insn *insn);
/* Makes a block begin at `linear`, because code that changes begins or ends there. */
void plan_cut_at(engine *e, uint32_t linear);
/* Returns the place for `linear` in stream_state.changing and changed_at. */
static inline unsigned plan_changing_place(uint32_t linear)
{
    return linear * 0x9e3779b1u >> 22;
}
_Static_assert(CHANGING_PLACES == 1u << (32 - 22), "as many");

/* --- kind.c --- */

/* What happens before a block of a kind runs. May not return. */
typedef void block_begin(engine *e, engine_block *b);
/* Writes the bytes that Unicorn translates instead of the block's, and returns how many. */
typedef unsigned block_substitute(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                                  const code_bytes *code);
typedef struct block_rule {
    block_begin *begin; /* NULL: nothing */
    bool exact;         /* it begins at a boundary, without a running block, and with the state's EIP */
    bool batches;       /* it may go into a batch */
    bool undescribed;   /* it never executes, so the core has no description of it */
    block_end ends;
    block_substitute *substitute; /* NULL: Unicorn translates the block's own bytes */
} block_rule;
extern const block_rule block_rules[BLOCK_KINDS];

static inline void block_prepare(engine *e, engine_block *b)
{
    if (block_rules[b->kind].begin != NULL)
        block_rules[b->kind].begin(e, b);
}
/* Makes Unicorn translate other bytes than those in memory, if the block needs that. */
void block_substitute_bytes(engine *e, const block_plan *plan, uint32_t linear, const code_bytes *code);

/* Returns true if the block only has to be recorded at its start and end. */
static inline bool block_is_ordinary(const engine_block *b)
{
    return b->quick && !b->slow && b->kind == BLOCK_ORDINARY;
}

/* --- index.c --- */

/* Hashes the address, the mode and the first bytes, so that a place whose code changes often does not become
 * one long chain. */
unsigned index_hash(const uc_translated *tb, const block_plan *plan, uint32_t physical,
                    const code_bytes *code);
/* Returns a description that was made before for the same bytes at the same place, or NULL. Blocks are
 * translated again after a flush, and when other code in their page was overwritten; the core then keeps what
 * it has learned about them. */
engine_block *index_find(const engine *e, const uc_translated *tb, const block_plan *plan, uint32_t physical,
                         const code_bytes *code, unsigned hash);
/* Adds a description that index_find may find. */
void index_add(engine *e, engine_block *b, unsigned hash);
/* Makes the block one of the engine's, which owns it. */
void index_own(engine *e, engine_block *b);
/* Frees a block that is not the engine's. */
void index_discard(engine *e, engine_block *b);
/* Drops all blocks and translations if there are too many. Returns true if it did; the running block is then
 * gone, too. */
bool block_make_room(engine *e);

/* --- emit.c --- */

/* Completes the call at the start of the translated block, which is `b`. */
void emit_start_as(engine *e, const engine_block *b);
/* Serves blocks that are not ordinary, instead of stream_block. */
stream_start stream_block_special;
/* Serves all blocks while guard.c has something to check. */
stream_start stream_block_checked;

/* --- stream.c --- */

/* If there was a request, asks the owner what to do at a boundary. The state's EIP must be current. May not
 * return. */
void stream_attention_if_wanted(engine *e);

/* --- repeat.c --- */

/* Makes the iterations of the REP string `b` that need nothing else. Later records belong to the next
 * iteration. */
void repeat_ahead(engine *e, const engine_block *b);

#endif
