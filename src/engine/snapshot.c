/* The engine's state in snapshots: the processor's registers, the engine's own state, and physical memory. Values
 * that Unicorn derives from registers are not saved but derived again. Translated code is not saved either: no
 * result depends on it. */
#include "engine/control/registers.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream.h"
#include "engine/x87/x87.h"

/* ---- registers ----------------------------------------------------------------------------------------- */

enum { SEGMENTS = 6, STATUS_WITHOUT_TOP = 0xc7ff };

typedef struct segment_registers {
    uint16_t selector[SEGMENTS + 2]; /* ES CS SS DS FS GS, LDTR, TR */
    uint32_t base[SEGMENTS + 2], limit[SEGMENTS + 2];
    uint32_t flags[SEGMENTS + 2]; /* the descriptor's high dword */
} segment_registers;

typedef struct x87_registers {
    uint8_t top;
    uint16_t status; /* without TOP */
    uint16_t control;
    uint8_t empty[8]; /* by physical register, as the next two: 1 = empty */
    uint64_t mantissa[8];
    uint16_t exponent[8]; /* with the sign in bit 15 */
    uint16_t opcode, fcs, fds;
    uint32_t fip, fdp;
} x87_registers;

typedef struct processor {
    uint32_t gpr[8], eip, eflags;
    uint8_t cpl;
    bool shadow; /* the previous instruction was STI or has loaded SS: interrupts wait for one more */
    uint32_t cr0, cr2, cr3, cr4, dr[8];
    segment_registers segments;
    uint32_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    x87_registers x87;
} processor;

static const snapshot_table segments_state = {
    SNAPSHOT(segment_registers, "segments", FIELD_ANY_OF([0], selector, base, limit, flags))};

static const snapshot_table x87_registers_state = {
    SNAPSHOT(x87_registers, "x87", FIELD_MOST(7, top), FIELD_BITS(STATUS_WITHOUT_TOP, status),
             FIELD_ANY(control), FIELD_MOST_OF([0], 1, empty), FIELD_ANY_OF([0], mantissa, exponent),
             FIELD_ANY(opcode, fcs, fds, fip, fdp))};

/* Refuses combinations of registers that no instruction can produce. */
static void check_processor(const void *row, snapshot *s)
{
    const processor *p = row;
    bool protected_mode = p->cr0 & CR0_PE, v86 = p->eflags & EFLAGS_VM;
    if (p->cr0 & CR0_PG && !protected_mode)
        snapshot_refuse(s, "processor.cr0: %08Xh has PG without PE", p->cr0);
    if (v86 && !protected_mode)
        snapshot_refuse(s, "processor.eflags: %08Xh has VM in real mode", p->eflags);
    if ((!protected_mode && p->cpl != 0) || (v86 && p->cpl != 3))
        snapshot_refuse(s, "processor.cpl: %u is not that of %s mode", (unsigned)p->cpl,
                        v86 ? "V86" : "real");
}

static const snapshot_table processor_state = {
    SNAPSHOT(processor, "processor", FIELD_ANY_OF([0], gpr), FIELD_ANY(eip),
             FIELD_BITS(EFLAGS_ALL | EFLAGS_FIXED, eflags), FIELD_MOST(3, cpl), FIELD_FLAG(shadow),
             FIELD_BITS(CR0_ALL, cr0), FIELD_ANY(cr2, cr3), FIELD_BITS(CR4_P55C, cr4), FIELD_ANY_OF([0], dr),
             FIELD_TABLE(&segments_state, segments), FIELD_ANY(gdt_base, idt_base, gdt_limit, idt_limit),
             FIELD_TABLE(&x87_registers_state, x87)),
    .check = check_processor};

/* Returns the segment register with index `i` of the arrays in segment_registers. */
static uc_segment *segment_at(uc_env *env, unsigned i)
{
    return i < SEGMENTS ? &env->segs[i] : i == SEGMENTS ? &env->ldt : &env->tr;
}

static void read_x87(const uc_env *env, x87_registers *x)
{
    *x = (x87_registers){.top = (uint8_t)env->fpstt,
                         .status = env->fpus & STATUS_WITHOUT_TOP,
                         .control = env->fpuc,
                         .opcode = env->fpop,
                         .fcs = env->fpcs,
                         .fds = env->fpds,
                         .fip = (uint32_t)env->fpip,
                         .fdp = (uint32_t)env->fpdp};
    for (unsigned i = 0; i < 8; i++) {
        x->empty[i] = env->fptags[i] != 0;
        x->mantissa[i] = env->fpregs[i].mantissa;
        x->exponent[i] = env->fpregs[i].exponent;
    }
}

static void write_x87(uc_env *env, const x87_registers *x)
{
    env->fpstt = x->top;
    env->fpus = x->status;
    env->fpuc = x->control;
    env->fpop = x->opcode;
    env->fpcs = x->fcs;
    env->fpds = x->fds;
    env->fpip = x->fip;
    env->fpdp = x->fdp;
    for (unsigned i = 0; i < 8; i++) {
        env->fptags[i] = x->empty[i];
        env->fpregs[i].mantissa = x->mantissa[i];
        env->fpregs[i].exponent = x->exponent[i];
    }
}

static void read_processor(const engine *e, processor *p)
{
    uc_env *env = e->env;
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < 8; i++) {
        p->gpr[i] = (uint32_t)env->regs[i];
        p->dr[i] = (uint32_t)env->dr[i];
    }
    p->eip = (uint32_t)env->eip;
    p->eflags = engine_get(e, ENGINE_EFLAGS);
    p->cpl = env->hflags & UC_HF_CPL;
    p->shadow = (env->hflags & UC_HF_INHIBIT_IRQ) != 0;
    p->cr0 = (uint32_t)env->cr[0];
    p->cr2 = (uint32_t)env->cr[2];
    p->cr3 = (uint32_t)env->cr[3];
    p->cr4 = (uint32_t)env->cr[4];
    for (unsigned i = 0; i < SEGMENTS + 2; i++) {
        const uc_segment *from = segment_at(env, i);
        p->segments.selector[i] = (uint16_t)from->selector;
        p->segments.base[i] = (uint32_t)from->base;
        p->segments.limit[i] = from->limit;
        p->segments.flags[i] = from->flags;
    }
    p->gdt_base = (uint32_t)env->gdt.base;
    p->gdt_limit = (uint16_t)env->gdt.limit;
    p->idt_base = (uint32_t)env->idt.base;
    p->idt_limit = (uint16_t)env->idt.limit;
    read_x87(env, &p->x87);
}

/* Loads the registers. Unicorn's functions derive its other state from CR0 and CR4, registers_update_hidden from
 * segments, and guard_debug_written the checks of references and breakpoints. */
static void write_processor(engine *e, const processor *p)
{
    uc_env *env = e->env;
    for (unsigned i = 0; i < 8; i++) {
        env->regs[i] = p->gpr[i];
        env->dr[i] = p->dr[i];
    }
    env->eip = p->eip;
    registers_set_eflags(e, p->eflags);
    UC_INTERNAL(cpu_x86_update_cr0)(env, p->cr0);
    UC_INTERNAL(cpu_x86_update_cr4)(env, p->cr4);
    env->cr[2] = p->cr2;
    env->cr[3] = p->cr3;
    for (unsigned i = 0; i < SEGMENTS + 2; i++)
        *segment_at(env, i) = (uc_segment){p->segments.selector[i], 0, p->segments.base[i],
                                           p->segments.limit[i], p->segments.flags[i]};
    env->gdt = (uc_segment){.base = p->gdt_base, .limit = p->gdt_limit};
    env->idt = (uc_segment){.base = p->idt_base, .limit = p->idt_limit};
    env->hflags =
        (env->hflags & ~(uint32_t)(UC_HF_CPL | UC_HF_INHIBIT_IRQ | UC_HF_STEP)) | p->cpl |
        (p->shadow ? UC_HF_INHIBIT_IRQ : 0); /* guard_debug_written sets UC_HF_STEP if it is needed */
    registers_update_hidden(e);
    write_x87(env, &p->x87);
    engine_flush_translations(e);
    guard_debug_written(e);
}

/* Saves or loads the registers. */
static void transfer_processor(engine *e, snapshot *s)
{
    processor p;
    x87_settle(e);
    read_processor(e, &p);
    snapshot_state(s, &processor_state, &p);
    if (s->loading && s->status == P5_OK)
        write_processor(e, &p);
}

/* ---- the engine's own state, and everything --------------------------------------------------------------- */

/* The fields of each folder's state appear in the snapshot as fields of "engine". */
static const snapshot_table x87_saved = {SNAPSHOT(x87_state, "x87", FIELD_FLAG(ignored)), .partial = true};
static const snapshot_table engine_state = {
    SNAPSHOT(engine, "engine", FIELD_TABLE(&memory_saved, memory), FIELD_TABLE(&x87_saved, x87),
             FIELD_TABLE(&segment_saved, segment), FIELD_TABLE(&stream_saved, stream)),
    .partial = true};

const snapshot_table *const engine_tables[] = {&processor_state, &engine_state,      &memory_numbers,
                                               &memory_copied,   &memory_code_lines, &memory_coherence,
                                               &memory_pages,    &memory_fetched,    NULL};

void engine_transfer(engine *e, snapshot *s)
{
    transfer_processor(e, s);
    snapshot_state(s, &engine_state,
                   e); /* after transfer_processor, whose guard_debug_written may clear RF */
    physical_transfer(e, s);
}
