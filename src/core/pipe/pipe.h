/* The pipe: prices instructions in program order by the clocks at which each group (one or two instructions)
 * enters D1, D2 and EX.
 *
 *   PF --> [F --> FIFO] --> D1 --> D2 --> EX --> WB          in order, one group in each of D1, D2, EX
 *
 *   d1(g)  = max(D1 left by g-1, instruction decoded or fetched)
 *   d2(g)  = max(d1(g) + D1 clocks, EX entered by g-1)
 *   ex(g)  = max(d2(g) + 1, EX left by g-1, addresses and operands ready)
 *   end(g) = ex(g) + EX clocks, data references included
 *
 * A group that stays long in EX therefore lets D1 work ahead by exactly two groups: that is where prefix
 * clocks hide (Agner Fog, 4: shadowing).
 *
 * pipe_begin, pipe_run for the instructions, pipe_end: a pure function of what the pipe was, operations and
 * what the resolver answers. Running a stretch in pieces gives the same bits. Between stretches the pipe
 * stays as it is; pipe_store makes a state of it, pipe_load goes on from one. */
#ifndef CORE_PIPE_PIPE_H
#define CORE_PIPE_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/branch/branch.h"
#include "core/pipe/block.h"
#include "core/pipe/breakpoints.h"
#include "core/pipe/fifo.h"
#include "core/pipe/fpu.h"
#include "core/memory/memory.h"
#include "core/pipe/mmx.h"
#include "core/event/observer.h"
#include "core/pipe/prefetch.h"
#include "core/model/timing.h"
#include "core/pipe/trace.h"

/* What held EX, clock by clock, while a group was in it. */
typedef struct ex_holds {
    uint32_t tlb, read, misaligned, write_buffer, write_order, locked, io, bank;
} ex_holds;

/* Iterations of a REP string, each of one reference, or of a read and a write in its clock. The first is
 * asked for at `asked`, each of the others `step` clocks behind the one before and what that waited. */
typedef struct pipe_string {
    const p5_access *accesses;
    unsigned each, iterations; /* references of each; how many */
    unsigned step;
    uint64_t asked;
    /* What they came to: */
    unsigned hits[2]; /* usual answers to the first reference of an iteration, and to the second */
    ex_holds held;
    int64_t waited; /* all together */
} pipe_string;

/* Who answers for the structures. `asked` is an absolute clock, `how` and the answer to `data` as in
 * data_answer.h: DATA_USUAL (the pipe then counts the hit), a word, or DATA_LONG after filling `answer` (the
 * events of these are counted already). `code` returns true for the usual answer, false after filling
 * `answer`. */
typedef struct pipe_resolver {
    void *context;
    uint64_t (*data)(void *context, const p5_access *access, uint64_t asked, unsigned how,
                     data_answer *answer);
    /* Asks for all references of `s` as `data` does. NULL, or false: they have to be asked for one by one. */
    bool (*string)(void *context, pipe_string *s);
    bool (*code)(void *context, uint32_t linear, uint64_t asked, code_answer *answer);
    bool (*end_known)(void *context, const op *o); /* P54C: the end bit of `o` was set before */
    void (*branch)(void *context, const branch_query *query, branch_answer *answer);
    /* P54C: a pair without a branch went by, behind the pair of `previous_u`. True: the BTB predicted a taken
     * branch there. NULL: never. */
    bool (*passed)(void *context, uint32_t previous_u);
    uint64_t (*drained)(void *context, uint64_t asked);
} pipe_resolver;

/* One executed instruction. */
typedef struct pipe_insn {
    const op *op;
    const p5_access *accesses;
    uint32_t access_count;
    uint32_t clocks; /* EX clocks by cost.c */
    uint32_t next;   /* address of the next instruction executed */
    bool taken;      /* branches */
    bool unsafe_x87;
    bool saturated;
    bool complete; /* false: a REP string that was interrupted; it is not counted */
    uint8_t flops; /* increments of event 22h */
    uint8_t segment_loads;
    bool descriptor; /* it read a descriptor */
} pipe_insn;

/* An instruction in D1 whose partner is not known yet. */
typedef struct pipe_pending {
    op operation;
    pipe_insn insn;
    p5_access accesses[2];
    int64_t available;  /* relative like everything in a state */
    int64_t miss_until; /* see pipe_state */
    pipe_front front;
    uint8_t next_unpaired;
    bool end_known;
} pipe_pending;

/* What one stretch hands to the next, in a form in which equal situations are equal bytes. Times are relative
 * to `now`, the clock at which EX is free; times too long ago to matter are cut off. */
typedef struct pipe_state {
    int16_t d1_free, d2_free;
    prefetch_state prefetch;
    fifo_state fifo;
    fpu_state fpu;
    mmx_state mmx;
    int16_t refill_until, miss_until; /* EX clocks that a misprediction or a code miss still answers for */
    uint8_t agi_gpr;                  /* registers written in the clock before `now` */
    uint8_t x87_mode;                 /* MODE_* (mmx.h) */
    bool end_bit_missed;              /* P54C: the last group stayed single for want of an end bit */
    bool refill_taken;                /* errata: behind a mispredicted taken branch, a product is awaited */
} pipe_state;

/* Control inputs that reach the pipe. */
typedef struct pipe_control {
    bool no_pairing; /* TF or TR12.SE */
    bool fpu_trap;
    bool single_step; /* TF */
} pipe_control;

typedef struct pipe {
    const timing *timing;
    const pipe_resolver *resolver;
    pipe_deltas *deltas;
    pipe_control control;
    uint64_t start; /* absolute clock of relative time 0 */
    int64_t now;
    int64_t begun; /* `now` of pipe_begin */
    bool plain;    /* the kind of pipe: pipe_internal.h */
    bool is_held;  /* `held` is not all 0. Of the group in EX */
    ex_holds held;
    int64_t d1_free, d2_free;
    prefetch prefetch;
    fifo fifo;
    fpu_unit fpu;
    mmx_unit mmx;
    bool none_awaited; /* no result of `fpu` or `mmx`: all of their clocks are -1 */
    int64_t refill_until, miss_until;
    uint8_t agi_gpr, x87_mode;
    bool end_bit_missed, refill_taken;
    const pipe_insn *waiting; /* in D1 for its partner, or NULL; behind pipe_run it is pending.insn, */
    bool has_pending;         /* ... which a snapshot holds */
    pipe_pending pending;     /* the rest of what is known of it. Its clocks are relative like those of the
                                 pipe */
    uint32_t next;            /* address of the instruction that comes next, */
    bool is_loaded;           /* ... which is not known: nothing has come since pipe_load */
    int64_t decoded;          /* clock in which D1 had read the youngest instruction (P54C) */
    uint32_t last_u;          /* address of the U instruction of the last group */
    uint32_t previous_u;      /* P54C: ... of the group before */
    unsigned groups, instructions; /* since pipe_begin */
    uint64_t branch_pairs;         /* P54C: pairs since the branch at hand last ran: set by the owner */
    trace_sink *trace;
    core_observer *observer;        /* NULL: nobody watches */
    pipe_front issued_front[2];     /* of the instructions that go to U and V, if somebody watches */
    const breakpoints *breakpoints; /* NULL: none are set */
    bool match_missed, match_twice; /* errata: code breakpoint of the next instruction */
} pipe;

/* What of both is in snapshots. The pipe: between stretches. */
extern const snapshot_table pipe_state_fields, pipe_fields;
/* After RESET. */
void pipe_reset(pipe_state *state);
/* Goes on from `state`, */
void pipe_load(pipe *p, const pipe_state *state, const timing *t);
/* ... with what waits as `stored`, or nothing (NULL); its references stand in p->pending. */
void pipe_load_pending(pipe *p, const pipe_pending *stored);
/* Adds to what held EX the waits of a reference that was asked for at `asked`, and its answer: not
 * DATA_USUAL. Answers how long it waited. */
int64_t pipe_add_hold(ex_holds *held, uint64_t asked, uint64_t word, const data_answer *answer);
/* The state between two stretches. `state`: one that was reset; what lies between its members stays 0. */
void pipe_store(pipe *p, pipe_state *state);
/* ... and what waits, without its references, which are other ones each time, and without pointers: what is
 * the same is the same bytes. */
void pipe_store_pending(const pipe *p, pipe_pending *stored);
/* How far PF is ahead, relative to now. */
static inline prefetch_ahead pipe_ahead(const pipe *p)
{
    prefetch_ahead ahead = {.clock = p->prefetch.ahead.clock - p->now, .used = p->prefetch.ahead.used};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead.freed[i] = p->prefetch.ahead.freed[i] - p->now;
    return ahead;
}

/* A state without it, if it is left out of that (prefetch_leads), and a pipe that goes on from there with it.
 */
void pipe_forget_ahead(pipe_state *state, const timing *t);
void pipe_go_on_ahead(pipe *p, const prefetch_ahead *ahead);
/* Stores the state and goes on from it: all clocks of `p` are relative to now. */
void pipe_rebase(pipe *p, pipe_state *state);
/* Begins a stretch at the absolute clock `start`; the next instruction is at `address`. */
void pipe_begin(pipe *p, uint64_t start, uint32_t address, const pipe_resolver *resolver,
                pipe_deltas *deltas);
/* Executes `count` instructions. */
void pipe_run(pipe *p, const pipe_insn *insns, unsigned count);
/* Lets an instruction that waits for a partner go alone. */
void pipe_settle(pipe *p);
/* Nothing is awaited of the x87 and MMX pipes any more. */
void pipe_finish_units(pipe *p);
/* Delivery of an exception or interrupt, or HLT: `clocks` of `cause`, with the references of the microcode.
 * The next instruction is fetched anew; the refill is part of the clocks. Nothing may be pending. */
void pipe_deliver(pipe *p, const p5_access *accesses, uint32_t access_count, unsigned clocks, p5_stall cause);
/* Ends a stretch; answers its clocks. A pending instruction stays in p->pending. */
int64_t pipe_end(pipe *p);
/* Clock, relative to the state's, at which an instruction that comes next could enter EX. Nothing may be
 * pending. */
int64_t pipe_next_entry(const pipe_state *state, const timing *t);

#endif
