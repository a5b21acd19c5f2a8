/* A profile of what is remembered: what the memo keeps is in accord with the profiler from its start to every
 * collection. */
#include "core/exact/price.h"
#include "core/profile/profile.h"
#include "core/replay/memo_tree.h"

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
    return true;
}

bool profile_collect(p5_core *core)
{
    memory_advance(core->memory, core->now);
    memo_fold(core);
    return profile_sum_up(core);
}
