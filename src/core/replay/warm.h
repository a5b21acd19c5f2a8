/* Fast-forward: what was executed goes through caches, TLBs and branch predictor, in order, and is not
 * priced.
 *
 * The core's clock goes on by one clock with each instruction, so that timers and the time-stamp counter of
 * the guest move; nothing is counted. Which lines a cache holds can depend on time (a line becomes exclusive
 * when its write-through has ended, the DRAM page that is open), so the memory side is asked as by the pipe,
 * at clocks of its own in which every reference waits for the one before. They are forgotten at the end:
 * everything that is under way has come to its end then. */
#ifndef CORE_REPLAY_WARM_H
#define CORE_REPLAY_WARM_H

#include "core/event/counts.h"
#include "p5scope/core.h"

typedef struct warm_block warm_block;

typedef struct warm {
    uint64_t clock;   /* the memory side's own */
    counts scratch;   /* what it counts */
    counts *totals;   /* where it counted before */
    uint64_t taken;   /* bus.taken before */
    uint32_t line;    /* linear address of the line of code that was looked up last, and */
    uint64_t changes; /* memory_code_changes then: looking it up again changes nothing; 0: it may */
    uint32_t block;   /* the 16 bytes of code that were fetched last */
    bool redirect;    /* the next instruction begins a new stream */
    uint32_t last_u, previous_u; /* P54C: first instructions of the last pair, and of the one before */
} warm;

/* An exception or interrupt is delivered; time passes in HLT. */
void warm_exception(p5_core *core, const p5_exception *e);
void warm_halt(p5_core *core, uint64_t clocks);

#endif
