/* A profile of what is remembered: what the memo keeps is in accord with the profiler from its start to every
 * collection. */
#include "core/exact/price.h"
#include "core/profile/profiler.h"
#include "core/replay/memo_tree.h"

/* ---- samples ---- */

/* Total of what they are taken by, among which is what the memo stands for. Executions and pairing are not
 * among those of the core. */
static uint64_t summed_up(p5_core *core)
{
    const profile_sink *sink = &core->profile->sink;
    if (sink->watched < P5_PROFILE_STALLS)
        return p5_core_event_total(core, (enum p5_event)sink->watched, P5_CPL_MASK_ALL, false);
    if (sink->watched >= P5_PROFILE_EXECUTIONS)
        return sink->watched_count;
    p5_counts totals;
    p5_core_counts(core, &totals);
    uint64_t total = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        total += totals.stalls[sink->watched - P5_PROFILE_STALLS][class];
    return total;
}

static void update_watched(p5_core *core)
{
    if (!profile_watches_clocks(core))
        core->profile->sink.watched_count = summed_up(core);
}

/* Every boundary is looked at, and the memo may not answer; or none, before `look_clock`. */
static void look_at_boundaries(p5_core *core, bool looking, uint64_t look_clock)
{
    profile_set_looking(core->profile, looking, look_clock);
    price_hold_memo(core);
}

/* `r`, or what waits alone (NULL), will have been priced before `clock`. */
static bool ends_before(p5_core *core, const p5_retired *r, p5_prediction prediction, uint64_t clock)
{
    enum { MOST = 64, BYTES = 15 }; /* of an instruction that waits */
    const uint64_t most =
        r ? bound_clocks(core, r, prediction) : bound_blind(&core->bound, MOST, WAITING_ACCESSES, BYTES);
    return core->now + most < clock;
}

void profile_expect(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    const uint64_t looked = profile_look_clock(core);
    const bool looking = profile_is_looking(core);
    if (looking ? core->now < looked : ends_before(core, r, prediction, looked))
        return;
    if (!looking)
        update_watched(core);
    const uint64_t left = profile_clocks_left(core), clock = core->now + left;
    look_at_boundaries(core, false, clock); /* bounds are narrower where the memo may answer */
    if (left == 0 || !ends_before(core, r, prediction, clock))
        look_at_boundaries(core, true, core->now + PROFILE_WORTH);
}

static void expect_settling(pipe_observer *o)
{
    profile_expect(((profile_sink *)o)->core, NULL, 0);
}

/* ---- from the start to a collection ---- */

bool profile_start(p5_core *core, const profile_options *options)
{
    profiler *p = profile_open(core, options);
    if (!p)
        return false;
    memory_advance(core->memory, core->now);
    memo_drop_all(core); /* leaves of before know no instructions */
    core->profile = p;
    core->observer = profile_observer(core);
    price_hold_memo(core);
    profile_begin(core);
    if (profile_takes_samples(core)) {
        core->observer->settles = expect_settling;
        update_watched(core);
        profile_arm(core);
    }
    return true;
}

bool profile_collect(p5_core *core)
{
    memory_advance(core->memory, core->now);
    memo_fold(core);
    return profile_sum_up(core);
}
