/* The interface of the structures that outlive instructions: caches, TLBs, write buffers, bus. A request has the core
 * clock at which it is made, and returns the clock at which it is done. The pipe reads no structure itself: it asks
 * through callbacks (pipe_resolver), which call these functions and, for branches, the predictor. */
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

/* Makes the structures in the state after RESET. Copies `hooks`, which may be NULL; `model` and `totals`, where events
 * are counted, must outlive the result. Returns NULL if memory is out. */
memory *memory_open(const p5_model *model, const p5_core_hooks *hooks, counts *totals);
void memory_close(memory *m); /* NULL is allowed */
/* Saves or loads the state. After loading, the caller must call memory_set_control. After an error, which `s` holds,
 * the state is not usable. */
void memory_transfer(memory *m, snapshot *s);
extern const snapshot_table memory_state; /* what a snapshot contains of the struct */

/* For the profile. memory_set_totals counts memory events in `totals` from now on. If `uses` is NULL, all events of a
 * request are in `totals` when it returns. Otherwise most data references are only counted by kind (reference_kind.h)
 * in `uses`, which has REFERENCE_USES elements; memory_fold_uses (memory_system.h) turns them into events.
 * memory_bus_taken returns the core clocks of the bus cycles begun since its last call; events 18h and 2Eh/0 count
 * these clocks as they pass. */
void memory_set_totals(memory *m, counts *totals, uint64_t *uses);
uint64_t memory_bus_taken(memory *m);

/* Sets the privilege class (P5_CPL_*) for which events are counted. Bus clocks up to now belong to the
 * previous class: call memory_advance first. */
void memory_set_class(memory *m, unsigned cpl_class);
/* Sets paging and the bits that disable caches: CR0.CD and NW, TR12.CI, DCI and CCI. */
void memory_set_control(memory *m, const p5_control *control);
/* MOV CR3 flushes all TLBs; INVLPG drops one page from them. */
void memory_load_cr3(memory *m);
void memory_invlpg(memory *m, uint32_t linear);
/* Prices a reference at `linear` that ends in a page fault (`code`: a fetch). If the TLB has an entry for the page, or
 * the owner walks no pages, the fault is known at `asked`, and nothing is counted. Otherwise counts one TLB miss (two
 * with the model's errata: erratum 44) and, for a fetch, one code read, and prices the walk, which fills no entry.
 * Returns the clock at which the fault is known. */
uint64_t memory_fault(memory *m, uint32_t linear, bool code, uint64_t asked);
/* Empty both caches. WBINVD waits for buffered writes and writes modified lines back first; returns the clock at which
 * that has ended. INVD drops modified lines, runs no bus cycle and returns `asked`. */
uint64_t memory_wbinvd(memory *m, uint64_t asked);
uint64_t memory_invd(memory *m, uint64_t asked);
/* Returns the clock at which all buffered writes have reached memory and EWBE# is active. Serialising
 * instructions and I/O wait for it. */
uint64_t memory_drained(memory *m, uint64_t asked);
/* Returns how many clocks after `now` all pending requests are completed. The data cache must not be frozen by CR0.CD.
 * */
uint64_t memory_backlog(const memory *m, uint64_t now);
/* Returns how many clocks after `now` a new bus cycle can begin. */
uint64_t memory_bus_backlog(const memory *m, uint64_t now);
/* Requests a write buffer for a branch trace message at `asked`, and returns the clock at which it is
 * available. `*end`: the clock at which the special cycle has ended. */
uint64_t memory_branch_message(memory *m, uint64_t asked, uint64_t *end);
/* Lets time pass up to `clock` without a request (HLT), so that other bus masters act. */
void memory_pass(memory *m, uint64_t clock);
/* Returns the clock of another bus master's next turn; UINT64_MAX if there is none. */
uint64_t memory_agent_turn(const memory *m);
/* memory_on_bus sets the receiver of uses of the bus (p5_core_on_bus), NULL for none; memory_report_bus passes it those
 * that are pending (p5_core_report_bus). */
void memory_on_bus(memory *m, void (*tell)(void *context, const p5_bus_use *uses, size_t count),
                   void *context);
void memory_report_bus(memory *m);
/* Sets the observer of requests and misses; NULL removes it. */
void memory_observe(memory *m, core_observer *o);
/* Sets the observer of accesses to the arrays; NULL removes it. memory_ask and memory_code report all accesses to it,
 * but memory_data_usual and memory_code_usual none: while there is an observer, the caller must not use them. */
void memory_observe_arrays(memory *m, array_observer *o);
/* Updates the bus duration events (18h, 2Eh/0) to `clock`, before totals are read. */
void memory_advance(memory *m, uint64_t clock);
/* Before totals are read: adds the events of references that the memory side itself has counted by kind, which it does
 * until memory_set_totals is called. */
void memory_fold(memory *m);

/* The fast path: makes a reference that is aligned, hits the TLB and the L1 cache (a write: an E or M line), is neither
 * P5_ACCESS_IO nor P5_ACCESS_LOCKED, and that nothing pending on bus or write buffers at `clock` delays. It must not be
 * one of a LOCK or XCHG (TRAIT_LOCK), which `access` does not show. Updates TLB and cache replacement state and M state
 * exactly as the slow path does. If it returns false, nothing has changed and memory_ask must be called. Counts no
 * events: the caller adds those of a hit (data_read or data_write, write_hit_to_m_or_e, data_read_or_write, the
 * MMX-only ones). */
static inline bool memory_data_usual(memory *m, const p5_access *access, uint64_t clock);
/* References that go to the bus regardless of the caches' contents. */
enum { ACCESS_ON_BUS = P5_ACCESS_IO | P5_ACCESS_LOCKED };
/* Makes any data reference, requested at core clock `asked` and described by `traits` (data_answer.h). If it
 * returns DATA_USUAL, the caller adds the events as for memory_data_usual. Otherwise it returns a word or
 * DATA_LONG, and the events (events.tsv, unit memory) are counted. A reference with P5_ACCESS_LOCKED is LOCK_MODIFY
 * whatever `traits` say. */
uint64_t memory_ask(memory *m, const p5_access *access, uint64_t asked, unsigned traits);
/* Unpacks the result of the last memory_ask, which was requested at `asked` and returned `word` (of any kind), into
 * `*answer`. */
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
/* P54C end bits: marks the instruction ends of `end_mask` [bit n = byte n of the line at `physical`] as decoded, and
 * returns which of these were marked already. If the code cache does not hold the line, marks nothing and returns 0. */
uint32_t memory_end_bits(memory *m, uint32_t physical, uint32_t end_mask);

#include "core/memory/memory_fast.h" /* the inline functions declared above */

#endif
