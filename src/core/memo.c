#include "core/core_internal.h"

bool memo_open(memo *m)
{
    m->on = false;
    return true;
}

void memo_close(memo *m) { (void)m; }

bool memo_price(p5_core *core, const p5_retired *r)
{
    (void)core;
    (void)r;
    return false;
}

void memo_fold(p5_core *core) { (void)core; }

void memo_release(p5_core *core, p5_block *block)
{
    (void)core;
    (void)block;
}

void memo_leave(p5_core *core) { core->memo.current = NULL; }
