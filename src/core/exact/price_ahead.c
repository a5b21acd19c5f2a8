/* How far PF is ahead of the decoders, which states of the memo do not say (pipe/prefetch.h). It matters when
 * a line is not in the code cache and where the pipe goes on, and is worked out then, from the pieces that
 * came since it was known. */
#include "core/exact/price.h"

/* `from` and those used before it, the other way round: the first of these, as long as a new stream was not
 * the end of one; NULL if there is none. `*base`: the one before these, or NULL. Within a stream no leaf
 * comes twice, so each is in its last use; who feeds a core otherwise has a walk that comes back, and ends.
 */
static memo_leaf *turn(const memo *m, memo_leaf *from, uint64_t instructions, memo_leaf **base)
{
    memo_leaf *behind = NULL, *leaf = from;
    while (leaf && !leaf->move.known && !(leaf == m->noted.leaf && instructions == m->noted.instructions)) {
        memo_leaf *before = leaf->before;
        instructions -= leaf->instructions;
        leaf->before = behind;
        behind = leaf;
        leaf = before;
    }
    *base = leaf;
    return behind;
}

prefetch_ahead price_ahead(p5_core *core)
{
    memo *m = &core->memo;
    memo_leaf *before;
    memo_leaf *leaf = turn(m, m->last, core->instructions, &before);
    prefetch_ahead ahead = !before              ? pipe_ahead(&core->pipe)
                           : before->move.known ? prefetch_known(&before->move)
                                                : m->noted.ahead;
    while (leaf) { /* and back again */
        memo_leaf *const next = leaf->before;
        prefetch_go_on(&ahead, &leaf->move, leaf->clocks);
        leaf->before = before;
        before = leaf;
        leaf = next;
    }
    return ahead;
}

int64_t price_asked_code(p5_core *core, unsigned n, int64_t floor)
{
    prefetch_ahead ahead = price_ahead(core);
    /* code without a branch asks again and again */
    core->memo.noted = (memo_lead){core->memo.last, core->instructions, ahead};
    while (n-- > 0)
        prefetch_take_buffer(&ahead, 1);
    return clock_later(ahead.clock, floor);
}
