/* The contract between the pipe (pipe.c and its units) and the structures that live as long as the machine:
 * caches, TLBs, write buffers, bus. The pipe never looks into a structure; it asks here (and in branch.h),
 * with a clock, and gets times. */
#ifndef CORE_MEMORY_MEMORY_H
#define CORE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/event/counts.h"
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

/* RESET: everything invalid. (INIT keeps the caches: memory_load_cr3.) */
void memory_reset(memory *m);

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
/* A branch trace message asks for a write buffer at `asked`: answers the clock at which it has one; `*end`:
 * the special cycle has ended. */
uint64_t memory_branch_message(memory *m, uint64_t asked, uint64_t *end);
/* Time has passed up to `clock` without a request (HLT): what other bus masters did meanwhile. */
void memory_pass(memory *m, uint64_t clock);
/* Who is told of uses of the bus (p5_core_on_bus, p5_core_tell_bus). */
void memory_on_bus(memory *m, void (*tell)(void *context, const p5_bus_use *uses, size_t count),
                   void *context);
void memory_tell_bus(memory *m);
/* Brings the bus duration events (18h, 2Eh/0) up to `clock`, before somebody reads totals. */
void memory_advance(memory *m, uint64_t clock);
/* Brings the totals up to the references that were counted by kind. */
void memory_fold(memory *m);

/* What one data reference came to. All clocks are absolute core clocks. The stall clocks are those that the
 * pipe is held beyond the reference's own EX clock, by cause; they add up to `done - asked`. */
typedef struct data_answer {
    uint64_t done; /* the reference's EX clock may end at this clock (== asked when nothing is in the way) */
    /* The words are for those who compare and keep answers. */
    union {
        uint64_t word1;
        struct {
            uint16_t tlb, read, misaligned, write_buffer;
        };
    };
    union {
        uint64_t word2;
        struct {
            uint16_t write_order, locked, io;
            bool hit; /* L1 hit (for events 3, 4, 5) */
            bool is_misaligned;
        };
    };
    bool exclusive_or_modified; /* a write hit to an E or M line */
    bool tlb_miss;
    bool cacheable;
} data_answer;

/* The usual case, inlined into the hot path: TLB hit, L1 hit, aligned, nothing pending on bus or write
 * buffers at `clock` that could delay it, a write hits an E or M line. Updates TLB and cache replacement
 * state and M state exactly as the exact path would. If it returns false nothing has been changed and
 * memory_data must be called instead. Counts no events: the caller adds those of a hit (data_read or
 * data_write, write_hit_to_m_or_e, data_read_or_write, the MMX-only ones). */
static inline bool memory_data_usual(memory *m, const p5_access *access, uint64_t clock);
/* The pipe that the next references come from: the P54C's write buffers belong to pipes. */
static inline void memory_set_pipe(memory *m, bool v_pipe);
/* What a reference of the same clock, made before by the same group, has signalled already: events that are
 * on are on for one clock, however many references they count (p5_counts.asserted). */
enum {
    PARTNER = 1,           /* there is one */
    PARTNER_SAME_KIND = 2, /* ... a read like this one, or a write */
    PARTNER_MISSED = 4     /* ... that missed */
};
static inline void memory_set_partner(memory *m, unsigned partner);
/* Locked read-modify-writes (read first, then write), by where the value to be written comes from. */
enum {
    LOCK_NONE,
    LOCK_MODIFY,  /* out of EX, from what was read */
    LOCK_EXCHANGE /* a register: the bus unit has it before the read ends (XCHG) */
};
/* References that go to the bus whatever the caches hold. */
enum { ACCESS_ON_BUS = P5_ACCESS_IO | P5_ACCESS_LOCKED };
/* The exact path. `locked`: LOCK_*, of which the reference is a part; P5_ACCESS_LOCKED is LOCK_MODIFY. `mmx`:
 * counts in the MMX-only events. Increments the memory events itself (events.tsv, unit memory). */
void memory_data(memory *m, const p5_access *access, uint64_t asked, unsigned locked, bool mmx,
                 data_answer *answer);

/* memory_data of plain references, in short: `partner` as in memory_set_partner, `v_pipe` as in
 * memory_set_pipe. QUICK_NOT: it is not one of those that this can do, nothing has been changed, memory_data
 * must be called. QUICK_USUAL: memory_data_usual. Otherwise the answer in a word. */
enum { QUICK_NOT, QUICK_USUAL };
uint64_t memory_quick_read(memory *m, const p5_access *access, uint64_t asked, unsigned partner);
uint64_t memory_quick_write(memory *m, const p5_access *access, uint64_t asked, unsigned partner,
                            bool v_pipe);
/* The one of them that the reference is; those of MMX instructions are none. */
static inline uint64_t memory_quick(memory *m, const p5_access *access, uint64_t asked, unsigned partner,
                                    bool mmx, bool v_pipe)
{
    if (__builtin_expect(mmx, 0))
        return QUICK_NOT;
    return (access->flags & P5_ACCESS_WRITE) != 0 ? memory_quick_write(m, access, asked, partner, v_pipe)
                                                  : memory_quick_read(m, access, asked, partner);
}
/*    63 62  60 59           40 39            20 19            0
 *   | 1 | 0 |hit| write order  |  write buffer  |     read     |      the last three in clocks, never longer
 *
 * An answer that keeps the reference for no other reason, 0 for all others. */
static inline uint64_t memory_quick_pack(uint64_t read, uint64_t write_buffer, uint64_t write_order, bool hit)
{
    return read | write_buffer << 20 | write_order << 40 | (uint64_t)hit << 60 | 1ull << 63;
}

static inline bool memory_quick_hit(uint64_t quick)
{
    return (quick >> 60 & 1) != 0;
}

/* What memory_data would have answered, asked at clock 0. */
static inline data_answer memory_quick_unpack(uint64_t quick)
{
    uint64_t read = quick & 0xfffff, buffer = quick >> 20 & 0xfffff, order = quick >> 40 & 0xfffff;
    data_answer answer = {.done = read + buffer + order, .hit = memory_quick_hit(quick)};
    answer.read = (uint16_t)(read < UINT16_MAX ? read : UINT16_MAX);
    answer.write_buffer = (uint16_t)(buffer < UINT16_MAX ? buffer : UINT16_MAX);
    answer.write_order = (uint16_t)(order < UINT16_MAX ? order : UINT16_MAX);
    return answer;
}

/* Code fetch of the 32-byte line that contains `physical`. */
typedef struct code_answer {
    uint64_t ready[4]; /* clock at which each 8-byte part can be decoded; == asked on a hit */
    bool hit, tlb_miss;
} code_answer;
/* Code TLB and cache hit with no fill of that line pending at `clock`: like memory_data_usual, counts nothing
 * (the caller adds code_read). The exact path counts code_read, code_tlb_miss and code_cache_miss itself. */
static inline bool memory_code_usual(memory *m, uint32_t linear, uint32_t physical, uint64_t clock);
void memory_code(memory *m, uint32_t linear, uint32_t physical, uint64_t asked, code_answer *answer);
/* P54C end bits: marks the instruction ends of `end_mask` [bit n = byte n of the line at `physical`] as
 * decoded and answers which of them were marked since the line was last filled. */
uint32_t memory_end_bits(memory *m, uint32_t physical, uint32_t end_mask);

#include "core/memory/memory_fast.h" /* the functions above that are inline */

#endif
