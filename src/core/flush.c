/* Flushes of caches and TLBs by instructions: MOV to CR3, INVLPG, WBINVD, INVD. core.c explains memo_settle and
 * core->check. */
#include "core/core.h"
#include "core/internal.h"
#include "core/memo_check.h"
#include "core/profile/profile.h"
#include "core/replay/memo.h"
#include "core/testreg/test_access.h"

void p5_core_load_cr3(p5_core *core, uint32_t directory)
{
    memo_settle(core);
    if (core->profile)
        profile_load_cr3(core->profile, directory);
    memory_load_cr3(core->memory);
    predictor_flush(core->predictor);
    if (core->check)
        p5_core_load_cr3(core->exact, directory);
}

void p5_core_invlpg(p5_core *core, uint32_t linear)
{
    memo_settle(core);
    memory_invlpg(core->memory, linear);
    if (core->check)
        p5_core_invlpg(core->exact, linear);
}

/* Flushes the caches by `flush`, which returns the clock at which its bus cycles end. `name`: of the instruction. */
static void flush_caches(p5_core *core, uint64_t (*flush)(memory *m, uint64_t now), const char *name)
{
    memo_settle(core);
    test_before_flush(core);
    price_last_asks(core); /* profile: what follows belongs to the last instruction */
    price_wait_for_bus(core, flush(core->memory, core->now), P5_STALL_SERIALISE);
    if (core->check) {
        flush_caches(core->exact, flush, name);
        memo_check_compare(core, name, 0);
    }
}

void p5_core_wbinvd(p5_core *core)
{
    flush_caches(core, memory_wbinvd, "WBINVD");
}

void p5_core_invd(p5_core *core)
{
    flush_caches(core, memory_invd, "INVD");
}
