/* How far PF is ahead of the decoders, which states of the memo do not say (pipe/prefetch.h). It matters when
 * a line is not in the code cache and where the pipe goes on, and is worked out then, from the pieces that
 * came since it was known. */
#include "core/exact/price.h"

/* `ahead`, relative to the beginning of a piece, becomes what it is relative to its end. */
static inline void go_on(prefetch_ahead *ahead, const memo_leaf *leaf)
{
    const prefetch_move *move = &leaf->move;
    for (unsigned n = 0; n < move->fetched; n++)
        prefetch_take_buffer(ahead, 1);
    ahead->clock -= leaf->clocks;
    if (move->fetched > 0)
        ahead->clock = clock_later(ahead->clock, move->clock);
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead->freed[i] = move->left >> i & 1 ? move->freed[i] : ahead->freed[i] - leaf->clocks;
}

static inline prefetch_ahead known(const prefetch_move *move)
{
    prefetch_ahead ahead = {.clock = move->clock, .used = 1};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead.freed[i] = move->freed[i];
    return ahead;
}

prefetch_ahead price_ahead(const p5_core *core)
{
    const memo *m = &core->memo;
    const memo_leaf *const *const end = m->recent + m->recent_count, *const *leaf = end;
    while (leaf > m->recent && !leaf[-1]->move.known)
        leaf--;
    prefetch_ahead ahead = leaf > m->recent ? known(&leaf[-1]->move) : pipe_ahead(&core->pipe);
    for (; leaf < end; leaf++)
        go_on(&ahead, *leaf);
    return ahead;
}

int64_t price_asked_code(const p5_core *core, unsigned n, int64_t floor)
{
    prefetch_ahead ahead = price_ahead(core);
    while (n-- > 0)
        prefetch_take_buffer(&ahead, 1);
    return clock_later(ahead.clock, floor);
}

void price_note_ahead(p5_core *core)
{
    const prefetch_ahead ahead = price_ahead(core);
    core->memo.recent_count = 0;
    pipe_put_ahead(&core->pipe, &ahead);
}
