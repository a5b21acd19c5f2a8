/* The engine's description of a block of guest code: the instructions that Unicorn has translated together, the core's
 * description of them (p5_block, from which the model computes their clocks), and what the engine has to do where the
 * block begins and ends. stream/describe.c makes these.
 *
 * An executed block is reported to the engine's owner with a record for each data reference (p5_access) and each
 * operand value on which clocks depend (p5_value). Usually a batch of blocks is reported at once (engine_batch). */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include <stddef.h>

#include "base/host_line.h"
#include "engine/engine.h"
#include "isa/isa.h"

/* What the engine does with a block besides letting Unicorn execute it. stream/kind.c has a row for each kind. Kinds
 * are named after the instructions that need them. */
typedef enum block_kind {
    BLOCK_ORDINARY,
    BLOCK_SCAN, /* ends with BSF or BSR */
    /* A block of one of the following kinds is a single instruction, before which the engine has work to do. */
    BLOCK_COUNT, /* RCL or RCR by CL: CL decides the clocks */
    BLOCK_FLAGS, /* RCL, RCR or SETcc of memory: the flags, which Unicorn computes lazily, are computed first, because
                    the reference may fault */
    BLOCK_FRAME,      /* ENTER, PUSHA, POPA, some POPs: stack_frame.c executes them instead of Unicorn */
    BLOCK_REP,        /* REP string, entered once per iteration */
    BLOCK_PORT,       /* INS or OUTS */
    BLOCK_ARPL,       /* must be alone, but needs no work before it */
    BLOCK_SMSW,       /* to a 32-bit register, whose upper half Unicorn does not write */
    BLOCK_UNDEFINED,  /* the processor does not have the instruction: #UD */
    BLOCK_TOO_LONG,   /* more than 15 bytes: #GP(0) */
    BLOCK_CODE_WRITE, /* a store through CS: #GP(0) in protected mode */
    BLOCK_VIRTUAL, /* CLI, STI, PUSHF, POPF, IRET or INT n that CR4.VME or PVI may change: virtual_flag.c */
    BLOCK_INVD,
    BLOCK_WBINVD,
    BLOCK_ICEBP,
    BLOCK_MARK_BEGIN, /* markers of p5scope/guest.h */
    BLOCK_MARK_END,
    BLOCK_FAILED, /* could not be described; the engine stops */
    BLOCK_KINDS
} block_kind;

/* Where an instruction of a block begins, and how many records the instructions before it make. A block has one more
 * mark than instructions; the last one holds the totals. */
typedef struct block_mark {
    uint16_t offset;   /* bytes from the beginning of the block */
    uint16_t accesses; /* data references whose number the encoding determines */
    uint16_t values;   /* values of instructions whose clocks depend on a value */
} block_mark;

/* Privilege levels and mode of a block, in the layout of p5_retired, so that they can be copied in one step. */
typedef struct block_levels {
    uint8_t cpl, cpl_after /* = cpl */, mode, iopl;
} block_levels;
_Static_assert(offsetof(p5_retired, iopl) == offsetof(p5_retired, cpl) + offsetof(block_levels, iopl) &&
                   offsetof(p5_retired, mode) == offsetof(p5_retired, cpl) + offsetof(block_levels, mode),
               "copied together");

/* What is done when all instructions of a block have completed. To deliver means to report to the engine's owner. */
typedef enum block_end {
    BLOCK_ENDS_WHOLE, /* the block is delivered */
    BLOCK_ENDS_SCAN,  /* the operand of BSF or BSR is recorded, and the block is delivered */
    BLOCK_ENDS_REPEAT /* the block runs once per iteration of the REP string; the iterations are delivered together */
} block_end;

/* Properties of a block that only some kinds have. */
typedef struct block_needs {
    bool address16;         /* BLOCK_REP: the count is CX */
    uint8_t port_bytes;     /* size of an item of INS or OUTS, as BLOCK_PORT or BLOCK_REP; else 0 */
    bool waits;             /* BLOCK_CODE_WRITE: the instruction waits for pending x87 exceptions first */
    bool locks_up;          /* BLOCK_UNDEFINED: LOCK CMPXCHG8B of a register (erratum 81) */
    bool wide;              /* BLOCK_FRAME: 32-bit operands */
    uint8_t scan_register;  /* number of the destination register of BLOCK_SCAN and BLOCK_SMSW */
    uint8_t scan_bits;      /* BLOCK_SCAN: operand size, 16 or 32 */
    uint8_t extra_segments; /* GUARD_FS, GUARD_GS: the block has references with these segment overrides */
    uint32_t later;         /* number of its instructions that only later processors have (permissive mode) */
} block_needs;

typedef struct engine_block {
    BEGINS_LINE p5_block *block; /* NULL for BLOCK_UNDEFINED, BLOCK_TOO_LONG and BLOCK_FAILED, as is `code` */
    const isa_block *code;       /* belongs to `block` */
    uint32_t linear;             /* address of the first byte */
    uint16_t count;              /* instructions */
    uint8_t kind;                /* block_kind */
    block_levels levels;
    bool slow; /* something other than recording that the block runs has to be done at its start */
    /* The block may go into a batch: nothing but delivering it has to be done at its end (it neither changes CPL nor
     * reads descriptors), and its records fit. */
    bool quick;
    uint8_t ends; /* block_end */
    /* What the block takes of a batch, to be added to stretch_state.batch_left: minus its clocks (at least 512 per
     * instruction) in the upper half, plus its instructions in the lower half. */
    int64_t takes;
    uint16_t size;    /* bytes */
    uint16_t planned; /* instructions that Unicorn was asked to translate; it may have translated fewer */
    block_needs needs;
    uint32_t physical;         /* address of the first byte */
    uint32_t flags;            /* mode for which it was translated: Unicorn's hflags and some of EFLAGS */
    uint32_t hash;             /* in the index of blocks (stream/index.c) */
    struct engine_block *next; /* all blocks of the engine */
    struct engine_block *next_in_index; /* with the same hash */
    block_mark marks[];                 /* count + 1 */
} engine_block;

enum { GUARD_FS = 1, GUARD_GS = 2 }; /* bits of block_needs.extra_segments */

/* Returns the instruction that begins at linear address `at`, or NULL. `insns` has `count` elements. */
static inline const isa_insn *block_insn(const isa_insn *insns, unsigned count, uint32_t at)
{
    for (unsigned i = 0; i < count; i++)
        if (insns[i].address == at)
            return &insns[i];
    return NULL;
}

/* A block has at most BLOCK_INSNS instructions. The engine's own buffer holds RECORD_CAPACITY references. Only REP
 * strings can make more than a few hundred; they are delivered in parts when fewer than RECORD_RESERVE places are
 * left. */
enum { BLOCK_INSNS = ENGINE_BLOCK, RECORD_CAPACITY = 32768, RECORD_RESERVE = 2048 };
/* Sizes of a batch. A stretch is an executed block or part of one. A batch takes blocks until it has ENGINE_BATCH
 * instructions, and then one more block. The running block is recorded after it in the same buffers.
 *
 * Instructions with many data references are rare. To keep the buffers small, a block goes into no batch if its
 * translated code makes more references than two for each instruction plus QUICK_ACCESSES. Translated code makes
 * each of its references at most once, so recording them needs no check for space. All other references, which
 * Unicorn's helpers and microcode make, are recorded with such a check. */
enum {
    QUICK_ACCESSES = 8,
    MOST_STRETCHES = ENGINE_BATCH + 1,
    MOST_INSNS = ENGINE_BATCH - 1 + 2 * BLOCK_INSNS, /* including the last and the running block */
    MICROCODE_ACCESSES = 16 /* space for references that helpers and microcode make */
};
_Static_assert((int)ENGINE_BUFFER_BLOCKS >= 1 + MOST_STRETCHES &&
                   (int)ENGINE_BUFFER_VALUES >= (int)MOST_INSNS &&
                   (int)ENGINE_BUFFER_ACCESSES >=
                       2 * MOST_INSNS + QUICK_ACCESSES * MOST_STRETCHES + MICROCODE_ACCESSES + BATCH_REPEATED,
               "a batch and the running block fit into the buffers");

#endif
