/* Opening and running the engine. */
#include <stdlib.h>

#include "base/area.h"
#include "base/error.h"
#include "engine/control/callback.h"
#include "engine/memory/code.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream.h"
#include "engine/stretch/stretch.h"
#include "engine/x87/x87.h"

/* Address space that Unicorn needs when it opens, besides ENGINE_TRANSLATIONS bytes for translated code. */
enum { OPENING_BYTES = 64 << 20 };

/* Returns whether the host still has the address space that Unicorn allocates when it opens. Without this check Unicorn
 * would end the process if that fails. */
static bool address_space_suffices(void)
{
    const size_t bytes = ENGINE_TRANSLATIONS + OPENING_BYTES;
    void *area = area_open(bytes);
    area_close(area, bytes);
    return area != NULL;
}

/* Opens Unicorn and finds its processor state. */
static p5_status attach(engine *e, p5_error *error)
{
    unsigned major, minor;
    uc_version(&major, &minor);
    if (major != UC_API_MAJOR || minor != UC_API_MINOR)
        return error_set(error, P5_ERR_ENGINE, "Unicorn %u.%u is linked, but p5scope was built for %u.%u",
                         major, minor, UC_API_MAJOR, UC_API_MINOR);
    if (!address_space_suffices())
        return error_set(error, P5_ERR_MEMORY,
                         "no address space for translations: %u MB beside the guest's memory",
                         (ENGINE_TRANSLATIONS + OPENING_BYTES) >> 20);
    uc_err err = uc_open(UC_ARCH_X86, UC_MODE_32, &e->uc);
    if (err == UC_ERR_NOMEM)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (err == UC_ERR_OK)
        err = uc_ctl_set_cpu_model(
            e->uc, UC_CPU_X86_PENTIUM3); /* describe.c excludes what the guest's processor lacks */
    if (err == UC_ERR_OK)
        err = uc_ctl_exits_enable(e->uc); /* no exit address: only callbacks end a run */
    if (err != UC_ERR_OK)
        return error_set(error, P5_ERR_ENGINE, "Unicorn does not start: %s", uc_strerror(err));
    p5_status status = layout_check(e->uc, &e->env, error);
    if (status == P5_OK)
        e->env->owner = e;
    return status;
}

/* Makes Unicorn call stream_block where a block starts, and event_interrupt for interrupts and exceptions. */
static p5_status add_hooks(engine *e, p5_error *error)
{
    uc_hook block, interrupt;
    /* There is exactly one block hook, so that Unicorn calls it directly from translated code. There is no memory hook:
     * with one, translated references would store EIP by a temporary in which instructions keep values. */
    uc_err err = uc_hook_add(e->uc, &block, UC_HOOK_BLOCK, (void *)stream_block, e, 1, 0);
    if (err == UC_ERR_OK)
        err = uc_hook_add(e->uc, &interrupt, UC_HOOK_INTR, (void *)event_interrupt, e, 1, 0);
    if (err != UC_ERR_OK)
        return error_set(error, P5_ERR_ENGINE, "Unicorn does not take the hooks: %s", uc_strerror(err));
    if (!stream_set_hook(e, (uc_hook_head *)block))
        return error_set(error, P5_ERR_ENGINE,
                         "Unicorn's hooks are not laid out as they were when p5scope was built");
    return P5_OK;
}

/* Sets those registers that Unicorn's reset leaves with other values than RESET: the x87, the limit of the real-mode
 * vector table, DR6, DR7 and EDX. Manual: state after RESET. */
static void reset(engine *e)
{
    uc_env *env = e->env;
    env->fpuc = 0x40;
    env->fpus = 0;
    env->fpstt = 0;
    memset(env->fptags, 0, sizeof env->fptags);
    env->idt = (uc_segment){.limit = 0x3ff};
    env->dr[6] = 0xffff0ff0;
    env->dr[7] = 0x400;
    env->regs[ENGINE_EDX] = e->options.cpuid_signature;
    guard_debug_written(e);
}

p5_status engine_open(const engine_options *options, const engine_callbacks *callbacks, engine **out,
                      p5_error *error)
{
    if (options->memory_bytes == 0 || options->memory_bytes % ENGINE_PAGE_BYTES)
        return error_set(error, P5_ERR_RANGE, "guest memory of %u bytes is empty or not a multiple of 4096",
                         (unsigned)options->memory_bytes);
    engine *e = calloc(1, sizeof *e);
    if (!e)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    e->options = *options;
    e->callbacks = *callbacks;
    e->decoder = isa_decoder_open((options->family == P5_FAMILY_P55C ? ISA_P55C : ISA_P54C) |
                                  (options->permissive ? ISA_P6 : 0u));
    p5_status status = P5_OK;
    if (!e->decoder || !physical_open(e) || !stretch_open(e) || !block_open(e))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    if (status == P5_OK)
        status = attach(e, error);
    if (status == P5_OK)
        status = add_hooks(e, error);
    if (status != P5_OK) {
        engine_close(e);
        return status;
    }
    x87_open(e);
    reset(e);
    *out = e;
    return P5_OK;
}

void engine_close(engine *e)
{
    if (!e)
        return;
    if (e->env)
        code_forget(e); /* with the maps of written code pages, which uc_close does not free */
    if (e->uc)
        uc_close(e->uc);
    block_close(e);
    isa_decoder_close(e->decoder);
    physical_close(e);
    stretch_close(e);
    free(e);
}

/* Replaces the callbacks for a single stretch and for a batch of stretches. */
void engine_set_retired(engine *e, engine_retired *retired, engine_retired_blocks *blocks)
{
    e->callbacks.retired = retired;
    e->callbacks.retired_blocks = blocks;
    engine_batch(e, 0); /* forbids batches until the owner permits them again */
}

/* Runs the guest until a callback or an event of the guest ends the run. */
engine_stop engine_run(engine *e)
{
    if (engine_failed(e))
        return ENGINE_FAILED;
    stretch_reset(e);
    mmu_take_fault(e); /* discards what a fault in the previous run has left */
    delivery_reset(e);
    e->env->old_exception = -1; /* the next exception makes no double fault */
    engine_run_begins(e);
    guard_update(e);
    uc_err err = uc_emu_start(e->uc, (uint32_t)e->env->eip, 0, 0, 0);
    engine_run_ends(e);
    engine_before_callback(e); /* the owner gets control, as in a callback */
    if (err != UC_ERR_OK)
        engine_fail(e, "Unicorn stopped at %08x: %s", engine_linear_eip(e), uc_strerror(err));
    return engine_run_result(e);
}

void engine_step_mode(engine *e, bool on)
{
    guard_step_mode(e, on);
    engine_redirect(e); /* the block about to start was translated for the other mode */
}

void engine_refetch(engine *e)
{
    engine_redirect(e); /* the bytes of the block about to start may have changed */
}
