/* How far PF is ahead of the decoders, which states of the memo do not say (pipe/prefetch.h). It matters when
 * a line is not in the code cache and where the pipe goes on, and is worked out then, from the pieces that
 * came since it was known. */
#include "core/exact/price.h"

static inline __attribute__((always_inline)) prefetch_ahead ahead_now(const p5_core *core)
{
    const memo *m = &core->memo;
    const memo_leaf *const *const end = m->recent + m->recent_count, *const *leaf = end;
    while (leaf > m->recent && !leaf[-1]->move.known)
        leaf--;
    prefetch_ahead ahead = leaf > m->recent ? prefetch_known(&leaf[-1]->move) : pipe_ahead(&core->pipe);
    for (; leaf < end; leaf++)
        prefetch_go_on(&ahead, &(*leaf)->move, (*leaf)->clocks);
    return ahead;
}

prefetch_ahead price_ahead(const p5_core *core)
{
    return ahead_now(core);
}

void price_note_ahead(p5_core *core)
{
    const prefetch_ahead ahead = ahead_now(core);
    core->memo.recent_count = 0;
    pipe_put_ahead(&core->pipe, &ahead);
}

int64_t price_asked_code(p5_core *core, unsigned n, int64_t floor)
{
    prefetch_ahead ahead = ahead_now(core);
    core->memo.recent_count = 0; /* code without a branch asks again and again */
    pipe_put_ahead(&core->pipe, &ahead);
    while (n-- > 0)
        prefetch_take_buffer(&ahead, 1);
    return clock_later(ahead.clock, floor);
}
