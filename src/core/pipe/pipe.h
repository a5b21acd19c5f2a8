/* The pipe prices instructions in program order by the clocks at which each group (one or two instructions)
 * enters D1, D2 and EX.
 *
 *   PF --> [F --> FIFO] --> D1 --> D2 --> EX --> WB          in order, one group in each of D1, D2, EX
 *
 *   d1(g)  = max(D1 left by g-1, instruction decoded or fetched)
 *   d2(g)  = max(d1(g) + D1 clocks, EX entered by g-1)
 *   ex(g)  = max(d2(g) + 1, EX left by g-1, addresses and operands ready)
 *   end(g) = ex(g) + EX clocks, data references included
 *
 * A group that stays long in EX therefore lets D1 work ahead by exactly two groups, which hides prefix clocks
 * (Agner Fog, chapter 4: shadowing).
 *
 * An instruction that can be the first of a pair stays in D1 until the next one is known. It is then *pending*, also
 * beyond the end of a stretch.
 *
 * A stretch is a run of instructions priced by pipe_begin, pipe_run and pipe_end. Its outcome depends only on
 * the pipe's state, the operations and the resolver's answers, and does not change if the stretch is split.
 * pipe_store saves the state between stretches, and pipe_load restores it. Clocks are relative to a common beginning
 * (pipe.start) unless they are called absolute. */
#ifndef CORE_PIPE_PIPE_H
#define CORE_PIPE_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/branch/branch.h"
#include "core/pipe/operation.h"
#include "core/pipe/breakpoints.h"
#include "core/pipe/fifo.h"
#include "core/pipe/fpu.h"
#include "core/memory/memory.h"
#include "core/pipe/mmx.h"
#include "core/event/observer.h"
#include "core/pipe/prefetch.h"
#include "core/model/timing.h"
#include "core/pipe/trace.h"

/* Clocks for which a group was held in EX, by cause (p5_stall): waits for a page walk, a read, the second half of a
 * misaligned reference, a write buffer, older writes, a locked sequence, a port, a bank of the data cache. */
typedef struct ex_holds {
    uint32_t tlb, read, misaligned, write_buffer, write_order, locked, io, bank;
} ex_holds;

/* Iterations of a REP string. Each makes one reference, or a read and a write in the same clock. The first is
 * requested at `asked`; each later one is requested `step` clocks after the one before, plus the clocks that
 * one waited. */
typedef struct pipe_string {
    const p5_access *accesses;
    unsigned each, iterations; /* references per iteration; number of iterations */
    unsigned step;             /* clocks */
    uint64_t asked;            /* absolute clock */
    /* Results: */
    unsigned hits[2]; /* iterations whose first reference hit without waiting; whose second did */
    ex_holds held;    /* waits are added */
    int64_t waited;   /* clocks that all iterations waited */
} pipe_string;

/* Callbacks that look up the caches and other structures. `asked` is an absolute clock; `traits` and the result
 * of `data` are described in data_answer.h: DATA_USUAL (a hit, which the pipe counts), a word, or DATA_LONG
 * after filling `answer` (the events of the latter two are already counted). `code` returns true for a hit,
 * false after filling `answer`. */
typedef struct pipe_resolver {
    void *context;
    uint64_t (*data)(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                     data_answer *answer);
    /* Looks up all references of `s` as `data` does. If it is NULL or returns false, they are looked up one
     * by one. */
    bool (*string)(void *context, pipe_string *s);
    bool (*code)(void *context, uint32_t linear, uint64_t asked, code_answer *answer);
    bool (*end_known)(void *context, const op *o); /* P54C: the end bit of `o` was set before */
    void (*branch)(void *context, const branch_query *query, branch_answer *answer);
    /* P54C: reports a pair without a branch that followed the pair of `previous_u`. Returns true if the BTB
     * predicted a taken branch there. NULL: never. */
    bool (*passed)(void *context, uint32_t previous_u);
    /* Returns the absolute clock at which all buffered writes have reached memory, for which serialising instructions
     * wait. NULL: they do not wait. */
    uint64_t (*drained)(void *context, uint64_t asked);
} pipe_resolver;

/* One executed instruction. */
typedef struct pipe_insn {
    const op *op;
    const p5_access *accesses; /* its data references */
    uint32_t access_count;
    uint32_t clocks;       /* EX clocks from cost.c */
    uint32_t next;         /* address of the next instruction executed */
    bool taken;            /* for branches */
    bool unsafe_x87;       /* x87: an operand is outside the safe exponent range */
    bool saturated;        /* MMX: at least one element was clipped */
    bool complete;         /* false: a REP string that was interrupted, which is not counted */
    uint8_t flops;         /* increments of event 22h */
    uint8_t segment_loads; /* increments of event 0Fh */
    bool descriptor;       /* it read a descriptor */
} pipe_insn;

/* An instruction in D1 whose partner is not known yet. */
typedef struct pipe_pending {
    op operation;   /* copy of the block's op, which may be freed */
    pipe_insn insn; /* its pointers lead to the other members */
    p5_access accesses[2];
    int64_t available;  /* clock from which D1 could take it */
    int64_t miss_until; /* pipe_state.miss_until when it was fetched */
    pipe_front front;
    uint8_t next_unpaired; /* copy of operation.next_unpaired */
    bool end_known;        /* P54C: its end bit was set before */
} pipe_pending;

/* The state between two stretches, in a form in which equal situations have equal bytes. Times are relative
 * to `now`, the clock at which EX is free; times too long ago to matter are clamped. */
typedef struct pipe_state {
    int16_t d1_free, d2_free; /* clocks at which the last group left D1 and D2 */
    prefetch_state prefetch;
    fifo_state fifo;
    fpu_state fpu;
    mmx_state mmx;
    int16_t refill_until, miss_until; /* ends of the EX clocks that are attributed to a misprediction or a
                                         code miss */
    uint8_t agi_gpr;                  /* registers written in the clock before `now` */
    uint8_t x87_mode;                 /* MODE_* (mmx.h) */
    bool end_bit_missed;              /* P54C: the last group was not paired because an end bit was not set */
    bool refill_taken;                /* errata: a product is pending after a mispredicted taken branch */
} pipe_state;

/* Control inputs that reach the pipe. */
typedef struct pipe_control {
    bool no_pairing;  /* EFLAGS.TF or TR12.SE */
    bool fpu_trap;    /* CR0.EM or CR0.TS: no MMX instruction in V */
    bool single_step; /* EFLAGS.TF */
    unsigned ideal;   /* P5_IDEAL_*: parts that are perfect; if not 0, the pipe is not fast */
} pipe_control;

/* Members of the same name as in pipe_state have the same meaning. */
typedef struct pipe {
    const timing *timing;
    const pipe_resolver *resolver;
    pipe_deltas *deltas; /* where events and clocks by cause are counted */
    pipe_control control;
    uint64_t start; /* absolute clock of relative time 0 */
    int64_t now;    /* clock at which EX is free after the last group */
    int64_t begun;  /* `now` at pipe_begin */
    bool fast;      /* kind of pipe: see pipe_internal.h */
    bool is_held;   /* some member of `held`, which is of the group in EX, is not 0 */
    ex_holds held;
    int64_t d1_free, d2_free;
    prefetch prefetch;
    fifo fifo;
    fpu_unit fpu;
    mmx_unit mmx;
    bool none_awaited; /* no result of `fpu` or `mmx` is pending: all of their clocks are -1 */
    int64_t refill_until, miss_until;
    uint8_t agi_gpr, x87_mode;
    bool end_bit_missed, refill_taken;
    const pipe_insn *waiting; /* instruction in D1 that waits for its partner, or NULL. After pipe_run it is
                                 pending.insn */
    bool has_pending;         /* `waiting` is not NULL, for snapshots */
    pipe_pending pending;     /* the rest of the pending instruction. Its clocks are relative like those of
                                 the pipe */
    uint32_t next;            /* address of the next instruction, unless `is_loaded` */
    bool is_loaded;           /* `next` is unknown: no stretch has begun since pipe_load */
    int64_t decoded;          /* clock in which D1 had read the latest instruction (P54C) */
    uint32_t last_u;          /* address of the U instruction of the last group */
    uint32_t previous_u;      /* P54C: address of the U instruction of the group before the last */
    unsigned groups, instructions;  /* since pipe_begin */
    uint64_t branch_pairs;          /* P54C: pairs since the current branch last ran; the owner sets it */
    trace_sink *trace;              /* NULL: instructions are not traced */
    core_observer *observer;        /* NULL: none */
    pipe_front issued_front[2];     /* of the instructions that go to U and V, if there is an observer or
                                       tracer */
    const breakpoints *breakpoints; /* NULL: none are set */
    bool match_missed,
        match_twice; /* errata: a code breakpoint at the next instruction is not counted, or twice */
} pipe;

/* The members that snapshots hold. `pipe_fields` is for a pipe between stretches. */
extern const snapshot_table pipe_state_fields, pipe_fields;
/* Sets the state after RESET. */
void pipe_reset(pipe_state *state);
/* Restores `state`, with relative clock 0 at its end. Leaves the pending instruction as it is (pipe_load_pending). */
void pipe_load(pipe *p, const pipe_state *state, const timing *t);
/* Restores the pending instruction from `stored`, or none (NULL). Its references are in p->pending. */
void pipe_load_pending(pipe *p, const pipe_pending *stored);
/* Adds the waits of a reference that was requested at `asked` to `held`. The result `word` is not DATA_USUAL.
 * Returns how long the reference waited. */
int64_t pipe_add_hold(ex_holds *held, uint64_t asked, uint64_t word, const data_answer *answer);
/* Saves the state between two stretches, without the pending instruction (pipe_store_pending). Changes clocks of `p`
 * that no longer matter, so that situations with the same future have equal bytes. `state` must have been reset, so
 * that its padding stays 0. */
void pipe_store(pipe *p, pipe_state *state);
/* Saves the pending instruction without its references, which differ each time, and without pointers, so that
 * equal situations have equal bytes. */
void pipe_store_pending(const pipe *p, pipe_pending *stored);
/* Returns how far PF is ahead of the decoders, relative to now. */
static inline prefetch_ahead pipe_ahead(const pipe *p)
{
    prefetch_ahead ahead = {.clock = p->prefetch.ahead.clock - p->now, .used = p->prefetch.ahead.used};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead.freed[i] = p->prefetch.ahead.freed[i] - p->now;
    return ahead;
}

/* Removes how far PF is ahead from a state that does not need it (prefetch_leads). pipe_set_ahead sets it in a pipe
 * that was restored from such a state, to `ahead`, whose clocks are relative to now. */
void pipe_forget_ahead(pipe_state *state, const timing *t);
void pipe_set_ahead(pipe *p, const prefetch_ahead *ahead);
/* Saves the state and restores it, which makes all clocks of `p` relative to now. */
void pipe_rebase(pipe *p, pipe_state *state);
/* Begins a stretch at the absolute clock `start`; the next instruction is at `address`. */
void pipe_begin(pipe *p, uint64_t start, uint32_t address, const pipe_resolver *resolver,
                pipe_deltas *deltas);
/* Executes `count` instructions. The last one may stay pending. */
void pipe_run(pipe *p, const pipe_insn *insns, unsigned count);
/* Issues the pending instruction, if any, alone. */
void pipe_settle(pipe *p);
/* Forgets all pending results of the x87 and MMX pipes. */
void pipe_finish_units(pipe *p);
/* Prices the delivery of an exception or interrupt, or HLT: `clocks` of `cause`, with the references of the
 * microcode. The next instruction is fetched anew; `clocks` include the refill. No instruction may be
 * pending. */
void pipe_deliver(pipe *p, const p5_access *accesses, uint32_t access_count, unsigned clocks, p5_stall cause);
/* Ends a stretch and returns its clocks. A pending instruction stays in p->pending. */
int64_t pipe_end(pipe *p);
/* Returns the clock, relative to the state's, at which the next instruction could enter EX. The clocks of a
 * pending instruction are not included. */
int64_t pipe_next_entry(const pipe_state *state, const timing *t);

#endif
