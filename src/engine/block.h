/* A block of guest code as the engine describes it: what Unicorn translated, what the core prices, and how it
 * begins and ends. stream/describe.c makes descriptions. */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include <stddef.h>

#include "base/host_line.h"
#include "engine/engine.h"
#include "isa/isa.h"

/* What a block needs in addition to being executed. stream/kind.c has a row for each. */
typedef enum block_kind {
    BLOCK_ORDINARY,
    BLOCK_SCAN, /* ends in BSF or BSR */
    /* From here on one instruction, with something to do before it. */
    BLOCK_COUNT, /* RCL or RCR by CL */
    BLOCK_FLAGS, /* its flags are computed before a reference that may fault: RCL, RCR and SETcc of memory */
    BLOCK_FRAME, /* ENTER, PUSHA, POPA, some POPs: stack_frame.c */
    BLOCK_REP,   /* REP string, entered once per iteration */
    BLOCK_PORT,  /* INS or OUTS */
    BLOCK_ARPL,
    BLOCK_SMSW,       /* of a 32-bit register */
    BLOCK_UNDEFINED,  /* the processor does not have it */
    BLOCK_TOO_LONG,   /* more than 15 bytes: #GP(0) */
    BLOCK_CODE_WRITE, /* a store through CS: #GP(0) in protected mode */
    BLOCK_VIRTUAL,    /* depends on CR4.VME or PVI */
    BLOCK_INVD,
    BLOCK_WBINVD,
    BLOCK_ICEBP,
    BLOCK_MARK_BEGIN, /* markers of p5scope/guest.h */
    BLOCK_MARK_END,
    BLOCK_FAILED, /* could not be described; the engine stops */
    BLOCK_KINDS
} block_kind;

/* Where an instruction of a block begins, and what the ones before it have recorded. One more mark follows
 * the last instruction's. */
typedef struct block_mark {
    uint16_t offset;   /* bytes from the block's first */
    uint16_t accesses; /* fixed data references */
    uint16_t values;   /* value-dependent instructions */
} block_mark;

/* Privilege and mode of a block, as they stand in p5_retired. */
typedef struct block_levels {
    uint8_t cpl, cpl_after /* = cpl */, mode, iopl;
} block_levels;
_Static_assert(offsetof(p5_retired, iopl) == offsetof(p5_retired, cpl) + offsetof(block_levels, iopl) &&
                   offsetof(p5_retired, mode) == offsetof(p5_retired, cpl) + offsetof(block_levels, mode),
               "copied together");

/* How a block ends when all its instructions have completed. */
typedef enum block_end {
    BLOCK_ENDS_WHOLE,
    BLOCK_ENDS_SCAN,  /* the operand of BSF or BSR is recorded */
    BLOCK_ENDS_REPEAT /* so does each iteration of the REP string */
} block_end;

/* What the engine has to know of a block of some kinds. */
typedef struct block_needs {
    bool address16;         /* BLOCK_REP: the count is CX */
    uint8_t port_bytes;     /* BLOCK_PORT, and INS or OUTS as BLOCK_REP: size of an item */
    bool waits;             /* BLOCK_CODE_WRITE: for the x87 */
    bool locks_up;          /* BLOCK_UNDEFINED: LOCK CMPXCHG8B of a register */
    bool wide;              /* BLOCK_FRAME: 32-bit operands */
    uint8_t scan_register;  /* destination of BLOCK_SCAN and BLOCK_SMSW */
    uint8_t scan_bits;      /* 16 or 32 */
    uint8_t extra_segments; /* GUARD_FS, GUARD_GS: overrides in it */
    uint32_t later;         /* instructions of later processors in it (permissive) */
} block_needs;

typedef struct engine_block {
    BEGINS_LINE p5_block *block; /* NULL for BLOCK_UNDEFINED, BLOCK_TOO_LONG and BLOCK_FAILED, as is `code` */
    const isa_block *code;       /* belongs to `block` */
    uint32_t linear;
    uint16_t count;
    uint8_t kind; /* block_kind */
    block_levels levels;
    bool slow;     /* its start does more than record the block */
    bool quick;    /* its end only delivers it: no change of CPL, no descriptors; its records fit into a
                               batch */
    uint8_t ends;  /* block_end */
    int64_t takes; /* what it takes of stretch_state.batch_left: at least 512 clocks per instruction */
    uint16_t size; /* bytes */
    uint16_t
        planned; /* instructions that Unicorn was asked to translate; it may have ended the block before */
    block_needs needs;
    uint32_t physical;
    uint32_t flags;                     /* of the translated block: hflags and some of EFLAGS */
    uint32_t hash;                      /* in the index of blocks */
    struct engine_block *next;          /* all blocks of the engine */
    struct engine_block *next_in_index; /* with the same hash */
    block_mark marks[];                 /* count + 1 */
} engine_block;

enum { GUARD_FS = 1, GUARD_GS = 2 };

/* Returns the instruction at linear address `at`, or NULL. */
static inline const isa_insn *block_insn(const isa_insn *insns, unsigned count, uint32_t at)
{
    for (unsigned i = 0; i < count; i++)
        if (insns[i].address == at)
            return &insns[i];
    return NULL;
}

/* A block has at most BLOCK_INSNS instructions. Only REP strings can make more than a few hundred records;
 * they are delivered in parts when the buffer is nearly full. */
enum { BLOCK_INSNS = ENGINE_BLOCK, RECORD_CAPACITY = 32768, RECORD_RESERVE = 2048 };
/* A batch takes blocks until it has ENGINE_BATCH instructions, then one more block, and the running block is
 * recorded after it. Instructions with many data references are rare. So that a batch's buffers need not hold
 * hundreds of them, a block goes into no batch if its translated code makes more references than
 * QUICK_ACCESSES and two for each instruction. Each of these references is made once at most, so recording
 * them needs no check. All other references (of Unicorn's helpers, of microcode) check for space. */
enum {
    QUICK_ACCESSES = 8,
    MOST_STRETCHES = ENGINE_BATCH + 1,
    MOST_INSNS = ENGINE_BATCH - 1 + 2 * BLOCK_INSNS,
    MICROCODE_ACCESSES = 16
};
_Static_assert((int)ENGINE_BUFFER_BLOCKS >= 1 + MOST_STRETCHES &&
                   (int)ENGINE_BUFFER_VALUES >= (int)MOST_INSNS &&
                   (int)ENGINE_BUFFER_ACCESSES >=
                       2 * MOST_INSNS + QUICK_ACCESSES * MOST_STRETCHES + MICROCODE_ACCESSES + BATCH_REPEATED,
               "a batch and the running block fit into the buffers");

#endif
