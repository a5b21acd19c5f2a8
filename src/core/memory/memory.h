/* The interface between the pipe (pipe.c and its units) and the structures that outlive instructions: caches,
 * TLBs, write buffers, bus. The pipe never reads a structure directly. It makes requests here (and in
 * branch.h) with a clock, and gets clocks back. */
#ifndef CORE_MEMORY_MEMORY_H
#define CORE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/event/counts.h"
#include "core/event/observer.h"
#include "core/memory/data_answer.h"
#include "p5tool/core.h"

typedef struct memory memory; /* caches, TLBs, write buffers, bus: memory_system.c and its unit files */

/* Returns NULL if memory is out. Memory events are counted in `totals`. `hooks` may be NULL. */
memory *memory_open(const p5_model *model, const p5_core_hooks *hooks, counts *totals);
void memory_close(memory *m);
/* Saves or loads the state. After loading, the caller must call memory_set_control. */
void memory_transfer(memory *m, snapshot *s);
extern const snapshot_table memory_state; /* what a snapshot contains of the struct */

/* For the profile. memory_set_totals counts memory events in `totals` from now on. When memory_data and
 * memory_code return, their events are in it, except for references counted by kind (reference_kind.h) in `uses`
 * if that is not NULL; memory_fold_uses turns these into events. memory_bus_taken returns the core clocks of the
 * bus cycles begun since its last call; events 18h and 2Eh/0 count these clocks as they pass. */
void memory_set_totals(memory *m, counts *totals, uint64_t *uses);
uint64_t memory_bus_taken(memory *m);

/* Sets the privilege class (P5_CPL_*) for which events are counted. Bus clocks up to now belong to the
 * previous class: call memory_advance first. */
void memory_set_class(memory *m, unsigned cpl_class);
/* Sets paging and the bits that disable caches: CR0.CD and NW, TR12.CI, DCI and CCI. */
void memory_set_control(memory *m, const p5_control *control);
/* MOV CR3 flushes both TLBs; INVLPG flushes one page. */
void memory_load_cr3(memory *m);
void memory_invlpg(memory *m, uint32_t linear);
/* Prices a reference at `linear` that ends in a page fault (`code`: a fetch): if the TLB has no entry, one miss (two
 * in silicon, erratum 44) and the walk, which fills no TLB entry. Returns the clock at which the fault is
 * known: `asked` if the TLB has an entry. */
uint64_t memory_fault(memory *m, uint32_t linear, bool code, uint64_t asked);
/* WBINVD (with write-backs) and INVD. Both return the clock at which the last bus cycle has ended. */
uint64_t memory_wbinvd(memory *m, uint64_t asked);
uint64_t memory_invd(memory *m, uint64_t asked);
/* Returns the clock at which all buffered writes have reached memory and EWBE# is active. Serialising
 * instructions and I/O wait for it. */
uint64_t memory_drained(memory *m, uint64_t asked);
/* Return how many clocks after `now` all pending requests are completed (the data cache must not be frozen by CR0.CD),
 * and how many after `now` a new bus cycle can begin. */
uint64_t memory_backlog(const memory *m, uint64_t now);
uint64_t memory_bus_backlog(const memory *m, uint64_t now);
/* Requests a write buffer for a branch trace message at `asked`, and returns the clock at which it is
 * available. `*end`: the clock at which the special cycle has ended. */
uint64_t memory_branch_message(memory *m, uint64_t asked, uint64_t *end);
/* Lets time pass up to `clock` without a request (HLT), so that other bus masters act. */
void memory_pass(memory *m, uint64_t clock);
/* Returns the clock of another bus master's next turn; UINT64_MAX if there is none. */
uint64_t memory_agent_turn(const memory *m);
/* Set the receiver of uses of the bus, and report them (p5_core_on_bus, p5_core_report_bus). */
void memory_on_bus(memory *m, void (*tell)(void *context, const p5_bus_use *uses, size_t count),
                   void *context);
void memory_report_bus(memory *m);
/* Sets the observer of requests and misses; NULL removes it. */
void memory_observe(memory *m, core_observer *o);
/* Sets the observer of accesses to the arrays. It sees hits only through memory_ask and memory_code:
 * memory_data_usual and memory_code_usual do not report to it. */
void memory_observe_arrays(memory *m, array_observer *o);
/* Updates the bus duration events (18h, 2Eh/0) to `clock`, before totals are read. */
void memory_advance(memory *m, uint64_t clock);
/* Adds the events of the references that were counted by kind so far to the totals. */
void memory_fold(memory *m);

/* The fast path: TLB hit, L1 hit, aligned, and nothing pending on bus or write buffers at `clock` that could
 * delay it; a write hits an E or M line. Updates TLB and cache replacement state and M state exactly as the
 * slow path does. If it returns false, nothing has changed and memory_ask must be called. Counts no events:
 * the caller adds those of a hit (data_read or data_write, write_hit_to_m_or_e, data_read_or_write, the
 * MMX-only ones). */
static inline bool memory_data_usual(memory *m, const p5_access *access, uint64_t clock);
/* References that go to the bus regardless of the caches' contents. */
enum { ACCESS_ON_BUS = P5_ACCESS_IO | P5_ACCESS_LOCKED };
/* Makes any data reference, requested at core clock `asked` and described by `traits` (data_answer.h). If it
 * returns DATA_USUAL, the caller adds the events as for memory_data_usual. Otherwise it returns a word or
 * DATA_LONG, and the events (events.tsv, unit memory) are counted. P5_ACCESS_LOCKED implies LOCK_MODIFY. */
uint64_t memory_ask(memory *m, const p5_access *access, uint64_t asked, unsigned traits);
/* Unpacks the result of the last memory_ask, which was requested at `asked` and returned `word`, into `*answer`. */
void memory_answered(const memory *m, uint64_t word, uint64_t asked, data_answer *answer);
/* Returns whether the last memory_ask, which returned `word`, hit the cache. */
static inline bool memory_answered_hit(const memory *m, uint64_t word);
/* Does what memory_ask does and counts all events. */
void memory_data(memory *m, const p5_access *access, uint64_t asked, unsigned traits, data_answer *answer);

/* The result of a code fetch of the 32-byte line that contains `physical`. */
typedef struct code_answer {
    uint64_t ready[4]; /* clock at which each 8-byte part can be decoded: on a hit, the clock of the request,
                          unless there was a walk or the part is still being filled */
    bool hit;          /* the line is in the cache or being filled */
    bool tlb_miss;     /* the page was walked for */
} code_answer;
/* The fast path for code: TLB and cache hit, no fill of that line pending at `clock`. Like memory_data_usual
 * it counts nothing (the caller adds code_read). memory_code, the slow path, counts code_read, code_tlb_miss
 * and code_cache_miss itself. */
static inline bool memory_code_usual(memory *m, uint32_t linear, uint32_t physical, uint64_t clock);
void memory_code(memory *m, uint32_t linear, uint32_t physical, uint64_t asked, code_answer *answer);
/* Returns the physical address of `linear`, where an instruction continues in the next page. If the core's owner
 * does not translate (p5_core_hooks.translate), it is `contiguous`. */
uint32_t memory_next_code_page(const memory *m, uint32_t linear, uint32_t contiguous);
/* P54C end bits: marks the instruction ends of `end_mask` [bit n = byte n of the line at `physical`] as
 * decoded and returns those that were marked already. */
uint32_t memory_end_bits(memory *m, uint32_t physical, uint32_t end_mask);

#include "core/memory/memory_fast.h" /* the inline functions declared above */

#endif
