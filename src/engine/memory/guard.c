/* Checks that the processor makes and Unicorn does not: segment limits and rights, alignment at CPL 3, debug
 * registers (code_limit.c: the limit of CS).
 *
 * They cost nothing in the usual case of flat segments (a limit of 4 GB, whatever the base), where nothing has
 * to be checked. Blocks are translated with a hook, stream_block_checked, only when a check first becomes
 * necessary. While data references have to be checked, the page cache has other tags (PAGE_GUARDED), so that
 * every access takes the slow path. FS and GS are rarely flat and rarely used, so a block with such an override
 * starts the checks itself (guard_extra_segments). In real and V86 mode segments of 64 KB are usual, too; which
 * references can violate them is determined when a block is translated (access_mode, guard_needs_hook). */
#include <assert.h>

#include "core/pipe/breakpoints.h"
#include "engine/memory/access.h"
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"
#include "engine/memory/operand.h"

enum { LAST_OF_64K = 0xffff };

/* --- What has to be checked --- */

/* Returns whether no access through the segment can fault: 4 GB of writable data. */
static bool flat_data(const uc_segment *s)
{
    enum { /* the bits of the type that matter */
           KIND = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_CODE | DESCRIPTOR_EXPAND_DOWN | DESCRIPTOR_WRITABLE
    };
    return s->limit == UINT32_MAX && (s->flags & KIND) == (DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_WRITABLE);
}

/* Returns whether no fetch or read through the segment can fault. */
static bool flat_code(const uc_segment *s)
{
    return s->limit == UINT32_MAX && (s->flags & DESCRIPTOR_READABLE);
}

/* Returns true if only an offset above FFFFh can violate a segment, and each segment ends at a multiple of
 * 16. */
static bool real_limits(const uc_env *env)
{
    enum { KIND = DESCRIPTOR_CODE | DESCRIPTOR_EXPAND_DOWN };
    if (!uc_env_is_real(env) || env->hflags & UC_HF_SS32)
        return false;
    for (unsigned i = 0; i <= ENGINE_GS; i++) {
        const uc_segment *s = &env->segs[i];
        if (s->limit < LAST_OF_64K || s->base % PARAGRAPH != 0 || (s->flags & KIND) == DESCRIPTOR_EXPAND_DOWN)
            return false;
    }
    return true;
}

/* Decides whether the blocks that start from now on have a single instruction: UC_HF_STEP. */
void guard_set_step_flag(engine *e)
{
    bool on = e->memory.guard.stepping || e->memory.guard.breakpoints || e->memory.guard.limit_step ||
              e->memory.guard.alone != 0;
    e->env->hflags = (e->env->hflags & ~(uint32_t)UC_HF_STEP) | (on ? UC_HF_STEP : 0);
}

/* Switches single steps (engine_step_mode) on or off. */
void guard_step_mode(engine *e, bool on)
{
    e->memory.guard.stepping = on;
    guard_set_step_flag(e);
}

/* Sets *hooks: blocks, all or those of one mode, call stream_block_checked from now on, until the engine closes. The
 * hook is compiled into blocks, so blocks translated without it are discarded. Does nothing before the guest runs,
 * because the state while a loader sets it up is not flat. */
static void begin_checks(engine *e, bool *hooks)
{
    if (!engine_running(e) || *hooks)
        return;
    *hooks = true;
    code_forget(e);
}

/* Returns whether block `tb`, which is being translated, is to call stream_block_checked. `ends`: a block in real
 * mode may extend beyond 64 KB. */
bool guard_needs_hook(const engine *e, const uc_translated *tb)
{
    const engine_guard *w = &e->memory.guard;
    bool real = uc_is_real(tb->flags);
    bool ends = (uint32_t)tb->pc - (uint32_t)tb->cs_base > LAST_OF_64K - GUARD_BLOCK_BYTES;
    return w->hooks || w->mode_hooks[real] || (real && (ends || tb->flags & UC_HF_STEP));
}

/* Decides which checks are necessary, after anything has changed on which that depends. */
void guard_update(engine *e)
{
    const uc_env *env = e->env;
    engine_guard *w = &e->memory.guard;
    bool flat = flat_data(&env->segs[ENGINE_SS]) && flat_data(&env->segs[ENGINE_DS]) &&
                flat_data(&env->segs[ENGINE_ES]) && flat_code(&env->segs[ENGINE_CS]);
    w->real_limits = !flat && real_limits(env);
    w->extra = (w->real_limits || flat_data(&env->segs[ENGINE_FS]) ? 0 : GUARD_FS) |
               (w->real_limits || flat_data(&env->segs[ENGINE_GS]) ? 0 : GUARD_GS);
    w->extra_now = false;
    w->segments = !flat && !w->real_limits;
    w->alignment = engine_at_user_level(env) && env->cr[0] & CR0_AM && env->eflags & EFLAGS_AC;
    w->code = env->segs[ENGINE_CS].limit != UINT32_MAX;
    w->breakpoints = (env->dr[7] & DR7_ENABLED) != 0;
    if (!w->code)
        w->limit_step = false;
    bool data = w->segments || w->alignment || w->breakpoints;
    if (data != w->data) {
        w->data = data;
        mmu_guard_changed(e);
    }
    w->blocks = w->code || w->breakpoints || w->hits;
    guard_set_step_flag(e);
    if (w->breakpoints || w->hits)
        begin_checks(e, &w->hooks);
    else if (w->data || (w->code && !w->real_limits))
        begin_checks(e, &w->mode_hooks[uc_env_is_real(env)]);
}

/* Called after a write to a debug register or CR4.DE, and after RESET: updates the breakpoints. */
void guard_debug_written(engine *e)
{
    p5_debug debug = {
        .size = sizeof debug, .dr7 = (uint32_t)e->env->dr[7], .extensions = e->env->cr[4] & CR4_DE};
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        debug.dr[n] = (uint32_t)e->env->dr[n];
    breakpoints_set(&e->memory.guard.comparators, &debug);
    if (!e->memory.guard.breakpoints)
        e->memory.resume = 0; /* it was not counted down without breakpoints */
    guard_update(e);
}

/* --- Data references --- */

/* Returns the instruction of the running block that makes the next access, and the number of that access in
 * `nth`. */
static const isa_insn *running_instruction(const engine *e, unsigned *nth)
{
    const engine_block *b = stretch_block(e);
    assert(b != NULL && b->code != NULL);
    if (b->ends == BLOCK_ENDS_REPEAT) {
        *nth = stretch_iteration_recorded(e);
        return b->code->insns;
    }
    unsigned made = stretch_recorded(e), i = 0;
    while (i + 1 < b->count && b->marks[i + 1].accesses <= made)
        i++;
    *nth = made - b->marks[i].accesses;
    return &b->code->insns[i];
}

/* Returns whether the segment's type permits the access. */
static bool segment_rights(const uc_segment *s, bool write)
{
    bool code = s->flags & DESCRIPTOR_CODE;
    if (!(s->flags & DESCRIPTOR_P)) /* a null segment */
        return false;
    if (write)
        return !code && s->flags & DESCRIPTOR_WRITABLE;
    return !code || s->flags & DESCRIPTOR_READABLE;
}

/* Returns whether the bytes lie within the limit, which is the lower bound of an expand-down segment. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size)
{
    uint32_t last = offset + size - 1;
    bool data = !(s->flags & DESCRIPTOR_CODE);
    if (data && s->flags & DESCRIPTOR_EXPAND_DOWN) {
        uint32_t top = s->flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff;
        return offset > s->limit && last >= offset && last <= top;
    }
    /* At the top of a 4 GB segment the processor wraps around. */
    return last <= s->limit && (last >= offset || s->limit == UINT32_MAX);
}

/* Raises #SS or #GP unless the segment permits the access. */
static void check_offset(engine *e, engine_segment_name name, uint32_t offset, unsigned size, bool write,
                         uintptr_t retaddr)
{
    const uc_segment *s = &e->env->segs[name];
    bool right = uc_env_is_real(e->env) || segment_rights(s, write);
    if (right && segment_allows(s, offset, size))
        return;
    UC_INTERNAL(raise_exception_err_ra)(e->env, name == ENGINE_SS ? VECTOR_SS : VECTOR_GP, 0, retaddr);
}

/* Checks the first string of CMPS, ESI's. The processor reads it before the second, but Unicorn reads the
 * second first. */
static void check_source(engine *e, const isa_insn *insn, unsigned size, uintptr_t retaddr)
{
    engine_segment_name name = operand_segment(insn, false, 1);
    uint32_t offset = operand_source_offset(e, insn);
    check_offset(e, name, offset, size, false, retaddr);
    mmu_fill(e, (uint32_t)e->env->segs[name].base + offset, MMU_READ, engine_at_user_level(e->env), retaddr);
}

/* Checks the segment of an access. The read of an operand that is also written is checked as a write. */
static void check_segment(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr)
{
    unsigned nth;
    const isa_insn *insn = running_instruction(e, &nth);
    engine_segment_name name = operand_segment(insn, write, nth);
    if (!write && isa_forms[insn->form].engine == ISA_E_CMPS && nth == 0)
        check_source(e, insn, size, retaddr);
    write = write || operand_modified(insn);
    check_offset(e, name, linear - (uint32_t)e->env->segs[name].base, size, write, retaddr);
}

/* Checks the segment of a data access of the running block. Between blocks, only microcode accesses memory. */
void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr)
{
    if ((e->memory.guard.segments || e->memory.guard.extra_now || e->memory.guard.real_limits) &&
        stretch_block(e))
        check_segment(e, linear, size, write, retaddr);
}

/* Raises #GP if the store of the running ARPL goes through CS. */
void guard_arpl_store(engine *e, uintptr_t retaddr)
{
    if (operand_segment(stretch_block(e)->code->insns, true, 0) == ENGINE_CS)
        UC_INTERNAL(raise_exception_err_ra)(e->env, VECTOR_GP, 0, retaddr);
}

/* Does the checks that follow the page's own faults: alignment, then data breakpoints. */
void guard_access_done(engine *e, const p5_access *access, uintptr_t retaddr)
{
    if (e->memory.guard.alignment && stretch_block(e) && !(access->flags & P5_ACCESS_SYSTEM) &&
        access->linear & (access->size - 1u)) {
        unsigned nth;
        const isa_insn *insn = running_instruction(e, &nth);
        if (nth == 0 ||
            isa_forms[insn->form].engine != ISA_E_IMAGE) /* an FSAVE image is aligned if its first field is */
            UC_INTERNAL(raise_exception_err_ra)(e->env, VECTOR_AC, 0, retaddr);
    }
    if (e->memory.guard.breakpoints)
        guard_hit(e, breakpoints_access(&e->memory.guard.comparators, access));
}

/* --- Breakpoints --- */

/* Records the breakpoints that a port access matches. */
void guard_port_access(engine *e, const p5_access *access)
{
    if (e->memory.guard.breakpoints)
        guard_hit(e, breakpoints_access(&e->memory.guard.comparators, access));
}

/* Returns whether DR7 enables one of the breakpoints in `matches`. */
static bool any_enabled(const engine *e, unsigned matches)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        if (matches >> n & 1 && e->memory.guard.comparators.all[n].enabled)
            return true;
    }
    return false;
}

/* Records the breakpoints that an access matches, for the trap after its instruction. If any is enabled, the
 * trap comes, and DR6 reports all of them. */
void guard_hit(engine *e, unsigned matches)
{
    assert(matches >> BREAKPOINTS == 0);
    if (!any_enabled(e, matches))
        return;
    e->memory.guard.hits |= matches;
    e->memory.guard.blocks = true;
    stretch_no_batch(e);
    engine_request_attention(e); /* a REP string stops after the iteration */
}

/* Has #DB raised with these bits of DR6 after the running instruction. */
void guard_trap(engine *e, uint32_t dr6)
{
    e->memory.guard.hits |= dr6;
    e->memory.guard.blocks = true;
    begin_checks(e, &e->memory.guard.hooks);
}

/* Raises #DB with these bits of DR6. The state's EIP must be current. */
static _Noreturn void raise_debug(engine *e, uint32_t bits, bool fault)
{
    assert(engine_running(e) && bits != 0);
    e->env->dr[6] |= bits;
    e->memory.fault.debug = fault;
    engine_raise(e, VECTOR_DB, 0);
}

/* Returns the pending bits of DR6 and clears them. */
static uint32_t take_hits(engine *e)
{
    uint32_t hits = e->memory.guard.hits;
    e->memory.guard.hits = 0;
    guard_update(e);
    return hits;
}

/* Called before a MOV to or from a debug register: raises #DB if DR7.GD is set. */
void guard_general_detect(engine *e)
{
    if (e->env->dr[7] & DR7_GENERAL_DETECT)
        raise_debug(e, DR6_BD, true);
}

/* Called when the instruction faults: its data breakpoints do not trap. */
void guard_faulted(engine *e)
{
    if (e->memory.guard.hits)
        take_hits(e);
}

/* Called when block `b` has completed: counts EFLAGS.RF down, and updates the shadow of MOV SS and POP SS, which
 * postpones traps and code breakpoints until the next instruction has completed. */
void guard_completed(engine *e, const engine_block *b)
{
    e->memory.guard.shadow = b->code && isa_forms[b->code->insns[b->count - 1].form].traits & ISA_T_LOADS_SS;
    if (e->memory.resume)
        e->memory.resume--;
}

/* --- At the start of a block --- */

/* Unicorn calls this after an instruction with TF. Raises the single-step trap. */
void WRAP(helper_single_step)(uc_env *env)
{
    engine *e = engine_of(env);
    guard_branch_target(e, (uint32_t)env->eip); /* if that branched beyond the limit of CS, it faults */
    raise_debug(e, DR6_BS | take_hits(e), false);
}

void REAL(helper_pause)(uc_env *env, int length);
/* Executes F3 90 (PAUSE), which is a NOP on this processor; `length` is its size in bytes. Unicorn ends a block
 * with it without checking TF. */
void WRAP(helper_pause)(uc_env *env, int length)
{
    if (env->eflags & EFLAGS_TF) {
        env->eip += (uint32_t)length;
        WRAP(helper_single_step)(env);
    }
    REAL(helper_pause)(env, length);
}

/* Called when `b` is about to start: raises traps of the instruction before, code breakpoints and limit faults. */
void guard_block(engine *e, const engine_block *b)
{
    engine_guard *w = &e->memory.guard;
    if (!w->blocks)
        return;
    e->env->eip = engine_code_offset(e, b->linear);
    bool shadow = w->shadow;
    if (w->hits && !shadow)
        raise_debug(e, take_hits(e), false);
    if (w->breakpoints && !shadow && !guard_resumes_at(e, b->linear)) {
        unsigned matches = breakpoints_code(&w->comparators, b->linear, false);
        if (any_enabled(e, matches))
            raise_debug(e, matches, true);
    }
    if (w->code)
        guard_code_limit(e, b);
}

/* Starts to check all data references if `b` uses FS or GS and that segment is not flat. */
void guard_extra_segments(engine *e, const engine_block *b)
{
    engine_guard *w = &e->memory.guard;
    if (!(w->extra & b->needs.extra_segments))
        return;
    if (!w->data) { /* stays set until a segment is loaded again */
        w->data = true;
        mmu_guard_changed(e);
    }
    w->extra_now = true;
}
