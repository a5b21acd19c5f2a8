/* The interface between the processor's hardware and its observers, to which the pipe and the memory side (caches,
 * TLBs, bus) report events. Normal runs have none (NULL). There are two kinds of observers, and both may be active:
 * the profile (core_observer) attributes counts to instructions, and planted.c (array_observer) follows the arrays of
 * caches and TLBs into which test registers have written. */
#ifndef CORE_EVENT_OBSERVER_H
#define CORE_EVENT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event/counts.h"
#include "p5tool/profile.h"

typedef struct core_observer core_observer;
struct core_observer {
    uint32_t instruction; /* address of the instruction to which further reports are attributed */
    /* The instruction has added to a quantity: an event, or P5_PROFILE_* (p5tool/profile.h). `increments` and `asserted`
     * are as for deltas_add. */
    void (*counted)(core_observer *o, uint32_t quantity, uint64_t increments, uint64_t asserted);
    /* The instruction makes a lookup that is no simple hit; what the memory side counts from now on is
     * attributed to it. */
    void (*asks)(core_observer *o);
    /* A reference to a line of data, or the fetch of a line of code, missed. */
    void (*missed)(core_observer *o, uint32_t physical, bool code);
    /* A group (one or two instructions) has left EX at absolute clock `end`; the instruction at `next` would be executed
     * next. May be NULL. */
    void (*boundary)(core_observer *o, uint64_t end, uint32_t next);
    /* An instruction that waits for a partner is about to issue alone. May be NULL. */
    void (*settles)(core_observer *o);
};

/* What the memory side does with the arrays of its caches and TLBs. The memory side itself keeps only tags
 * and states. */
typedef struct array_observer array_observer;
struct tlb;
struct array_observer {
    /* The tags of a set were read. */
    void (*tags)(array_observer *o, bool code, unsigned set);
    /* These bytes of the line in a way (bit n: byte n) were read or written, by a reference that hit the line
     * or by its write-back. */
    void (*bytes)(array_observer *o, bool code, unsigned set, unsigned way, uint32_t bytes, bool written);
    /* A line was brought into a way. */
    void (*filled)(array_observer *o, bool code, unsigned set, unsigned way);
    /* A TLB entry has translated an address, or was `filled` to do so. */
    void (*entry)(array_observer *o, const struct tlb *t, unsigned entry, bool filled);
    /* A reference, a fetch, or the activity of another bus master has ended, so lines and entries may have
     * been evicted. `flushed`: a flush has ended. */
    void (*over)(array_observer *o, bool flushed);
};

/* The following functions call the callback of that name if there is an observer. */

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

/* Adds an event to `d`, and reports it for the instruction `o->instruction` if there is an observer. */
static inline void observed_count(pipe_deltas *d, core_observer *o, enum p5_event event, uint64_t n,
                                  uint64_t clocks)
{
    deltas_add(d, event, n, clocks);
    if (__builtin_expect(o != NULL, 0))
        o->counted(o, event, n, clocks);
}

/* Likewise for clocks of a cause. */
static inline void observed_spend(pipe_deltas *d, core_observer *o, p5_stall cause, uint64_t clocks)
{
    deltas_add(d, DELTA_STALLS + cause, clocks, clocks);
    if (__builtin_expect(o != NULL, 0) && clocks)
        o->counted(o, P5_PROFILE_STALLS + cause, clocks, clocks);
}

#endif
