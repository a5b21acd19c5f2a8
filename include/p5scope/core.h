/* The core model: prices a stream of retired instructions in clocks and events. It works without the CPU
 * engine if the caller feeds it blocks and the accesses that they made. One core must not be used by two
 * threads at once; different cores are independent. */
#ifndef P5SCOPE_CORE_H
#define P5SCOPE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/event.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p5_model p5_model; /* a processor and its board, from a model file */
typedef struct p5_core p5_core;
typedef struct p5_block p5_block;   /* a decoded run of instructions, prepared for pricing */
typedef struct p5_counts p5_counts; /* totals by event, stall cause and privilege class */

/* Privilege classes of the counters. The Pentium's CESR distinguishes CPL 0-2 from CPL 3; later monitors
 * distinguish CPL 0 from CPL 1-3. Three classes serve both: each of those ranges is one class or the sum of
 * two. */
enum {
    P5_CPL_KERNEL /* CPL 0, real mode */,
    P5_CPL_USER /* CPL 3, V86 */,
    P5_CPL_INNER /* CPL 1-2 */,
    P5_CPL_CLASSES
};
/* Sets of privilege classes. */
enum {
    P5_CPL_MASK_KERNEL = 1 << P5_CPL_KERNEL,
    P5_CPL_MASK_USER = 1 << P5_CPL_USER,
    P5_CPL_MASK_INNER = 1 << P5_CPL_INNER,
    P5_CPL_MASK_SYSTEM = P5_CPL_MASK_KERNEL | P5_CPL_MASK_INNER, /* CPL 0-2 */
    P5_CPL_MASK_NOT_0 = P5_CPL_MASK_USER | P5_CPL_MASK_INNER,    /* CPL 1-3 */
    P5_CPL_MASK_ALL = P5_CPL_MASK_SYSTEM | P5_CPL_MASK_USER
};

/* Flags of a data access (p5_access.flags). */
enum {
    P5_ACCESS_WRITE = 1,
    P5_ACCESS_CACHE_DISABLE = 2, /* PCD of the page, or CR0.CD */
    P5_ACCESS_WRITE_THROUGH = 4, /* PWT of the page */
    P5_ACCESS_LARGE_PAGE = 8,    /* 4 MB page */
    P5_ACCESS_IO = 16,           /* port access: linear = physical = port number */
    P5_ACCESS_SYSTEM = 32,       /* descriptor, TSS, IDT or stack access made by microcode */
    P5_ACCESS_LOCKED = 64 /* half of a locked read-modify-write of a descriptor: accessed and busy bit */
};

/* One data reference as the processor makes it. A misaligned reference is one entry; an m80 operand is two (8
 * + 2 bytes). The layout is fixed. */
typedef struct p5_access {
    uint32_t linear;   /* address of the first byte */
    uint32_t physical; /* of the first byte; the second page of a page-crossing access comes from
                          p5_core_hooks.translate */
    uint8_t size;      /* bytes: 1, 2, 4, 8 */
    uint8_t flags;     /* P5_ACCESS_* */
    uint16_t reserved; /* 0 */
} p5_access;

/* Operands of a value-dependent instruction, whose clocks or counts depend on them. The layout is fixed. By `kind`:
 *
 *   1  BSF, BSR: `a` is the source operand; CPUID: EAX; RDMSR, WRMSR: ECX
 *   2  RCL and RCR by CL: `a` is CL
 *   3  x87 (FDIV, FSQRT, FSIN, FPREM, ...): `a` is ST(0) and `b` the other operand, as the bits of IEEE doubles
 *   4  MMX arithmetic with saturation: `a` is 1 if at least one element was clipped, else 0 */
typedef struct p5_value {
    uint64_t a;
    uint64_t b;
    uint16_t fpu_control; /* x87 control word when the instruction was executed, for kind 3 */
    uint8_t kind;         /* 1 to 4 */
} p5_value;

/* Processor modes. */
enum { P5_MODE_REAL, P5_MODE_PROTECTED, P5_MODE_V86 };

/* A stretch of a block that was executed: instructions [first, first + count) completed, in order, exactly
 * once. `accesses` holds their references in program order. Each instruction has as many as p5_block_accesses
 * says; the remainder belongs to the last one, because only the last instruction of a block can have a
 * variable number. `values` holds one entry per executed value-dependent instruction, in order. */
typedef struct p5_retired {
    size_t size;               /* sizeof (p5_retired) */
    p5_block *block;           /* of the same core */
    uint16_t first;            /* index of the first instruction in `block` */
    uint16_t count;            /* instructions, at least 1; first + count is at most p5_block_count */
    uint32_t access_count;     /* of `accesses` */
    const p5_access *accesses; /* used during the call only, like the other arrays */
    uint32_t value_count;      /* of `values` */
    const p5_value *values;
    uint32_t next;     /* linear address to which control went: the next stretch begins there unless an
                          exception is delivered first */
    uint32_t repeats;  /* iterations completed by a REP string that is the last instruction */
    uint8_t cpl;       /* 0-3, while the stretch ran */
    uint8_t cpl_after; /* after the last instruction (far transfers, IRET) */
    uint8_t mode;      /* P5_MODE_*, while the stretch ran */
    uint8_t iopl;      /* 0-3 */
    uint8_t gate;      /* p5_gate, of the last instruction */
    bool interrupted; /* the last instruction is a REP string that will be resumed; it is not complete and not
                         counted */
    bool descriptor;  /* the last instruction read a descriptor (segment load, far transfer through a gate,
                         ...) */
    bool unsafe_x87;  /* unsafe_mask has at least one bit set; false: it is not used and may be NULL */
    const uint8_t *unsafe_mask; /* a byte for each instruction of the stretch: P5_X87_* */
} p5_retired;

/* The way by which INT n, INT3 or INTO gets to its handler. It decides the clocks (SDM volume 2, INT n: table
 * of clocks). */
typedef enum p5_gate {
    P5_GATE_NONE,   /* another instruction, or an INTO that does not interrupt */
    P5_GATE_VECTOR, /* vector table of real mode, or of V86 mode if the task's bitmap redirects the interrupt
                       (CR4.VME) */
    P5_GATE_SAME,   /* interrupt or trap gate to the same level */
    P5_GATE_INNER,  /* interrupt or trap gate to an inner level */
    P5_GATE_V86,    /* interrupt or trap gate from V86 mode */
    P5_GATE_TASK    /* task gate */
} p5_gate;

/* Properties of an x87 instruction's operands (p5_retired.unsafe_mask). */
enum {
    P5_X87_UNSAFE = 1, /* FADD, FSUB, FMUL, FDIV: an operand was outside the safe exponent range */
    P5_X87_REFUSED =
        2 /* stack fault, invalid operand or division by zero, masked or not: no FLOP (event 22h) */
};

/* The kinds of exceptions and interrupts. A machine check is a fault here. */
typedef enum p5_transfer {
    P5_TRANSFER_FAULT,
    P5_TRANSFER_TRAP,
    P5_TRANSFER_SOFTWARE /* INT n, INT3, INTO */,
    P5_TRANSFER_INTERRUPT /* INTR */,
    P5_TRANSFER_NMI
} p5_transfer;

/* The kind of reference that caused a page fault. */
typedef enum p5_reference {
    P5_REFERENCE_NONE,
    P5_REFERENCE_READ,
    P5_REFERENCE_WRITE,
    P5_REFERENCE_CODE
} p5_reference;

/* The delivery of an exception or interrupt to its handler. It follows the retired stretch that was fed
 * before. */
typedef struct p5_exception {
    size_t size; /* sizeof (p5_exception) */
    p5_transfer kind;
    uint8_t vector;            /* 0-255 */
    uint8_t cpl, cpl_after;    /* 0-3, before and after the delivery */
    uint8_t mode, mode_after;  /* P5_MODE_*, before and after it */
    bool on_return;            /* the faulting or next instruction is a RET (event 39h) */
    bool task_gate;            /* the vector's entry in the IDT is a task gate */
    bool interrupt_waits;      /* an enabled INTR is active at the same boundary (erratum 44) */
    uint8_t reference;         /* p5_reference, of a page fault */
    uint32_t reference_linear; /* address of a page fault's reference */
    uint32_t instruction;      /* linear address of the instruction that faulted, or that would come next */
    const p5_block *block;     /* a block that contains the faulting instruction; NULL if nothing faulted, or
                              it could not be fetched */
    uint32_t index;            /* number of the faulting instruction in `block` */
    uint32_t handler;          /* linear address of the handler's first instruction */
    uint32_t access_count;     /* IDT, TSS, descriptor and stack accesses of the delivery */
    const p5_access *accesses;
} p5_exception;

/* Control inputs of the model, set by MOV CRn, WRMSR TR12 and the board. */
typedef struct p5_control {
    size_t size;               /* sizeof (p5_control) */
    bool no_branch_allocation; /* TR12.NBP */
    bool single_pipe;          /* TR12.SE */
    bool code_cache_inhibit;   /* TR12.CI or CCI */
    bool data_cache_inhibit;   /* TR12.CI or DCI */
    bool cache_disable;        /* CR0.CD */
    bool not_write_through;    /* CR0.NW */
    bool paging;               /* CR0.PG */
    bool trap_flag;            /* EFLAGS.TF: nothing pairs */
    bool fpu_trap;             /* CR0.EM or CR0.TS: no MMX in V */
    bool branch_trace;         /* TR12.TR: branch trace messages */
    bool fast_branch_trace;    /* TR12.FTR: one message for each taken branch instead of two */
} p5_control;

/* The debug registers, which events 23h-26h compare with. */
typedef struct p5_debug {
    size_t size;     /* sizeof (p5_debug) */
    uint32_t dr[4];  /* DR0 to DR3: linear addresses, or ports */
    uint32_t dr7;    /* as the guest wrote it */
    bool extensions; /* CR4.DE: R/W = 2 is a breakpoint on ports */
} p5_debug;

/* Bits of page-table entries, as p5_core_hooks.page_bits_set returns them. */
enum { P5_PAGE_DIRECTORY_ACCESSED = 1, P5_PAGE_ACCESSED = 2, P5_PAGE_DIRTY = 4 };
/* Rights and attributes of a page, as p5_core_hooks.page_rights returns them. */
enum { P5_PAGE_WRITABLE = 1, P5_PAGE_SUPERVISOR = 2, P5_PAGE_CACHE_DISABLE = 4, P5_PAGE_WRITE_THROUGH = 8 };

/* An entry that a test register wrote into a TLB (TR6, TR7; manual, 26.2.1.2). */
typedef struct p5_translation {
    size_t size;               /* of this struct in the library */
    uint32_t linear, physical; /* of the page */
    bool valid;                /* false: the entry is gone, and the page tables apply to `linear` again; only
                                * `linear`, `code` and `large` have a meaning */
    bool code;                 /* the entry is in the code TLB, not in the data TLB */
    bool large;                /* 4 MB page */
    bool supervisor;           /* CPL 3 must not use the page */
    bool writable, dirty;      /* R/W and D of the page */
    bool cache_disable, write_through; /* PCD and PWT of the page */
} p5_translation;

enum { P5_LINE_BYTES = 32 };

/* Bits of a bus cycle's type for p5_core_hooks.bus_cycle: W/R#, D/C#, M/IO# and LOCK#, at their positions in
 * MCT. */
enum { P5_CYCLE_WRITE = 2, P5_CYCLE_DATA = 4, P5_CYCLE_MEMORY = 8, P5_CYCLE_LOCKED = 16 };

/* Callbacks by which the core reads and informs its owner's memory and page tables. Any of them may be NULL: addresses
 * are then mapped one to one, and there are no page walks. */
typedef struct p5_core_hooks {
    size_t size;   /* sizeof (p5_core_hooks) */
    void *context; /* first argument of each callback */
    /* Returns the physical address of `linear`, for the second page of a page-crossing access and for line
     * fills of code. */
    uint32_t (*translate)(void *context, uint32_t linear);
    /* Walks the pages for `linear`: gets the physical addresses of the directory entry and of the table entry
     * (0 with a 4 MB page, or when the directory entry is not present). */
    void (*walk)(void *context, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry);
    /* Returns the bits of these entries (P5_PAGE_*_ACCESSED, P5_PAGE_DIRTY) that were clear and that the
     * processor has set for the access at `linear`. NULL: none. */
    unsigned (*page_bits_set)(void *context, uint32_t linear, bool write);
    /* Returns rights and attributes of the page of `linear` as its page tables have them: P5_PAGE_WRITABLE
     * ... */
    unsigned (*page_rights)(void *context, uint32_t linear);

    /* Contents of memory. The owner's RAM is what the processor sees. Memory outside the caches holds older
     * bytes where a modified line has not been written back. Owners that store both are notified when the two
     * become equal. Ranges lie within one line; `physical` need not be RAM.
     *
     * to_memory: a bus cycle has written these bytes, so memory now holds what the processor sees. */
    void (*to_memory)(void *context, uint32_t physical, uint32_t size);
    /* While this is false, the owner does not store memory outside the caches, and to_memory is not called.
     * NULL: the owner always stores it. */
    const bool *keeps_memory;
    /* A line was dropped without a write-back (INVD, or a clean line that a test register had written): the
     * processor now sees what memory holds. */
    void (*from_memory)(void *context, uint32_t physical, uint32_t size);
    /* Whole lines for the test registers. read_line reads what the processor's data references see or, with
     * `memory`, what memory holds. write_line sets what the processor sees from now on and leaves memory as
     * it is. read_line returns false if there is no memory. */
    bool (*read_line)(void *context, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES]);
    void (*write_line)(void *context, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES]);
    /* The processor now executes these bytes where data references see others. NULL: it executes what data
     * references see again. */
    void (*code_line)(void *context, uint32_t physical, const uint8_t *bytes);
    /* A test register has written or removed an entry of a TLB. */
    void (*translation)(void *context, const p5_translation *translation);

    /* The processor runs a bus cycle of `type` (P5_CYCLE_*) that begins with the byte at `physical`. The
     * cycle transfers up to 8 bytes, or is the burst of a line (`size` is P5_LINE_BYTES). */
    void (*bus_cycle)(void *context, uint32_t physical, uint32_t size, unsigned type);
} p5_core_hooks;

/* Totals of a core or machine, by event, stall cause and privilege class. They are opaque, because a later version
 * of the library has more of them. Functions that get totals (p5_machine_counts, p5_core_counts) overwrite what
 * the object holds. Two threads may read one object at once. */

/* Returns totals that are all 0; NULL when memory is out. The caller frees them with p5_counts_free. */
p5_counts *p5_counts_new(void);
/* Frees totals; NULL is allowed. */
void p5_counts_free(p5_counts *counts);
/* Add totals to `counts`, or subtract earlier totals from it, row by row. */
void p5_counts_add(p5_counts *counts, const p5_counts *more);
void p5_counts_subtract(p5_counts *counts, const p5_counts *earlier);
/* Return totals at the privilege classes of `cpl_mask` (P5_CPL_MASK_*). What the library does not know is 0.
 *   p5_counts_clocks     the core clocks that have passed
 *   p5_counts_event      an event's increments: occurrences, or the clocks of an event that measures a duration. Some
 *                        events count on a processor that lacks them (p5_event_info.families), too
 *   p5_counts_asserted   the clocks in which the event's signal was on
 *   p5_counts_stall      the clocks of a stall cause; those of all causes add up to p5_counts_clocks
 *   p5_counts_bus_bytes  the bytes that bus cycles of the processor have read or (`written`) written: lines,
 *                        single transfers, ports */
uint64_t p5_counts_clocks(const p5_counts *counts, unsigned cpl_mask);
uint64_t p5_counts_event(const p5_counts *counts, enum p5_event event, unsigned cpl_mask);
uint64_t p5_counts_asserted(const p5_counts *counts, enum p5_event event, unsigned cpl_mask);
uint64_t p5_counts_stall(const p5_counts *counts, p5_stall cause, unsigned cpl_mask);
uint64_t p5_counts_bus_bytes(const p5_counts *counts, bool written, unsigned cpl_mask);

/* Opens a core of `model` in the state after RESET, with empty caches, TLBs and BTB. `hooks` may be NULL, and is
 * copied. The model must outlive the core; the caller closes the core. P5_ERR_MEMORY; P5_ERR_STATE or
 * P5_ERR_UNSUPPORTED for the `size` of `hooks`. *core is NULL after an error. */
p5_status p5_core_open(const p5_model *model, const p5_core_hooks *hooks, p5_core **core, p5_error *error);
void p5_core_close(p5_core *core);

/* Bytes of code and where they lie. The layout is fixed. */
typedef struct p5_code {
    const uint8_t *bytes;
    size_t size;               /* of `bytes` */
    uint32_t linear, physical; /* addresses of the first byte */
    bool code32;               /* operands and addresses have 32 bits by default */
} p5_code;
/* Decodes code into a block of at most `max_insns` instructions, which ends with the first branch. The block
 * belongs to the core until p5_block_release. Returns NULL when memory is out, the bytes hold no whole
 * instruction, or `code` or its bytes are NULL. */
p5_block *p5_block_make(p5_core *core, const p5_code *code, unsigned max_insns);
void p5_block_release(p5_core *core, p5_block *block);
unsigned p5_block_count(const p5_block *block);                /* instructions */
unsigned p5_block_accesses(const p5_block *block, unsigned i); /* number of fixed data references of
                                                                  instruction i */

/* Prices one retired stretch. The fast path allocates nothing. This and the next functions with a struct return
 * P5_ERR_STATE or P5_ERR_UNSUPPORTED, and do nothing, if its `size` is wrong (p5scope/status.h); otherwise P5_OK. This
 * and the next one also return P5_ERR_RANGE, and do nothing, if a member is out of its range, an array is NULL whose
 * count is not 0, or an instruction before the last one lacks a reference. */
p5_status p5_core_retire(p5_core *core, const p5_retired *retired);

/* Prices the delivery of an exception or interrupt. The errors are those of p5_core_retire. */
p5_status p5_core_exception(p5_core *core, const p5_exception *exception);
/* Lets `clocks` core clocks pass in HLT at the privilege class of `cpl` (0-3). */
void p5_core_halt(p5_core *core, uint64_t clocks, unsigned cpl);
/* Sets the control inputs, from the next instruction on. The errors are those of p5_core_retire. */
p5_status p5_core_set_control(p5_core *core, const p5_control *control);
/* Sets what the breakpoint events compare with, from the next instruction on. Without a call nothing
 * matches. The errors are those of p5_core_retire. */
p5_status p5_core_set_debug(p5_core *core, const p5_debug *debug);
/* Reports that IRET has set EFLAGS.RF for the next instruction: if the model has the processor's errata, a code
 * breakpoint at that instruction does not match. */
void p5_core_resume(p5_core *core);
/* Has the effect of MOV CR3 on the core: flushes TLBs and BTB. Profiles distinguish address spaces by `directory`, the
 * value that was loaded. */
void p5_core_load_cr3(p5_core *core, uint32_t directory);
/* Have the effect of INVLPG, WBINVD (with write-backs) and INVD on the core. */
void p5_core_invlpg(p5_core *core, uint32_t linear);
void p5_core_wbinvd(p5_core *core);
void p5_core_invd(p5_core *core);

/* Returns the model's clock at which the next instruction would enter EX. Settles a pending instruction
 * first, as p5_core_settle does. */
uint64_t p5_core_clock(p5_core *core);
/* Issues a pending instruction (one that waits for a partner to pair with) alone, as happens before an
 * instruction that reads the counters. The totals then hold everything fed. What is fed afterwards cannot
 * pair with it. */
void p5_core_settle(p5_core *core);
/* Gets the totals of all instructions that have entered EX, which excludes a pending one. Reading changes
 * nothing. */
void p5_core_counts(p5_core *core, p5_counts *counts);

/* The stages that an instruction passes after D2. */
typedef enum p5_pipe_kind {
    P5_PIPE_INTEGER,     /* EX WB */
    P5_PIPE_X87,         /* EX X1 X2 WF ER */
    P5_PIPE_MMX,         /* EX Mw */
    P5_PIPE_MMX_MULTIPLY /* EX M2 M3 Mw */
} p5_pipe_kind;
enum { P5_TRACE_SOURCES = 4 }; /* most sources of an instruction that are listed */

/* Numbers of reasons in p5_trace_insn.unpaired, which go from 1 to P5_UNPAIRED_REASONS - 1. p5_unpaired_text has all of
 * them. */
enum {
    P5_UNPAIRED_REGISTER = 3, /* the next one reads or writes a register that this one writes */
    P5_UNPAIRED_REASONS = 14
};

/* What an instruction needs of an earlier one. */
typedef enum p5_source_kind {
    P5_SOURCE_REGISTER, /* general register `number` */
    P5_SOURCE_ADDRESS, /* the same, for an address: D2 needs it one clock before EX. An address register that D2 itself
                           has stepped (ESP by PUSH, ESI by LODS) is a P5_SOURCE_REGISTER */
    P5_SOURCE_MMX, /* MMX register `number` */
    P5_SOURCE_X87, /* ST(number) */
    P5_SOURCE_FLAGS,
    P5_SOURCE_KINDS
} p5_source_kind;

/* A source of an instruction. The layout is fixed. */
typedef struct p5_trace_source {
    uint16_t distance; /* in instructions, back to the one that wrote it; 0 = none, or before the trace */
    uint8_t kind;      /* p5_source_kind */
    uint8_t number;    /* of the register, 0-7 */
} p5_trace_source;

/* One executed instruction with its way through the pipe, for pipeline diagrams. Clocks are the core's. D2
 * and EX are the same for both instructions of a pair. */
typedef struct p5_trace_insn {
    size_t size;         /* of this struct in the library */
    uint32_t address;    /* linear */
    uint64_t d1, d2, ex; /* clocks at which the stages were entered */
    uint64_t end;        /* clock at which EX was free again */
    uint8_t pipe;        /* 0 U, 1 V */
    uint8_t unpaired;    /* reason why it was not paired, for p5_unpaired_text; 0: it is one of a pair */
    uint8_t stall;       /* p5_stall: the cause that delayed its entry to EX longest; P5_STALL_ISSUE = none */
    uint16_t stall_clocks; /* clocks of that delay */
    uint16_t clocks;       /* its own clocks, if every access hits */
    uint8_t kind;          /* p5_pipe_kind: the stages after EX */
    uint8_t hold;          /* p5_stall: the cause that kept it in EX longest; P5_STALL_ISSUE = none */
    uint16_t hold_clocks;  /* clocks for which it did */
    uint64_t pf;           /* clock at which its last byte was in the prefetch buffers */
    uint64_t f;            /* clock at which F was entered (P55C); 0 = the processor has no F */
    uint64_t begin;        /* first clock of EX in which it worked, after waits for the x87 unit or the bus */
    uint64_t ready;        /* clock from which its result can be used */
    /* What it reads of earlier instructions. Of several values that one earlier instruction wrote, only one is listed,
     * an address before others. */
    p5_trace_source sources[P5_TRACE_SOURCES];
    uint16_t read_misses, write_misses; /* its data references that missed the cache, without REP strings */
} p5_trace_insn;
/* Calls `insn` for every instruction from now on, in program order; NULL ends that. Meanwhile every block
 * takes the slow path, which gives the same results. */
void p5_core_set_trace(p5_core *core, void (*insn)(void *context, const p5_trace_insn *insn), void *context);
/* Returns the reason of p5_trace_insn.unpaired in a few words, never NULL; "" for a pair. */
const char *p5_unpaired_text(unsigned reason);
/* Passes the whole state of the core (caches, predictors, bus, totals) to `write` in pieces; `write` returns
 * false to cancel. To be called between stretches only. A new core of the same model that loads this state
 * continues bit by bit as the saved one does; its blocks must be made again. P5_ERR_IO if `write` failed. */
p5_status p5_core_save(p5_core *core, bool (*write)(void *context, const void *bytes, size_t size),
                       void *context, p5_error *error);
/* Loads the state from `read`, which fills in exactly `size` bytes or returns false. Earlier revisions of the
 * snapshot format are accepted. P5_ERR_FORMAT: the bytes end too early, have another format, hold impossible
 * values, or come from another model; the core can then only be closed. */
p5_status p5_core_load(p5_core *core, bool (*read)(void *context, void *bytes, size_t size), void *context,
                       p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
