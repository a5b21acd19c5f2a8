/* Connects the profile with the memo, from the profile's start to each collection.
 *
 * A profile may take samples, as a tool on hardware does: a counter of one quantity (an event, or clocks) overflows once
 * in each period. Only the exact path, where the pipe runs instead of the memo, reports the boundaries between groups
 * of instructions at which an overflow can be noticed. So a profile is *looking* (the memo is off, every boundary is
 * checked) while an overflow may be near, and otherwise knows a clock before which there is none. */
#include "core/profile/profiler.h"
#include "core/core.h"
#include "core/replay/memo_tree.h"

/* ---- samples ---- */

/* Reads the count of the quantity that triggers samples from the totals, because the pipe reports to the profile only
 * what it counts on the exact path. Nothing is done for clocks, which are always known, and for executions and
 * pairing, which are not in the totals; with these, the profile is always looking. */
static void update_watched(p5_core *core)
{
    profile_sink *sink = &core->profile->sink;
    if (profile_watches_clocks(core) || sink->watched >= P5_PROFILE_EXECUTIONS)
        return;
    p5_counts totals;
    p5_core_counts(core, &totals);
    sink->watched_count = profile_in_total(&totals, (unsigned)sink->watched);
}

/* Begins to check every boundary on the exact path (`looking`), or ends that. Both are decided again at
 * `look_clock`. */
static void look_at_boundaries(p5_core *core, bool looking, uint64_t look_clock)
{
    profile_set_looking(core->profile, looking, look_clock);
    memo_hold(core);
}

/* Returns whether the stretch `r`, or the instruction that is pending in D1 alone (NULL), will certainly have been
 * priced before `clock`. */
static bool ends_before(p5_core *core, const p5_retired *r, uint64_t clock)
{
    enum { MOST = 64 }; /* upper bound of the clocks of a pending instruction if every reference hits */
    const uint64_t most =
        r ? bound_clocks(core, r) : bound_worst(&core->bound, MOST, WAITING_ACCESSES, ISA_LONGEST);
    return core->now + most < clock;
}

void profile_expect(p5_core *core, const p5_retired *r)
{
    const uint64_t decided_until = profile_look_clock(core);
    const bool looking = profile_is_looking(core);
    if (looking ? core->now < decided_until : ends_before(core, r, decided_until))
        return;
    if (!looking)
        update_watched(core);
    const uint64_t left = profile_clocks_left(core); /* lower bound of the clocks until the overflow, or 0 */
    if (left > 0) {
        look_at_boundaries(core, false, core->now + left); /* bounds are tighter while the memo may be used */
        if (ends_before(core, r, core->now + left))
            return;
    }
    look_at_boundaries(core, true, core->now + PROFILE_LOOK_CLOCKS);
}

/* Observer's callback before the pending instruction issues alone (core_observer.settles). */
static void expect_settling(core_observer *o)
{
    profile_expect(((profile_sink *)o)->core, NULL);
}

/* ---- intervals ---- */

/* Records the totals at the end of an interval (profiler.interval_over). */
static void take_interval(p5_core *core)
{
    p5_counts totals;
    p5_core_counts(core, &totals);
    profile_interval_take(core, &totals);
}

/* ---- from the start to a collection ---- */

bool profile_start(p5_core *core, const profile_options *options)
{
    profiler *p = profile_open(core, options);
    if (!p)
        return false;
    memory_advance(core->memory,
                   core->now); /* counts the use of the bus so far, which does not belong to the profile */
    memo_drop_all(core);       /* results that were stored without a profile are not split by instructions */
    p->interval_over = take_interval;
    core->profile = p;
    core->pipe.observer = profile_observer(core);
    memory_observe(core->memory, core->pipe.observer);
    memo_hold(core);
    profile_begin(core);
    if (profile_takes_samples(core)) {
        core->pipe.observer->settles = expect_settling;
        update_watched(core);
        profile_arm(core);
    }
    return true;
}

bool profile_collect(p5_core *core)
{
    memory_advance(core->memory, core->now);
    memo_fold(core); /* adds the counts of the memo's uses to the totals and to the profile */
    return profile_sum_up(core);
}
