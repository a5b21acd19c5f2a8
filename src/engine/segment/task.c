/* Task switches. Manual: task management, TSS layouts, the steps of a switch. Faults before the step that commits to
 * the new task belong to the old task, later ones to the new task. */
#include <assert.h>

#include "engine/control/registers.h"
#include "engine/control/special.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/segment/segment_internal.h"

/* One layout of a TSS: offsets of its fields. */
typedef struct tss_layout {
    uint8_t size; /* bytes of a field */
    uint8_t eip, flags, registers, segments, segment_count, ldt;
    uint8_t last; /* offset of the last byte that must lie within the limit */
} tss_layout;
static const tss_layout tss16 = {2, 0x0e, 0x10, 0x12, 0x22, 4, 0x2a, 0x2b};
static const tss_layout tss32 = {4, 0x20, 0x24, 0x28, 0x48, 6, 0x60, 0x67};
enum { TSS_LINK = 0, TSS_CR3 = 0x1c, TSS_TRAP = 0x64, GENERAL_REGISTERS = 8, SEGMENTS = 6 };

/* Contents of a TSS. */
typedef struct task_state {
    uint32_t cr3, eip, flags, registers[GENERAL_REGISTERS], segments[SEGMENTS], ldt;
    bool trap;
} task_state;

/* Returns the layout for the high dword of a TSS descriptor. */
static const tss_layout *layout_of(uint32_t flags)
{
    return (flags >> 8 & SYSTEM_32BIT) != 0 ? &tss32 : &tss16;
}

/* Reads the state of a task from its TSS at linear address `base`. A 16-bit TSS leaves FFFFh in the upper halves of the
 * general registers. */
static task_state state_read(engine *e, const tss_layout *layout, uint32_t base)
{
    assert(layout == &tss16 || layout == &tss32);
    assert(layout->segment_count <= SEGMENTS);
    task_state s = {0};
    unsigned size = layout->size;
    if (layout == &tss32)
        s.cr3 = access_load_system(e, base + TSS_CR3, 4, 0);
    s.eip = access_load_system(e, base + layout->eip, size, 0);
    s.flags = access_load_system(e, base + layout->flags, size, 0);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        s.registers[i] = access_load_system(e, base + layout->registers + i * size, size, 0);
        if (size == 2)
            s.registers[i] |= 0xffff0000u;
    }
    for (unsigned i = 0; i < layout->segment_count; i++)
        s.segments[i] = access_load_system(e, base + layout->segments + i * size, 2, 0);
    s.ldt = access_load_system(e, base + layout->ldt, 2, 0);
    if (layout == &tss32)
        s.trap = access_load_system(e, base + TSS_TRAP, 2, 0) & 1;
    return s;
}

/* Saves the current task in its TSS, with this EIP and EFLAGS, but neither CR3 nor LDT, which the processor never
 * writes. */
static void state_write(engine *e, const tss_layout *layout, uint32_t base, uint32_t eip, uint32_t flags)
{
    assert(layout == &tss16 || layout == &tss32);
    const uc_env *env = e->env;
    unsigned size = layout->size;
    access_store_system(e, base + layout->eip, size, eip, false);
    access_store_system(e, base + layout->flags, size, flags, false);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        access_store_system(e, base + layout->registers + i * size, size, (uint32_t)env->regs[i], false);
    for (unsigned i = 0; i < layout->segment_count; i++)
        access_store_system(e, base + layout->segments + i * size, 2, env->segs[i].selector, false);
}

/* Reads the TSS descriptor to which a task gate refers; raises #GP or #NP if it cannot be used. */
void task_gate_target(engine *e, uint32_t selector, descriptor_words *d)
{
    uint32_t code = selector & 0xfffc;
    bool local = selector & 4;
    if (local || selector_null(selector) || !descriptor_read(e, selector, d))
        segmentation_fault(e, VECTOR_GP, code);
    unsigned type = descriptor_type(d);
    if (type != SYSTEM_TSS16 && type != SYSTEM_TSS32) /* including a busy TSS */
        segmentation_fault(e, VECTOR_GP, code);
    if (!(d->high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, code);
}

/* --- Segments of the new task. Every fault is #TS, or #NP or #SS for a segment that is not present --- */

static void load_ldt(engine *e, uint32_t selector)
{
    descriptor_words d;
    uint32_t code = selector & 0xfffc;
    e->env->ldt = (uc_segment){.selector = selector};
    if (selector_null(selector))
        return;
    if (selector & 4 || !descriptor_read(e, selector, &d) || descriptor_type(&d) != SYSTEM_LDT ||
        !(d.high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_TS, code);
    e->env->ldt = descriptor_segment(&d, selector);
}

/* Checks the selector of CS, and returns the register. */
static uc_segment code_segment_check(engine *e, uint32_t selector)
{
    descriptor_words d;
    uint32_t code = selector & 0xfffc;
    unsigned rpl = selector & 3;
    if (selector_null(selector) || !descriptor_read(e, selector, &d) || !(d.high & DESCRIPTOR_S) ||
        !(d.high & DESCRIPTOR_CODE))
        segmentation_fault(e, VECTOR_TS, code);
    bool allowed = d.high & DESCRIPTOR_CONFORMING ? descriptor_dpl(&d) <= rpl : descriptor_dpl(&d) == rpl;
    if (!allowed)
        segmentation_fault(e, VECTOR_TS, code);
    if (!(d.high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, code);
    descriptor_accessed(e, &d);
    return descriptor_segment(&d, selector);
}

/* Loads LDTR and the segment registers with their hidden parts, in the processor's order, which decides the first
 * fault. */
static void load_segments(engine *e, const task_state *s)
{
    static const engine_segment_name data[] = {ENGINE_DS, ENGINE_ES, ENGINE_FS, ENGINE_GS};
    uc_env *env = e->env;
    if (s->flags & EFLAGS_VM) {
        for (unsigned i = 0; i < SEGMENTS; i++)
            env->segs[i] = segment_v86(s->segments[i]);
        segments_changed(e);
        load_ldt(e, s->ldt);
        return;
    }
    unsigned cpl = s->segments[ENGINE_CS] & 3;
    load_ldt(e, s->ldt);
    env->segs[ENGINE_SS] = stack_segment_check(e, s->segments[ENGINE_SS], cpl, VECTOR_TS, VECTOR_SS);
    segments_changed(e);
    env->segs[ENGINE_CS] = code_segment_check(e, s->segments[ENGINE_CS]);
    segments_changed(e);
    for (unsigned i = 0; i < 4; i++)
        env->segs[data[i]] = data_segment_check(e, s->segments[data[i]], cpl, VECTOR_TS);
    segments_changed(e);
}

/* Loads only the selectors, before load_segments, so that segments which it does not reach because of a fault are
 * unusable. CPL becomes the RPL of the new CS, because the fault's handler is entered from it. */
static void load_selectors(engine *e, const task_state *s)
{
    uc_env *env = e->env;
    for (unsigned i = 0; i < SEGMENTS; i++)
        env->segs[i] = (uc_segment){.selector = s->segments[i]};
    env->segs[ENGINE_SS].flags = (s->segments[ENGINE_CS] & 3) << 13;
    env->segs[ENGINE_CS].flags = DESCRIPTOR_B;
    env->segs[ENGINE_CS].limit = UINT32_MAX;
    env->ldt = (uc_segment){.selector = s->ldt};
}

/* Checks both TSSs, saves the old task, reads the new one, updates busy bits, link and NT; then loads the new task. */
void task_switch(engine *e, task_switch_source source, uint32_t selector, descriptor_words *d, uint32_t eip)
{
    uc_env *env = e->env;
    const tss_layout *old_layout = layout_of(env->tr.flags), *layout = layout_of(d->high);
    uint32_t base = descriptor_base(d), old_base = (uint32_t)env->tr.base;
    uint32_t old_selector = env->tr.selector & 0xffff, flags = flags_current(e);
    bool nested = source == TASK_CALL || source == TASK_INTERRUPT;
    if (descriptor_limit(d) < layout->last)
        segmentation_fault(e, VECTOR_TS, selector & 0xfffc);
    if (env->tr.limit < old_layout->last) /* the old task cannot be saved */
        segmentation_fault(e, VECTOR_TS, old_selector & 0xfffc);
    uint32_t first = layout == &tss32 ? TSS_CR3 : layout->eip;
    access_check_system(e, base + first, layout->last - first, MMU_READ);
    access_check_system(e, old_base + old_layout->eip, old_layout->last - old_layout->eip, MMU_WRITE);
    if (nested)
        access_check_system(e, base + TSS_LINK, 2, MMU_WRITE);

    if (source == TASK_IRET)
        flags &= ~(uint32_t)EFLAGS_NT;
    state_write(e, old_layout, old_base, eip, flags);
    task_state state = state_read(e, layout, base); /* after saving, because it may be the same memory */
    if (!nested) {
        descriptor_words old;
        if (descriptor_read(e, old_selector, &old))
            descriptor_set_busy(e, &old, false);
    }
    if (nested) {
        access_store_system(e, base + TSS_LINK, 2, old_selector, false);
        state.flags |= EFLAGS_NT;
    }
    if (source != TASK_IRET)
        descriptor_set_busy(e, d, true);

    /* Faults belong to the new task from here on. */
    enum { DR7_LOCAL = 0x155 }; /* L0 to L3, LE */
    env->tr = descriptor_segment(d, selector);
    env->tr.flags &= ~((uint32_t)SYSTEM_TSS_BUSY << 8);
    UC_INTERNAL(cpu_x86_update_cr0)(env, (uint32_t)env->cr[0] | CR0_TS);
    env->dr[7] &= ~(uint64_t)DR7_LOCAL;
    bool paging = layout == &tss32 && (uint32_t)env->cr[0] >> 31;
    if (paging) {
        UC_INTERNAL(cpu_x86_update_cr3)(env, state.cr3);
        engine_flush_translations(e);
    }
    /* RF is for the new task's first instruction. A JMP, CALL or IRET has still to complete before that (guard.h). */
    guard_set_resume(e, !(state.flags & EFLAGS_RF) ? 0
                        : source == TASK_INTERRUPT ? RESUME_NOW
                                                   : RESUME_AFTER_THIS);
    registers_set_eflags(e, state.flags & EFLAGS_ALL & ~(uint32_t)EFLAGS_RF);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        env->regs[i] = state.registers[i];
    e->env->eip = state.eip;
    load_selectors(e, &state);
    segments_changed(e);
    special_task_switched(e);
    load_segments(e, &state);
    guard_resume_here(e); /* RF belongs to the instruction at the new EIP */
    segment_check_eip(e, env->segs[ENGINE_CS].limit, state.eip);
    if (state.trap) /* T bit: #DB before the first instruction */
        guard_trap(e, DR6_BT);
}
