/* Descriptors, segment registers and the stacks of far transfers. Manual: segment descriptors, privilege
 * checks of the data and stack segments, stack switching. */
#include <assert.h>

#include "engine/control/registers.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/segment/segment_internal.h"

enum { TABLE_LDT = 4 /* TI bit of a selector */, DESCRIPTOR_BYTES = 8 };
/* Attributes of every segment in V86 mode. */
enum {
    V86_DPL = 3 << 13,
    V86_DATA = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_WRITABLE | DESCRIPTOR_ACCESSED | V86_DPL
};

/* In this file, `code` is an error code without the EXT bit. segment_state.return_address is 0, or where the running
 * segment load returns to in translated code. Unicorn finds the EIP of the faulting instruction by it. */

void segmentation_fault(engine *e, unsigned vector, uint32_t code)
{
    UC_INTERNAL(raise_exception_err_ra)
    (e->env, (int)vector, (int)(code | e->segment.external), e->segment.return_address);
}

/* Reads the descriptor of a selector from GDT or LDT. Returns false if it lies outside the table's limit. */
bool descriptor_read(engine *e, uint32_t selector, descriptor_words *d)
{
    const uc_segment *table = selector & TABLE_LDT ? &e->env->ldt : &e->env->gdt;
    uint32_t offset = selector & 0xfff8;
    if (offset + DESCRIPTOR_BYTES - 1 > table->limit)
        return false;
    d->address = (uint32_t)table->base + offset;
    d->low = access_load_system(e, d->address, 4, e->segment.return_address);
    d->high = access_load_system(e, d->address + 4, 4, e->segment.return_address);
    return true;
}

/* Sets the accessed bit of a code or data segment's descriptor in memory, if it is clear. */
void descriptor_accessed(engine *e, descriptor_words *d)
{
    if (d->high & DESCRIPTOR_ACCESSED)
        return;
    d->high = access_update_descriptor(e, d->address, DESCRIPTOR_ACCESSED, 0, e->segment.return_address);
}

void descriptor_set_busy(engine *e, descriptor_words *d, bool busy)
{
    enum { BUSY = SYSTEM_TSS_BUSY << 8 };
    d->high =
        access_update_descriptor(e, d->address, busy ? BUSY : 0, busy ? 0 : BUSY, e->segment.return_address);
}

uc_segment descriptor_segment(const descriptor_words *d, uint32_t selector)
{
    return (uc_segment){selector & 0xffff, 0, descriptor_base(d), descriptor_limit(d), d->high};
}

/* Returns any segment register as V86 mode loads it, without a descriptor. */
uc_segment segment_v86(uint32_t selector)
{
    selector &= 0xffff;
    return (uc_segment){selector, 0, (uint64_t)selector << 4, 0xffff, V86_DATA};
}

void segment_check_eip(engine *e, uint32_t limit, uint32_t eip)
{
    if (eip > limit)
        segmentation_fault(e, VECTOR_GP, 0);
}

uc_segment segment_real_code(engine *e, uint32_t selector, uint32_t eip)
{
    uc_segment code = e->env->segs[ENGINE_CS];
    code.selector = selector & 0xffff;
    code.base = (uint64_t)code.selector << 4;
    segment_check_eip(e, code.limit, eip);
    return code;
}

/* Updates what Unicorn and the engine derive from the segment registers: CPL (the DPL of SS), the sizes of code and
 * stack, and the checks of references. */
void segments_changed(engine *e)
{
    uc_env *env = e->env;
    env->hflags = (env->hflags & ~(uint32_t)UC_HF_CPL) | (env->segs[ENGINE_SS].flags >> 13 & 3);
    registers_update_hidden(e);
    guard_update(e);
}

/* Checks a selector for DS, ES, FS or GS at privilege `cpl`, and returns the register with its hidden part. A null
 * selector is allowed. `bad` is the vector of its faults: #GP or, in a task switch, #TS; a segment that is not
 * present raises #NP. */
uc_segment data_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad)
{
    descriptor_words d;
    uint32_t code = selector & 0xfffc;
    if (selector_null(selector))
        return (uc_segment){.selector = selector};
    if (!descriptor_read(e, selector, &d) || !(d.high & DESCRIPTOR_S))
        segmentation_fault(e, bad, code);
    bool is_code = d.high & DESCRIPTOR_CODE;
    if (is_code && !(d.high & DESCRIPTOR_READABLE))
        segmentation_fault(e, bad, code);
    if (!(is_code && d.high & DESCRIPTOR_CONFORMING) &&
        (descriptor_dpl(&d) < cpl || descriptor_dpl(&d) < (selector & 3)))
        segmentation_fault(e, bad, code);
    if (!(d.high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, code);
    descriptor_accessed(e, &d);
    return descriptor_segment(&d, selector);
}

/* Executes MOV, POP and LxS to a data or stack segment register in protected mode. Other instructions may precede it
 * in its block, so a fault needs the return address, from which Unicorn restores EIP. */
void WRAP(helper_load_seg)(uc_env *env, int segment, int new_selector)
{
    engine *e = engine_of(env);
    uint32_t selector = (uint32_t)new_selector & 0xffff;
    unsigned cpl = engine_cpl(e);
    e->segment.external = 0;
    e->segment.return_address = (uintptr_t)__builtin_return_address(0);
    env->segs[segment] = segment == ENGINE_SS ? stack_segment_check(e, selector, cpl, VECTOR_GP, VECTOR_SS)
                                              : data_segment_check(e, selector, cpl, VECTOR_GP);
    e->segment.return_address = 0;
    segments_changed(e);
}

/* Executes LTR: the TSS must be in the GDT, present and available, and is marked busy there. */
void WRAP(helper_ltr)(uc_env *env, int new_selector)
{
    engine *e = engine_of(env);
    uint32_t selector = (uint32_t)new_selector & 0xffff, code = selector & 0xfffc;
    descriptor_words d;
    e->segment.external = 0;
    e->segment.return_address = (uintptr_t)__builtin_return_address(0);
    if (selector & TABLE_LDT || selector_null(selector) || !descriptor_read(e, selector, &d) ||
        (descriptor_type(&d) != SYSTEM_TSS16 && descriptor_type(&d) != SYSTEM_TSS32))
        segmentation_fault(e, VECTOR_GP, code);
    if (!(d.high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, code);
    const uc_segment tr = descriptor_segment(&d, selector);
    descriptor_set_busy(e, &d, true); /* if this page-faults, TR keeps its value */
    env->tr = tr;
    e->segment.return_address = 0;
}

/* Checks a selector for SS at privilege `cpl`, and returns the register with its hidden part. `bad` is the vector of
 * its faults, `absent` that for a segment which is not present. */
uc_segment stack_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad, unsigned absent)
{
    enum { KIND = DESCRIPTOR_S | DESCRIPTOR_CODE | DESCRIPTOR_WRITABLE };
    descriptor_words d;
    uint32_t code = selector & 0xfffc;
    if (selector_null(selector))
        segmentation_fault(e, bad, 0);
    if (!descriptor_read(e, selector, &d) || (selector & 3) != cpl || descriptor_dpl(&d) != cpl ||
        (d.high & KIND) != (DESCRIPTOR_S | DESCRIPTOR_WRITABLE))
        segmentation_fault(e, bad, code);
    if (!(d.high & DESCRIPTOR_P))
        segmentation_fault(e, absent, code);
    descriptor_accessed(e, &d);
    return descriptor_segment(&d, selector);
}

/* Makes data segments null that the outer level `cpl`, to which a return leads, could not have loaded. */
void segments_drop_privileged(engine *e, unsigned cpl)
{
    static const engine_segment_name data[] = {ENGINE_ES, ENGINE_FS, ENGINE_GS, ENGINE_DS};
    for (unsigned i = 0; i < 4; i++) {
        uc_segment *s = &e->env->segs[data[i]];
        enum { CONFORMING_CODE = DESCRIPTOR_CODE | DESCRIPTOR_CONFORMING };
        if ((s->flags & CONFORMING_CODE) != CONFORMING_CODE && (s->flags >> 13 & 3) < cpl)
            *s = (uc_segment){0}; /* null: any use faults */
    }
}

/* --- Stacks --- */

/* Returns the bits of ESP that the stack uses: SP only, unless the segment's B bit is set. */
static uint32_t stack_mask(const far_stack *s)
{
    return s->segment.flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff;
}

far_stack far_stack_current(engine *e)
{
    return (far_stack){.segment = e->env->segs[ENGINE_SS],
                       .sp = (uint32_t)e->env->regs[ENGINE_ESP],
                       .user = engine_at_user_level(e->env)};
}

/* Returns the linear address of a value on the stack. Raises #SS if it exceeds the segment's limit. */
static uint32_t stack_address(engine *e, const far_stack *s, uint32_t offset, unsigned size)
{
    if (!segment_allows(&s->segment, offset, size))
        segmentation_fault(e, VECTOR_SS, s->fault_code);
    return (uint32_t)s->segment.base + offset;
}

void far_stack_push(engine *e, far_stack *s, unsigned size, uint32_t value)
{
    assert(size == 2 || size == 4);
    uint32_t sp = (s->sp - size) & stack_mask(s);
    access_store_system(e, stack_address(e, s, sp, size), size, value, s->user);
    s->sp = (s->sp & ~stack_mask(s)) | sp;
}

uint32_t far_stack_pop(engine *e, far_stack *s, unsigned size)
{
    assert(size == 2 || size == 4);
    uint32_t sp = s->sp & stack_mask(s);
    uint32_t value = access_load_as(e, stack_address(e, s, sp, size), size, s->user);
    s->sp = (s->sp & ~stack_mask(s)) | ((sp + size) & stack_mask(s));
    return value;
}

/* Raises #SS unless `bytes`, an even number, can be pushed. */
void far_stack_room(engine *e, const far_stack *s, unsigned bytes)
{
    uint32_t sp = s->sp & stack_mask(s);
    for (unsigned below = 2; below <= bytes; below += 2)
        stack_address(e, s, (sp - below) & stack_mask(s), 2);
}

void far_stack_set_sp(engine *e, const far_stack *s)
{
    uint32_t mask = stack_mask(s);
    e->env->regs[ENGINE_ESP] = ((uint32_t)e->env->regs[ENGINE_ESP] & ~mask) | (s->sp & mask);
}

/* Returns the stack for privilege `cpl` from the current TSS. Faults are #TS, or #SS if the segment is not present. */
far_stack far_stack_inner(engine *e, unsigned cpl)
{
    assert(cpl < 3); /* the TSS has no stack for level 3 */
    const uc_segment *tr = &e->env->tr;
    uint32_t tr_code = tr->selector & 0xfffc, base = (uint32_t)tr->base;
    unsigned type = (tr->flags >> 8 & 15) & ~(unsigned)SYSTEM_TSS_BUSY;
    if (type != SYSTEM_TSS32 && type != SYSTEM_TSS16)
        segmentation_fault(e, VECTOR_TS, tr_code);
    unsigned size = type == SYSTEM_TSS32 ? 4 : 2;
    uint32_t offset = (2 * cpl + 1) * size;
    if (offset + 2 * size - 1 > tr->limit)
        segmentation_fault(e, VECTOR_TS, tr_code);
    uint32_t sp = access_load_system(e, base + offset, size, 0);
    uint32_t selector = access_load_system(e, base + offset + size, 2, 0);
    return (far_stack){.segment = stack_segment_check(e, selector, cpl, VECTOR_TS, VECTOR_SS),
                       .sp = sp,
                       .fault_code = selector & 0xfffc};
}
