/* The contract between the pipe (pipe.c and its units) and the structures that live as long as the machine:
 * caches, TLBs, write buffers, bus. The pipe never looks into a structure; it asks here (and in branch.h),
 * with a clock, and gets times. */
#ifndef CORE_MEMORY_MEMORY_H
#define CORE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/event/counts.h"
#include "core/event/observer.h"
#include "core/memory/data_answer.h"
#include "p5scope/core.h"

typedef struct memory memory; /* caches, TLBs, write buffers, bus: memory_system.c over its unit files */

/* NULL when memory is out. `totals` is where the memory events are counted;
 * `hooks` may be NULL. */
memory *memory_open(const p5_model *model, const p5_core_hooks *hooks, counts *totals);
void memory_close(memory *m);
/* Its state in snapshots, in either direction. Loading: memory_set_control comes afterwards. */
void memory_transfer(memory *m, snapshot *s);
extern const snapshot_table memory_state;

/* For the profile. Memory events are counted in `totals` from now on; what memory_data and memory_code count
 * stands there when they return, but for the references that are counted in `uses` by kind, if that is not
 * NULL (memory_fold_uses). The other: core clocks of the bus cycles that were begun since it was called last;
 * events 18h and 2Eh/0 count them as they pass. */
void memory_set_totals(memory *m, counts *totals, uint64_t *uses);
uint64_t memory_bus_taken(memory *m);

/* Privilege class (P5_CPL_*) that events are counted for from now on. Bus clocks up to now belong to the
 * class before: call memory_advance first. */
void memory_set_class(memory *m, unsigned cpl_class);
/* Cache-disable and inhibit bits, paging. */
void memory_set_control(memory *m, const p5_control *control);
/* MOV CR3 flushes both TLBs; INVLPG one page. */
void memory_load_cr3(memory *m);
void memory_invlpg(memory *m, uint32_t linear);
/* A reference at `linear` that ends in a page fault, known at `asked`: if the TLB has no entry for it, the
 * miss (two of them in silicon, erratum 44) and the walk, of which nothing is kept. Answers when the fault is
 * known. */
uint64_t memory_fault(memory *m, uint32_t linear, bool code, uint64_t asked);
/* WBINVD (with write-backs) and INVD; answer: the clock at which the last bus cycle has ended. */
uint64_t memory_wbinvd(memory *m, uint64_t asked);
uint64_t memory_invd(memory *m, uint64_t asked);
/* The clock at which all buffered writes are on memory and EWBE# is active: serialising instructions and I/O
 * wait for it. */
uint64_t memory_drained(memory *m, uint64_t asked);
/* Clocks from `now` until it has done what it was asked for, and until a bus cycle that is asked for then can
 * begin. */
uint64_t memory_backlog(const memory *m, uint64_t now);
uint64_t memory_bus_backlog(const memory *m, uint64_t now);
/* A branch trace message asks for a write buffer at `asked`: answers the clock at which it has one; `*end`:
 * the special cycle has ended. */
uint64_t memory_branch_message(memory *m, uint64_t asked, uint64_t *end);
/* Time has passed up to `clock` without a request (HLT): what other bus masters did meanwhile. */
void memory_pass(memory *m, uint64_t clock);
/* Who is told of uses of the bus (p5_core_on_bus, p5_core_tell_bus). */
void memory_on_bus(memory *m, void (*tell)(void *context, const p5_bus_use *uses, size_t count),
                   void *context);
void memory_tell_bus(memory *m);
/* Who asks for what, and what misses, is told to `o` from now on; NULL: to nobody. */
void memory_observe(memory *m, core_observer *o);
/* ... what is done with the arrays. That of hits is told by memory_ask and memory_code: the usual case tells
 * nothing. */
void memory_observe_arrays(memory *m, array_observer *o);
/* Brings the bus duration events (18h, 2Eh/0) up to `clock`, before somebody reads totals. */
void memory_advance(memory *m, uint64_t clock);
/* Brings the totals up to the references that were counted by kind. */
void memory_fold(memory *m);

/* The usual case, inlined into the hot path: TLB hit, L1 hit, aligned, nothing pending on bus or write
 * buffers at `clock` that could delay it, a write hits an E or M line. Updates TLB and cache replacement
 * state and M state exactly as the exact path would. If it returns false nothing has been changed and
 * memory_ask must be called instead. Counts no events: the caller adds those of a hit (data_read or
 * data_write, write_hit_to_m_or_e, data_read_or_write, the MMX-only ones). */
static inline bool memory_data_usual(memory *m, const p5_access *access, uint64_t clock);
/* References that go to the bus whatever the caches hold. */
enum { ACCESS_ON_BUS = P5_ACCESS_IO | P5_ACCESS_LOCKED };
/* Any data reference, asked for in core clock `asked` by who is described by `how` (data_answer.h). The
 * answer is DATA_USUAL, of which the caller adds the events as of memory_data_usual, or a word or DATA_LONG,
 * whose events (events.tsv, unit memory) are counted. P5_ACCESS_LOCKED is LOCK_MODIFY. */
uint64_t memory_ask(memory *m, const p5_access *access, uint64_t asked, unsigned how);
/* What the last of them came to, which was asked for at `asked` and answered by `word`. */
void memory_answered(const memory *m, uint64_t word, uint64_t asked, data_answer *answer);
static inline bool memory_answered_hit(const memory *m, uint64_t answer);
/* memory_ask for who wants all events counted. */
void memory_data(memory *m, const p5_access *access, uint64_t asked, unsigned how, data_answer *answer);

/* Code fetch of the 32-byte line that contains `physical`. */
typedef struct code_answer {
    uint64_t ready[4]; /* clock at which each 8-byte part can be decoded; == asked on a hit */
    bool hit, tlb_miss;
} code_answer;
/* Code TLB and cache hit with no fill of that line pending at `clock`: like memory_data_usual, counts nothing
 * (the caller adds code_read). The exact path counts code_read, code_tlb_miss and code_cache_miss itself. */
static inline bool memory_code_usual(memory *m, uint32_t linear, uint32_t physical, uint64_t clock);
void memory_code(memory *m, uint32_t linear, uint32_t physical, uint64_t asked, code_answer *answer);
/* Physical address of `linear`, where an instruction goes on in the next page; `contiguous` if the core's owner does
 * not translate. */
uint32_t memory_next_code_page(const memory *m, uint32_t linear, uint32_t contiguous);
/* P54C end bits: marks the instruction ends of `end_mask` [bit n = byte n of the line at `physical`] as
 * decoded and answers which of them were marked since the line was last filled. */
uint32_t memory_end_bits(memory *m, uint32_t physical, uint32_t end_mask);

#include "core/memory/memory_fast.h" /* the functions above that are inline */

#endif
