/* Segmentation, far transfers, tasks and deliveries as the processor does them: descriptor.c reads
 * descriptors and loads segment registers, transfer.c has the far JMP, CALL, RET and IRET, task.c the task
 * switch, delivery.c the way through IDT and interrupt vector table. They replace Unicorn's, which checks no
 * limits, leaves out the EXT bit and changes state before all checks are done. Here nothing but memory below
 * the stack pointer changes before the last check, unless the manual says so (tasks). */
#ifndef ENGINE_SEGMENT_SEGMENTATION_H
#define ENGINE_SEGMENT_SEGMENTATION_H

#include "engine/internal.h"

/* High dword of a descriptor:
 *   31..24 23 22 21 20  19..16  15 14 13 12 11..8 7..0
 *    base   G  B  0  AVL limit   P  DPL   S  type base */
enum {
    DESCRIPTOR_ACCESSED = 1 << 8,
    DESCRIPTOR_WRITABLE = 1 << 9, /* data; code: readable */
    DESCRIPTOR_READABLE = 1 << 9,
    DESCRIPTOR_EXPAND_DOWN = 1 << 10, /* data; code: conforming */
    DESCRIPTOR_CONFORMING = 1 << 10,
    DESCRIPTOR_CODE = 1 << 11,
    DESCRIPTOR_S = 1 << 12, /* code or data, not system */
    DESCRIPTOR_P = 1 << 15,
    DESCRIPTOR_B = 1 << 22, /* 32-bit code or stack */
    DESCRIPTOR_G = 1 << 23
};

/* Types of system descriptors. With bit 3 set: 32 bits. */
enum {
    SYSTEM_TSS16 = 1,
    SYSTEM_LDT = 2,
    SYSTEM_TSS16_BUSY = 3,
    SYSTEM_CALL_GATE16 = 4,
    SYSTEM_TASK_GATE = 5,
    SYSTEM_INTERRUPT_GATE16 = 6,
    SYSTEM_TRAP_GATE16 = 7,
    SYSTEM_TSS32 = 9,
    SYSTEM_TSS32_BUSY = 11,
    SYSTEM_CALL_GATE32 = 12,
    SYSTEM_32BIT = 8,
    SYSTEM_TSS_BUSY = 2 /* bit of the type */
};

enum {
    FLAG_CF = 1 << 0,
    FLAG_TF = 1 << 8,
    FLAG_IF = 1 << 9,
    FLAG_IOPL = 3 << 12,
    FLAG_NT = 1 << 14,
    FLAG_RF = 1 << 16,
    FLAG_VM = 1 << 17,
    FLAG_AC = 1 << 18,
    FLAG_VIF = 1 << 19,
    FLAG_VIP = 1 << 20,
    FLAG_ID = 1 << 21,
    FLAGS_ALWAYS = 0x4dd5 | FLAG_RF | FLAG_AC | FLAG_ID, /* that every level may load: status, TF, DF, NT */
    FLAGS_LOW = 0xffff,
    FLAGS_ALL = 0x3f7fd5
};

enum {
    VECTOR_DB = 1,
    VECTOR_UD = 6,
    VECTOR_DF = 8,
    VECTOR_TS = 10,
    VECTOR_NP = 11,
    VECTOR_SS = 12,
    VECTOR_GP = 13,
    VECTOR_PF = 14,
    VECTOR_AC = 17
};

/* engine.resume: EFLAGS.RF, which holds code breakpoints off for one instruction. It is set by an instruction
 * (IRET) that is still to be completed itself, or by a delivery. */
enum { RESUME_NOW = 1, RESUME_AFTER_THIS = 2 };

typedef struct descriptor {
    uint32_t address; /* linear */
    uint32_t low, high;
} descriptor;

static inline unsigned descriptor_dpl(const descriptor *d)
{
    return d->high >> 13 & 3;
}
static inline unsigned descriptor_type(const descriptor *d) /* with S as bit 4 */
{
    return d->high >> 8 & 0x1f;
}
static inline uint32_t descriptor_base(const descriptor *d)
{
    return d->low >> 16 | (d->high & 0xff) << 16 | (d->high & 0xff000000u);
}
static inline uint32_t descriptor_limit(const descriptor *d)
{
    uint32_t limit = (d->low & 0xffff) | (d->high & 0xf0000);
    return d->high & DESCRIPTOR_G ? limit << 12 | 0xfff : limit;
}
static inline bool selector_null(uint32_t selector)
{
    return (selector & 0xfffc) == 0;
}

/* --- descriptor.c --- */

/* Raises a fault of segmentation with the EXT bit of the delivery that is under way. */
_Noreturn void segmentation_fault(engine *e, unsigned vector, uint32_t code);
/* Reads a descriptor from the GDT or LDT; false if it lies outside the table. */
bool descriptor_read(engine *e, uint32_t selector, descriptor *d);
/* Sets the accessed bit in memory if it is clear. */
void descriptor_accessed(engine *e, descriptor *d);
/* Marks a TSS descriptor in memory busy or available. */
void descriptor_set_busy(engine *e, descriptor *d, bool busy);
/* The hidden parts of a segment register. */
uc_segment descriptor_segment(const descriptor *d, uint32_t selector);
uc_segment segment_real(uint32_t selector, bool v86);
/* True if [offset, offset + size) lies within the segment's limit, upwards or downwards. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size);
/* True if code may go on at `eip`. */
bool segment_allows_eip(const uc_segment *code, uint32_t eip);
/* Puts CS and SS in place, with what follows from them: CPL, sizes, which checks are needed. Other segments
 * have been written before. */
void segments_changed(engine *e);
/* Checks a stack segment for privilege `cpl`; raises `bad` (#TS or #GP) or #SS. */
uc_segment stack_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad, unsigned absent);
uc_segment data_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad);
/* A return to an outer level or V86 must not leave it segments that it could not have loaded. */
void segments_drop_privileged(engine *e, unsigned cpl);

/* A stack that is being pushed to or popped from; nothing in the processor changes until far_stack_set_sp. */
typedef struct far_stack {
    uc_segment segment;
    uint32_t sp;
    uint32_t fault_code; /* of #SS */
    bool user;           /* pages are accessed with user rights */
} far_stack;
far_stack far_stack_current(engine *e);
void far_stack_push(engine *e, far_stack *s, unsigned size, uint32_t value);
uint32_t far_stack_pop(engine *e, far_stack *s, unsigned size);
/* Raises #SS unless `bytes` can be pushed. */
void far_stack_room(engine *e, const far_stack *s, unsigned bytes);
/* ESP or SP, as the stack segment says. */
void far_stack_set_sp(engine *e, const far_stack *s);

/* SS:ESP for privilege `cpl` from the current TSS; raises #TS. */
far_stack far_stack_inner(engine *e, unsigned cpl);

static inline void instruction_pointer_set(engine *e, uint32_t eip)
{
    e->env->eip = eip;
}

/* --- task.c --- */

typedef enum task_switch_source { TASK_JMP, TASK_CALL, TASK_IRET, TASK_INTERRUPT } task_switch_source;
/* Switches to the task whose TSS descriptor is `d`, already checked to be a TSS, present and available (IRET:
 * busy). `eip` is what the old task is saved with. */
void task_switch(engine *e, task_switch_source source, uint32_t selector, descriptor *d, uint32_t eip);
/* Reads and checks the TSS descriptor that a task gate names. */
void task_gate_target(engine *e, uint32_t selector, descriptor *d);

/* --- delivery.c --- */

typedef struct delivery {
    p5_transfer kind;
    uint8_t vector;
    bool has_error_code;
    uint32_t error_code;
    uint32_t eip; /* to be pushed */
} delivery;
void delivery_run(engine *e, const delivery *d);
/* INT n in V86 mode through the vector table of the V86 task (CR4.VME, redirection bitmap). */
void delivery_redirected(engine *e, unsigned vector, uint32_t eip);

/* EFLAGS with RF as the processor would push it. */
uint32_t flags_current(const engine *e);

#endif
