/* What the files that translate blocks, start them and end them share. A description is an engine_block (block.h).
 * The `flags` of a block are the mode for which it is translated: Unicorn's hflags and some bits of EFLAGS. */
#ifndef ENGINE_STREAM_STREAM_INTERNAL_H
#define ENGINE_STREAM_STREAM_INTERNAL_H

#include "engine/stream/stream.h"

enum { MAX_INSN_BYTES = 15 };

/* Returns the row of an instruction in the table of instructions. */
static inline const isa_form *block_form(const isa_insn *insn)
{
    return &isa_forms[insn->form];
}

/* --- plan.c --- */

/* What decoding has found out about the block to be translated. `kind`, `needs`, `alias` and `locked_neg` are
 * those of its last instruction. */
typedef struct block_plan {
    unsigned count; /* instructions, at least 1 */
    block_kind kind;
    block_needs needs;
    bool alias;      /* TEST as F6 /1 or F7 /1, which Unicorn does not know */
    bool locked_neg; /* LOCK NEG, which Unicorn translates to a loop that reads twice */
    uint32_t flags;  /* of the translated block */
    unsigned stores; /* number of instructions that store */
    unsigned size;   /* decoded bytes; 0 if its only instruction continues on a page that is not present */
} block_plan;

/* The bytes of code from the beginning of a block on, not only its own: in guest memory, or joined in a buffer if
 * its only instruction crosses a page end. */
typedef struct code_bytes {
    const uint8_t *bytes; /* NULL if the page is not present */
    size_t size;          /* up to the end of the page; joined: what may belong to the instruction */
    uint8_t joined[2 * MAX_INSN_BYTES];
} code_bytes;

/* Finds the bytes from `linear` to the end of the page, as they are fetched, and the physical address. No bytes:
 * the page is not present. */
void code_bytes_find(engine *e, uint32_t linear, uint32_t *physical, code_bytes *code);
/* Decides where the block at `linear` ends, after at most `max` instructions. A block lies in one page, unless its
 * only instruction crosses a page end; then `code` is changed to joined bytes. So a fetch fault always belongs to
 * a block's first instruction. Decodes only what stream_translated.insns does not contain yet; the caller sets its
 * count to 0 for a new block. */
block_plan plan_block(engine *e, uint32_t linear, uint32_t flags, unsigned max, code_bytes *code);
/* Returns true if there is an INVD between `linear` and the end of its page. */
bool plan_comes_to_invd(engine *e, uint32_t linear, bool code32, const code_bytes *code);
/* Returns which part of an instruction the engine does itself; ISA_E_NONE: Unicorn does all. */
isa_engine plan_engine_part(const isa_insn *insn);
/* Makes a block begin at `linear`, because code that changes begins or ends there. */
void plan_cut_at(engine *e, uint32_t linear);
/* Returns the place for `linear` in stream_state.changing and changed_at. */
static inline unsigned plan_changing_place(uint32_t linear)
{
    return linear * 0x9e3779b1u >> 22;
}
_Static_assert(CHANGING_PLACES == 1u << (32 - 22), "as many places as the hash has values");

/* --- kind.c --- */

/* Does what is to happen before a block of a kind runs. May not return: a fault, or the instruction is complete. */
typedef void block_begin(engine *e, engine_block *b);
/* Writes the bytes that Unicorn translates instead of the block's to `to`, which holds two instructions of the
 * largest size, and returns how many. `insn` is the block's only instruction, `code` the bytes of the guest. */
typedef unsigned block_substitute(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                                  const code_bytes *code);
/* What the engine does with the blocks of a kind. */
typedef struct block_rule {
    block_begin *begin; /* NULL: nothing */
    /* `begin` is called after everything before the block was reported, with the state's EIP current. */
    bool exact;
    bool batches;                 /* it may go into a batch */
    bool undescribed;             /* it never executes, so the core has no description of it */
    block_end ends;               /* what is done when it has completed */
    block_substitute *substitute; /* NULL: Unicorn translates the block's own bytes */
} block_rule;
extern const block_rule block_rules[BLOCK_KINDS];

/* Does what the kind of `b` needs before it runs. May not return. */
static inline void block_prepare(engine *e, engine_block *b)
{
    if (block_rules[b->kind].begin != NULL)
        block_rules[b->kind].begin(e, b);
}
/* Makes Unicorn translate other bytes than those in memory for the block at `linear`, if it needs that. */
void block_substitute_bytes(engine *e, const block_plan *plan, uint32_t linear, const code_bytes *code);

/* Returns true if nothing but recording the block has to be done at its start and end. */
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
/* Makes the block one of the engine's, which owns it and frees it. */
void index_own(engine *e, engine_block *b);
/* Frees a block that is not one of the engine's (index_own), or NULL. */
void index_discard(engine *e, engine_block *b);
/* Drops all blocks and translations if there are too many. Returns true if it did; the block that was about to
 * start is then gone, too. */
bool block_make_room(engine *e);

/* --- emit.c --- */

/* Completes the call at the start of the block that was just translated, when its description `b` is complete. */
void emit_start_as(engine *e, const engine_block *b);
/* Serves blocks that are not ordinary, instead of stream_block. */
stream_start stream_block_special;
/* Serves all blocks while guard.c has something to check. */
stream_start stream_block_checked;

/* --- stream.c --- */

/* Calls the owner's attention() at a boundary if that was requested, and does what it requests. The state's EIP
 * must be current. May not return. */
void stream_attention_if_wanted(engine *e);

/* --- repeat.c --- */

/* Executes the iterations of the REP string `b` that need nothing but memory in the page cache, except its last
 * one. What is recorded afterwards belongs to the next iteration. */
void repeat_ahead(engine *e, const engine_block *b);

#endif
