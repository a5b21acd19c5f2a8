/* The seam between the processor's hardware and whoever watches it: pipe and memory side tell what happens.
 * Nobody watches in normal runs: then there is none (NULL). Who is charged for it, and what the arrays of
 * caches and TLBs hold, are two questions, and two may watch. */
#ifndef CORE_EVENT_OBSERVER_H
#define CORE_EVENT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event/counts.h"
#include "p5scope/profile.h"

typedef struct core_observer core_observer;
struct core_observer {
    uint32_t who; /* address of the instruction that what follows is told of */
    /* It has added to a quantity (p5scope/profile.h). */
    void (*counted)(core_observer *o, uint32_t quantity, uint64_t increments, uint64_t asserted);
    /* It asks the memory side for what is no plain hit; what that counts from now on is due to it. */
    void (*asks)(core_observer *o);
    /* A reference to a line of data, or the fetch of a line of code, missed. */
    void (*missed)(core_observer *o, uint32_t physical, bool code);
    /* A group has left EX at absolute clock `end`; `next` would be executed next. NULL: nobody wants to know.
     */
    void (*boundary)(core_observer *o, uint64_t end, uint32_t next);
    /* What waits for a partner is about to go alone. NULL: likewise. */
    void (*settles)(core_observer *o);
};

/* What the memory side does with the arrays of its caches and TLBs, of which it knows tags and states only.
 */
typedef struct array_observer array_observer;
struct tlb;
struct array_observer {
    /* The tags of a set were read. */
    void (*tags)(array_observer *o, bool code, unsigned set);
    /* These bytes of the line in a way (bit n: byte n) were read, or written: by a reference that hit it, or
     * as it was written back. */
    void (*bytes)(array_observer *o, bool code, unsigned set, unsigned way, uint32_t bytes, bool written);
    /* A line was brought into a way. */
    void (*filled)(array_observer *o, bool code, unsigned set, unsigned way);
    /* An entry has translated; or it was `filled` for that. */
    void (*entry)(array_observer *o, const struct tlb *t, unsigned entry, bool filled);
    /* A reference or a fetch is over, or what another master was to do by now: lines and entries may have
     * gone. `flushed`: so is a flush. */
    void (*over)(array_observer *o, bool flushed);
};

static inline void observed_tags(array_observer *o, bool code, unsigned set)
{
    if (__builtin_expect(o != NULL, 0))
        o->tags(o, code, set);
}

static inline void observed_bytes(array_observer *o, bool code, unsigned set, unsigned way, uint32_t bytes,
                                  bool written)
{
    if (__builtin_expect(o != NULL, 0))
        o->bytes(o, code, set, way, bytes, written);
}

static inline void observed_filled(array_observer *o, bool code, unsigned set, unsigned way)
{
    if (__builtin_expect(o != NULL, 0))
        o->filled(o, code, set, way);
}

static inline void observed_entry(array_observer *o, const struct tlb *t, unsigned entry, bool filled)
{
    if (__builtin_expect(o != NULL, 0))
        o->entry(o, t, entry, filled);
}

static inline void observed_over(array_observer *o, bool flushed)
{
    if (__builtin_expect(o != NULL, 0))
        o->over(o, flushed);
}

/* An event, and clocks with an owner, are counted for the instruction `o->who`. */
static inline void observed_count(pipe_deltas *d, core_observer *o, enum p5_event event, uint64_t n,
                                  uint64_t clocks)
{
    deltas_add(d, event, n, clocks);
    if (__builtin_expect(o != NULL, 0))
        o->counted(o, event, n, clocks);
}

static inline void observed_spend(pipe_deltas *d, core_observer *o, p5_stall cause, uint64_t clocks)
{
    deltas_add(d, DELTA_STALLS + cause, clocks, clocks);
    if (__builtin_expect(o != NULL, 0) && clocks)
        o->counted(o, P5_PROFILE_STALLS + cause, clocks, clocks);
}

#endif
