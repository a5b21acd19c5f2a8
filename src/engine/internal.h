/* The engine's state, which its folders share, and looks into it. What a folder does for those above it
 * stands in that folder's headers. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <stdatomic.h>
#include <string.h>

#include "base/host_line.h"
#include "core/pipe/breakpoints.h"
#include "engine/behind.h"
#include "engine/engine.h"
#include "isa/processor.h"
#include "engine/unicorn/inside.h"
#include "isa/isa.h"

enum { ENGINE_PAGE_BYTES = 4096, ENGINE_PAGE_MASK = 4095 };

/* --- Translations (memory/mmu.h) --- */

/* One entry of the host-side page cache: linear page -> host memory and what an access record needs. A tag is
 * the linear address of the page, or that of a page which belongs to another entry (PAGE_NO_TAG): no access
 * that comes to this entry lies in it. */
enum { PAGE_ENTRIES = 512 };
/* Each of them by privilege: supervisor, user. Fetches have entries of their own, as the processor has a TLB
 * for them, so that no data reference makes a fetch walk again: how often is fetched depends on how blocks
 * are cut. */
enum {
    PAGE_FETCHED = 2,
    PAGE_SIDES = 4,
    PAGE_REFERENCES = PAGE_FETCHED * PAGE_ENTRIES,
    PAGE_ALL = PAGE_SIDES * PAGE_ENTRIES
};
typedef struct page_entry {
    uint32_t read_tag;
    uint32_t write_tag; /* only with the dirty bit set and neither translated code nor tables in the page */
    uint32_t physical;  /* page */
    uint32_t kind;      /* ACCESS_KIND of its P5_ACCESS_* */
    _Alignas(16) uint8_t *host; /* of the page's first byte; NULL where there is no RAM */
} page_entry;
/* Accessed and dirty bits that a walk has set and that the core has not asked for yet. */
enum { PAGE_SETS = 16 };
typedef struct page_set {
    uint32_t linear;
    bool large;
    uint8_t bits; /* P5_PAGE_* */
} page_set;

/* --- Blocks (stream/stream.h) --- */

/* What a block needs beside being executed. */
typedef enum block_kind {
    BLOCK_PLAIN,
    BLOCK_SCAN, /* ends in BSF or BSR */
    /* From here on one instruction, with something to do before it. */
    BLOCK_COUNT, /* RCL or RCR by CL */
    BLOCK_FLAGS, /* its flags are computed before a reference that may fault: RCL, RCR and SETcc of memory */
    BLOCK_FRAME, /* ENTER, PUSHA, POPA, some POPs: stack_frame.c */
    BLOCK_REP,   /* REP string, entered once per iteration. Those up to here may go into a batch */
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
    BLOCK_FAILED /* could not be described; the engine stops */
} block_kind;

/* A clock, as it stands in engine.batch_left. */
#define ENGINE_CLOCK_LEFT ((int64_t)1 << 32)

/* Where an instruction of a block begins, and what the ones before it have recorded. One more mark stands
 * behind the last. */
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

typedef struct engine_block {
    BEGINS_LINE p5_block *block; /* NULL for BLOCK_UNDEFINED, BLOCK_TOO_LONG and BLOCK_FAILED, as is */
    const isa_block *code;       /* ... what it was made of, which is `block`'s */
    uint32_t linear;
    uint16_t count;
    uint8_t kind; /* block_kind */
    block_levels levels;
    bool slow;              /* its start has more to do than to be noted */
    bool quick;             /* its end has no more to do than to be told: no change of CPL, no descriptors;
                               its records fit into a batch */
    bool address16;         /* BLOCK_REP: the count is CX */
    uint8_t port_bytes;     /* BLOCK_PORT, and INS or OUTS as BLOCK_REP: size of an item */
    bool waits;             /* BLOCK_CODE_WRITE: for the x87 */
    bool locks_up;          /* BLOCK_UNDEFINED: LOCK CMPXCHG8B of a register */
    bool wide;              /* BLOCK_FRAME: 32-bit operands */
    uint8_t scan_register;  /* its destination, and that of BLOCK_SMSW */
    uint8_t scan_bits;      /* 16 or 32 */
    uint8_t extra_segments; /* GUARD_FS, GUARD_GS: overrides in it */
    int64_t takes;          /* of engine.batch_left, at least 512 clocks for each instruction */
    uint16_t size;          /* bytes */
    uint16_t planned;       /* instructions asked for; Unicorn may have ended the block before */
    uint32_t later;         /* instructions of later processors in it (permissive) */
    uint32_t physical;
    uint32_t flags;                     /* of the translated block: hflags and some of EFLAGS */
    uint32_t hash;                      /* in the engine's index */
    struct engine_block *next;          /* all blocks of the engine */
    struct engine_block *next_in_index; /* with the same hash */
    block_mark marks[];                 /* count + 1 */
} engine_block;

/* The instruction at linear address `at`, or NULL. */
static inline const isa_insn *block_insn(const isa_insn *insns, unsigned count, uint32_t at)
{
    for (unsigned i = 0; i < count; i++)
        if (insns[i].address == at)
            return &insns[i];
    return NULL;
}

/* Translated code of a block that was found by where control went and in which mode (translations.c). */
enum { FOUND_BLOCKS = 2048 };
typedef struct found_block {
    uint64_t place; /* offset in CS, whose base is 0, and flags; all ones: nothing was found */
    const void *code;
} found_block;

/* --- The engine --- */

/* engine_request_attention sets both. */
enum { REQUEST_BLOCK = 1, REQUEST_ITERATION = 2 };
/* Records of one stretch. A block has at most BLOCK_INSNS instructions; only REP strings can make more than a
 * few hundred records, and they are given away in parts when the buffer is nearly full. */
enum { ENGINE_TRANSLATIONS = 128 << 20 }; /* bytes for translated code */
enum { CHANGING_PLACES = 1024 };
enum { BLOCK_INSNS = ENGINE_BLOCK, RECORD_CAPACITY = 32768, RECORD_RESERVE = 2048 };
/* A batch takes blocks until it has ENGINE_BATCH instructions, and then that one which ends where it is given
 * away; and the running block is recorded behind it. Instructions with many data references are rare. So that
 * the room for a batch need not have that for hundreds of them, a block goes into none if translated code
 * makes more references in it than these and two for each instruction; each is made once at most, so that
 * nothing has to be looked at when it is recorded. All others - of Unicorn's helpers, of microcode - look
 * whether there is room. */
enum {
    QUICK_ACCESSES = 8,
    MOST_STRETCHES = ENGINE_BATCH + 1,
    MOST_INSNS = ENGINE_BATCH - 1 + 2 * BLOCK_INSNS,
    MICROCODE_ACCESSES = 16
};
_Static_assert((int)ENGINE_ROOM_BLOCKS >= 1 + MOST_STRETCHES && (int)ENGINE_ROOM_VALUES >= (int)MOST_INSNS &&
                   (int)ENGINE_ROOM_ACCESSES >=
                       2 * MOST_INSNS + QUICK_ACCESSES * MOST_STRETCHES + MICROCODE_ACCESSES + BATCH_REPEATED,
               "a batch and the running block fit into a room");

/* What is to be checked beside what Unicorn does (memory/guard.h). */
enum { GUARD_FS = 1, GUARD_GS = 2 };
typedef struct engine_guard {
    bool looking;       /* blocks are translated so that they call stream_block_checked: all, */
    bool looking_at[2]; /* ... those of protected mode; those of real and V86 mode */
    bool blocks;        /* a block's start has something to check */
    bool data;          /* data accesses have: all come to mmu_fill (PAGE_GUARDED) */
    bool code;          /* CS has a limit */
    bool segments;      /* a data or stack segment is not flat, and not real_limits */
    bool real_limits;   /* real or V86 mode, and the limits of all segments are 64 KB or more */
    bool extra_now;     /* the same for FS or GS, which the running blocks use */
    bool alignment;     /* CR0.AM, EFLAGS.AC, CPL 3 */
    bool breakpoints;   /* DR7 enables one */
    bool limit_step;    /* single instructions, because CS ends near */
    bool shadow;        /* the instruction before was MOV SS or POP SS */
    uint8_t extra;      /* GUARD_*: FS or GS is not flat */
    uint32_t hits;      /* bits of DR6 for the trap behind the running instruction */
    breakpoints comparators;
} engine_guard;

/* engine.resume: EFLAGS.RF, which holds code breakpoints off for one instruction. It is set by an instruction
 * (IRET) that is still to be completed itself, or by a delivery. */
enum { RESUME_NOW = 1, RESUME_AFTER_THIS = 2 };

/* Where the guest's x87 registers are: in Unicorn's state, or in the host's x87 (x87_host.h); or in the
 * state, where an MMX instruction finds nothing to do: TOP is 0, no register is empty, nothing is pending. */
typedef enum x87_place { X87_IN_STATE, X87_IN_HOST, X87_IN_STATE_MMX } x87_place;

struct engine {
    /* Hot: block start and memory access. */
    engine_block *current;  /* the block that is running, NULL between blocks */
    p5_access *record_next; /* where the next access goes */
    p5_value *value_next;
    p5_retired_block *batch_next; /* where the next stretch of the batch goes; records and values of the
                               running block begin where those of the one before end */
    int64_t batch_left;           /* in the upper half the clocks that the batch still takes, in the lower the
                                     instructions that it has; both with the running block's. Negative: that one goes
                                     into no batch, or is the last of it */
    bool batching;                /* engine_batch, */
    int batch_clocks;             /* ... of so many */
    bool descriptor;              /* the stretch read a descriptor */
    bool restart; /* the running block was left in front of a store; it goes on with a block that starts
                     inside */
    bool stepping;
    atomic_uint requested; /* attention() at the next boundary: REQUEST_* */
    p5_retired retired;    /* filled in for every stretch; between stretches what is rarely set is not */
    engine_callbacks callbacks;
    uc_env *env;
    engine_room at; /* where the running block and the batch before it are recorded. The first stretch is
                       none, and says where the batch begins */
    engine_room next_batch; /* where the next batch goes: engine_batch_into */
    page_entry pages[PAGE_SIDES][PAGE_ENTRIES];
    uint64_t pages_filled[PAGE_ALL / 64]; /* bits of those that may hold a page */
    found_block found[FOUND_BLOCKS];
    bool found_none;       /* since translations_gone */
    p5_access *record_end; /* from here on nothing is recorded, whatever the guest does: stretch_full */
    p5_value *value_end;

    /* REP strings. */
    uint32_t repeat_count;              /* ECX when the stretch began */
    uint32_t repeat_flags;              /* arithmetic flags in front of the instruction */
    const engine_block *repeat_goes_on; /* the one that is in the middle, while its parts are told */
    p5_access *iteration_records;       /* where the current iteration's records begin */

    /* Physical memory. */
    uint8_t *ram;
    uint32_t ram_bytes;
    uint32_t address_mask; /* A20 */
    uint64_t *code_lines;  /* by page of RAM: which 64ths of it hold translated code */
    uint8_t *table_pages;  /* tables were walked in it since translations were flushed */
    uint8_t open_bus[ENGINE_PAGE_BYTES];
    engine_window windows[ENGINE_WINDOWS];
    behind behind;
    page_entry uncached; /* what mmu_fill answers while there are behind.pins */
    page_set page_sets[PAGE_SETS];
    unsigned next_page_set;

    /* x87: what the first helper of an instruction leaves for the second. */
    struct {
        uint8_t operand_kind; /* x87_operand */
        bool operand_empty;
        bool pushing;                 /* the next load pushes */
        bool ignored;                 /* IGNNE# is active for the pending exception */
        bool suppressed;              /* an unmasked exception: no result, no pop */
        uint8_t place;                /* x87_place */
        uint64_t operand;             /* in its memory format */
        unsigned safe_low, safe_span; /* the window of x87_safe */
        unsigned safe_reach;          /* what lies in it on either side */
        unsigned reach[8];            /* by physical register */
        uc_fpreg operand_register;
        uint64_t underflows, overflows; /* stack faults so far: engine_x87_faults */
    } x87;
    uint8_t unsafe[BLOCK_INSNS]; /* p5_retired.unsafe_mask */

    /* Deliveries. */
    bool locked_up;   /* the fault is #UD of LOCK CMPXCHG8B of a register, and the processor hangs */
    bool fetch_fault; /* the fault came from fetching the next instruction, not from the running block */
    bool delivering;
    p5_exception exception; /* the one that is being delivered */
    bool injected;          /* engine_inject: to be delivered before anything else is executed */
    uint8_t injected_vector;
    p5_transfer injected_kind;
    uint32_t external; /* EXT bit of the error codes of faults from here on */
    uintptr_t
        return_address;   /* into translated code, for faults of a segment load in the middle of a block */
    uint32_t load_across; /* a load began here whose second page is being looked for; else 0 */
    bool debug_fault;     /* #DB that was raised is a fault */
    bool nmi_blocked;     /* from an NMI to the next IRET */
    uint8_t resume;       /* EFLAGS.RF: segmentation.h */
    uint32_t resume_at;   /* linear address of the instruction that it is for */
    engine_guard guard;

    /* Running. */
    bool running;
    bool redirected; /* a callback changed EIP or a segment: the block that was about to start is not the next
                        one */
    engine_stop stop;
    bool stopping;
    char failure[200];

    engine_options options;
    uc_engine *uc;
    uc_hook_head *block_hook;
    isa_decoder *decoder;
    struct { /* the block that is being translated */
        block_kind kind;
        bool real;      /* real or V86 mode */
        unsigned count; /* instructions that have been decoded */
        isa_insn insns[BLOCK_INSNS];
    } translated;
    bool mmx_pending;       /* its MMX instruction enters MMX mode behind its reference */
    uint32_t substitute_at; /* bytes that are translated instead of what stands in memory there */
    unsigned substitute_size;
    uint8_t substitute[16];
    engine_block *blocks;
    unsigned block_instructions; /* of all of them, as describe.c counts */
    uintptr_t translations;      /* where Unicorn keeps what it translates, 0: not known yet; */
    bool translations_full;      /* ... most of the room there is used */
    const uint32_t *cuts;        /* addresses at which blocks begin, ascending */
    size_t cut_count;
    engine_block **block_index; /* hash table of the blocks, to be used again after a flush (describe.c) */
    unsigned index_size;        /* a power of two */
    engine_block *changing[CHANGING_PLACES]; /* the block last described at an address, by its hash */
    uint32_t changed_at[CHANGING_PLACES];    /* addresses at which blocks begin, because code that changes
                                                begins or ends there; by their hash */
    unsigned references;                     /* that the block being translated calls for: emit.c; */
    uc_op *start, *start_arguments[3];       /* ... what it generated for the block's start */
    engine_block *unfinished;                /* its translation was left by a page fault */
    engine_block *emergency;                 /* when there is no memory for another one */
    /* Room of the engine's own, for everything but batches, and for those, too, until there is another. */
    p5_access *records; /* RECORD_CAPACITY */
    p5_value values[ENGINE_ROOM_VALUES];
    p5_retired_block batch[ENGINE_ROOM_BLOCKS];
    uint64_t later_count;
};

static inline engine *engine_of(const uc_env *env)
{
    return env->owner;
}
/* There is something about the running block's stretch that is to be looked at: it goes into no batch. */
static inline void engine_no_batch(engine *e)
{
    e->batch_left |= INT64_MIN;
}
/* Where the running block's records begin. */
static inline p5_access *engine_records(const engine *e)
{
    return e->at.accesses + (e->batch_next[-1].accesses_end - e->at.accesses);
}
static inline uc_cpu *engine_cpu(const engine *e)
{
    return uc_cpu_of(e->env);
}
static inline uint32_t engine_linear_eip(const engine *e)
{
    return (uint32_t)(e->env->segs[ENGINE_CS].base + e->env->eip);
}

/* A linear address as an offset in CS. */
static inline uint32_t engine_code_offset(const engine *e, uint32_t linear)
{
    return linear - (uint32_t)e->env->segs[ENGINE_CS].base;
}
/* The state's EIP is the running block's. */
static inline void engine_at_block(engine *e)
{
    e->env->eip = engine_code_offset(e, e->current->linear);
}
static inline bool engine_at_user_level(const uc_env *env)
{
    return (env->hflags & UC_HF_CPL) == 3;
}
/* Translated code has gone, or other blocks stand where it was found. */
static inline void translations_gone(engine *e)
{
    if (!e->found_none)
        memset(e->found, 0xff, sizeof e->found);
    e->found_none = true;
}

#endif
