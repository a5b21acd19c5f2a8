/* The state of translation: descriptions of blocks (engine_block), and the block that is being translated. */
#ifndef ENGINE_STREAM_STATE_H
#define ENGINE_STREAM_STATE_H

#include "engine/block.h"
#include "engine/unicorn/unicorn_state.h"

enum { CHANGING_PLACES = 1024 }; /* size of two hash tables by linear address: plan_changing_place */

/* The block that is being translated. */
typedef struct stream_translated {
    block_kind kind;
    bool real;        /* real or V86 mode */
    bool mmx_pending; /* its MMX instruction enters MMX mode after its reference */
    unsigned count;   /* instructions that have been decoded into `insns`; may be more than the block gets */
    isa_insn insns[BLOCK_INSNS];
    uint32_t linear;           /* its address */
    const uint8_t *bytes;      /* the guest's bytes from there on; NULL if its page is not present */
    unsigned references;       /* number of loads and stores that emit.c has generated for it */
    uc_op *start;              /* the operation that calls at its start */
    uc_op *start_arguments[3]; /* the operations that set the constants among its arguments */
    /* Its new description while Unicorn translates; NULL: none, or an existing one. */
    engine_block *unfinished;
} stream_translated;

typedef struct stream_state {
    uc_hook_head *block_hook; /* Unicorn's hook that translated blocks call when they start */
    stream_translated translated;
    engine_block *blocks;   /* list of all descriptions, by engine_block.next */
    unsigned block_units;   /* host memory of all descriptions, in the units of index.c */
    bool translations_full; /* most of the space for translated code is used */
    /* Linear addresses at which blocks begin, ascending; the caller's: engine_set_cuts. */
    const uint32_t *cuts;
    size_t cut_count;
    engine_block **block_index; /* hash table of the blocks, to be used again after a flush (index.c) */
    unsigned index_size;        /* its number of slots, a power of two */
    engine_block *changing[CHANGING_PLACES]; /* the block last described at an address, by its hash */
    uint32_t changed_at[CHANGING_PLACES];    /* addresses at which blocks begin, because code that changes
                                                begins or ends there; by their hash */
    engine_block *emergency; /* stands for a block for which memory has run out; ends the run */
    uint64_t later_count;    /* executed instructions of later processors: engine_permissive_count */
    /* The fault being raised is #UD of LOCK CMPXCHG8B of a register, by which the processor hangs. */
    bool locked_up;
} stream_state;

#endif
