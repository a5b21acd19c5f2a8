/* Checks that the processor makes and Unicorn does not: segment limits and rights, alignment at CPL 3, debug
 * registers.
 *
 * They cost nothing in the usual case of flat segments, where nothing has to be checked. Blocks are
 * translated with a hook only when a check first becomes necessary. While data references have to be checked,
 * the page cache has other tags, so that every access takes the slow path. FS and GS are rarely flat and
 * rarely used, so a block with such an override checks this itself. In real and V86 mode segments of 64 KB
 * are usual, too; which references can violate them is determined when a block is translated (access_mode,
 * guard_looks). */
#include <assert.h>

#include "core/pipe/breakpoints.h"
#include "engine/memory/access.h"
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"
#include "engine/memory/operand.h"

enum { BLOCK_BYTES_AT_MOST = BLOCK_INSNS * 15, LAST_OF_64K = 0xffff };

/* --- What has to be checked --- */

static bool flat_data(const uc_segment *s)
{
    enum {
        KIND = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_CODE | DESCRIPTOR_EXPAND_DOWN | DESCRIPTOR_WRITABLE
    };
    return s->limit == UINT32_MAX && (s->flags & KIND) == (DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_WRITABLE);
}

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

void guard_set_step_flag(engine *e)
{
    bool on = e->memory.guard.stepping || e->memory.guard.breakpoints || e->memory.guard.limit_step ||
              e->memory.guard.alone != 0;
    e->env->hflags = (e->env->hflags & ~(uint32_t)UC_HF_STEP) | (on ? UC_HF_STEP : 0);
}

void guard_step_mode(engine *e, bool on)
{
    e->memory.guard.stepping = on;
    guard_set_step_flag(e);
}

/* Starts the checks. The block hook is compiled into blocks, so blocks translated without it are discarded.
 * Before the guest runs nothing is decided, because the state while a loader sets it up is not flat. */
static void begin_checks(engine *e, bool *looking)
{
    if (!engine_running(e) || *looking)
        return;
    *looking = true;
    code_forget(e);
}

bool guard_looks(const engine *e, const uc_translated *tb)
{
    const engine_guard *w = &e->memory.guard;
    bool real = uc_is_real(tb->flags);
    bool ends = (uint32_t)tb->pc - (uint32_t)tb->cs_base > LAST_OF_64K - BLOCK_BYTES_AT_MOST;
    return w->looking || w->looking_at[real] || (real && (ends || tb->flags & UC_HF_STEP));
}

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
        begin_checks(e, &w->looking);
    else if (w->data || (w->code && !w->real_limits))
        begin_checks(e, &w->looking_at[uc_env_is_real(env)]);
}

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

void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr)
{
    if ((e->memory.guard.segments || e->memory.guard.extra_now || e->memory.guard.real_limits) &&
        stretch_block(e))
        check_segment(e, linear, size, write, retaddr);
}

void guard_changes(engine *e, uintptr_t retaddr)
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

void guard_port_access(engine *e, const p5_access *access)
{
    if (e->memory.guard.breakpoints)
        guard_hit(e, breakpoints_access(&e->memory.guard.comparators, access));
}

static bool any_enabled(const engine *e, unsigned matches)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        if (matches >> n & 1 && e->memory.guard.comparators.all[n].enabled)
            return true;
    }
    return false;
}

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

void guard_trap(engine *e, uint32_t dr6)
{
    e->memory.guard.hits |= dr6;
    e->memory.guard.blocks = true;
    begin_checks(e, &e->memory.guard.looking);
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

void guard_general_detect(engine *e)
{
    if (e->env->dr[7] & DR7_GENERAL_DETECT)
        raise_debug(e, DR6_BD, true);
}

void guard_faulted(engine *e)
{
    if (e->memory.guard.hits)
        take_hits(e);
}

/* Updates the shadow of MOV SS and POP SS, which postpones traps and code breakpoints until the next
 * instruction has completed. */
void guard_completed(engine *e, const engine_block *b)
{
    e->memory.guard.shadow = b->code && isa_forms[b->code->insns[b->count - 1].form].traits & ISA_T_LOADS_SS;
    if (e->memory.resume)
        e->memory.resume--;
}

/* --- At the start of a block --- */

/* Returns whether the first `bytes` bytes of a block exceed the limit of CS. */
static bool beyond_limit(const engine *e, const engine_block *b, uint32_t bytes)
{
    uint32_t first = engine_code_offset(e, b->linear), last = first + bytes - 1,
             limit = e->env->segs[ENGINE_CS].limit;
    return first > limit || last > limit || last < first;
}

/* Undoes what the last instruction of a block did to ESP or ECX, because a near branch whose target lies
 * beyond the limit faults without any effect. Returns false if it is not a near branch. */
static bool take_back_branch(engine *e, const engine_block *b)
{
    if (!b->code)
        return false;
    const isa_insn *insn = &b->code->insns[b->count - 1];
    const isa_form *form = &isa_forms[insn->form];
    uint32_t mask = e->env->segs[ENGINE_SS].flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff, change = 0;
    uint32_t pointer_bytes = insn->operand32 ? 4 : 2;
    switch (form->branch) {
    case ISA_JCC:
    case ISA_JMP:
    case ISA_JMP_INDIRECT:
        break;
    case ISA_CALL:
    case ISA_CALL_INDIRECT:
        change = pointer_bytes;
        break;
    case ISA_RET:
        change = 0u - (pointer_bytes + insn->imm16);
        break;
    case ISA_LOOP:
        if (form->writes & 1 << ENGINE_ECX) { /* JCXZ does not count */
            uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX], count = insn->address32 ? UINT32_MAX : 0xffff;
            e->env->regs[ENGINE_ECX] = (ecx & ~count) | ((ecx + 1) & count);
        }
        break;
    default:
        return false;
    }
    uint32_t esp = (uint32_t)e->env->regs[ENGINE_ESP];
    e->env->regs[ENGINE_ESP] = (esp & ~mask) | ((esp + change) & mask);
    e->env->eip = engine_code_offset(e, insn->address);
    return true;
}

/* Raises #GP if the last instruction was a near branch to offset `to` and that lies beyond the limit of CS. */
static void check_branch(engine *e, uint32_t to)
{
    const engine_block *from = stretch_block(e);
    const uc_segment *cs = &e->env->segs[ENGINE_CS];
    if (!e->memory.guard.code || !from || stretch_restarts(e) || to <= cs->limit)
        return;
    bool falls = (uint32_t)cs->base + to == from->linear + from->size;
    if (!falls && take_back_branch(e, from))
        engine_raise(e, VECTOR_GP, 0);
}

void guard_branch(engine *e, const engine_block *b)
{
    check_branch(e, engine_code_offset(e, b->linear));
}

void guard_fetch(engine *e, uint32_t linear)
{
    const uc_segment *cs = &e->env->segs[ENGINE_CS];
    if (!e->memory.guard.code || linear - (uint32_t)cs->base <= cs->limit)
        return;
    check_branch(e, (uint32_t)e->env->eip);
    e->memory.fault.fetch = true;
    engine_raise(e, VECTOR_GP, 0);
}

/* Unicorn calls this after an instruction with TF. */
void WRAP(helper_single_step)(uc_env *env)
{
    engine *e = engine_of(env);
    check_branch(e, (uint32_t)env->eip);
    raise_debug(e, DR6_BS | take_hits(e), false);
}

void REAL(helper_pause)(uc_env *env, int length);
/* F3 90 is a NOP. Unicorn ends a block with it without checking TF. */
void WRAP(helper_pause)(uc_env *env, int length)
{
    if (env->eflags & EFLAGS_TF) {
        env->eip += (uint32_t)length;
        WRAP(helper_single_step)(env);
    }
    REAL(helper_pause)(env, length);
}

/* Raises #GP if the block's first instruction exceeds the limit of CS. Near the limit, blocks are executed one
 * instruction at a time, so that those before the limit complete. */
static void check_code_limit(engine *e, const engine_block *b)
{
    if (beyond_limit(e, b, b->size ? b->size : 1)) {
        if (b->count <= 1)
            engine_raise(e, VECTOR_GP, 0);
        e->memory.guard.limit_step = true; /* instruction by instruction up to the limit */
        guard_set_step_flag(e);
        engine_resume(e);
    }
    if (e->memory.guard.limit_step && !beyond_limit(e, b, BLOCK_BYTES_AT_MOST)) {
        e->memory.guard.limit_step = false;
        guard_set_step_flag(e);
        engine_resume(e);
    }
}

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
        check_code_limit(e, b);
}

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
