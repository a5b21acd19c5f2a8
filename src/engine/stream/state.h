/* The state of translation: descriptions of blocks, and the block that is being translated. */
#ifndef ENGINE_STREAM_STATE_H
#define ENGINE_STREAM_STATE_H

#include "engine/block.h"
#include "engine/unicorn/unicorn_state.h"

enum { CHANGING_PLACES = 1024 };

/* The block that is being translated. */
typedef struct stream_translated {
    block_kind kind;
    bool real;        /* real or V86 mode */
    bool mmx_pending; /* its MMX instruction enters MMX mode after its reference */
    unsigned count;   /* instructions that have been decoded */
    isa_insn insns[BLOCK_INSNS];
    uint32_t linear;                   /* its address */
    const uint8_t *bytes;              /* from there on */
    unsigned references;               /* that its code makes: emit.c */
    uc_op *start, *start_arguments[3]; /* the call at its start */
    engine_block *unfinished;          /* its description, until the translation is complete */
} stream_translated;

typedef struct stream_state {
    uc_hook_head *block_hook;
    stream_translated translated;
    engine_block *blocks;
    unsigned block_instructions; /* of all of them, as describe.c counts */
    bool translations_full;      /* most of the space for translated code is used */
    const uint32_t *cuts;        /* addresses at which blocks begin, ascending */
    size_t cut_count;
    engine_block **block_index; /* hash table of the blocks, to be used again after a flush (index.c) */
    unsigned index_size;        /* a power of two */
    engine_block *changing[CHANGING_PLACES]; /* the block last described at an address, by its hash */
    uint32_t changed_at[CHANGING_PLACES];    /* addresses at which blocks begin, because code that changes
                                                begins or ends there; by their hash */
    engine_block *emergency;                 /* is used when memory runs out */
    uint64_t later_count;                    /* engine_permissive_count */
    bool locked_up; /* the fault is #UD of LOCK CMPXCHG8B of a register, and the processor hangs */
} stream_state;

#endif
