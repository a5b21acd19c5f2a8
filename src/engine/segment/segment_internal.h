/* Segmentation, far transfers, tasks and deliveries as the processor does them. descriptor.c reads
 * descriptors and loads segment registers, transfer.c has the far JMP, CALL, RET and IRET, task.c the task
 * switch, and delivery.c the delivery through IDT and interrupt vector table. They replace Unicorn's code,
 * which checks no limits, omits the EXT bit and changes state before all checks are done. Here, only memory
 * below the stack pointer changes before the last check, unless the manual says otherwise (tasks). */
#ifndef ENGINE_SEGMENT_SEGMENT_INTERNAL_H
#define ENGINE_SEGMENT_SEGMENT_INTERNAL_H

#include "engine/segment/segmentation.h"

static inline bool selector_null(uint32_t selector)
{
    return (selector & 0xfffc) == 0;
}

/* --- descriptor.c --- */

/* Raises a segmentation fault with the EXT bit of the current delivery. */
_Noreturn void segmentation_fault(engine *e, unsigned vector, uint32_t code);
/* Reads a descriptor from the GDT or LDT. Returns false if it lies outside the table. */
bool descriptor_read(engine *e, uint32_t selector, descriptor_words *d);
/* Sets the accessed bit in memory if it is clear. */
void descriptor_accessed(engine *e, descriptor_words *d);
/* Marks a TSS descriptor in memory busy or available. */
void descriptor_set_busy(engine *e, descriptor_words *d, bool busy);
/* Returns the hidden parts of a segment register. */
uc_segment descriptor_segment(const descriptor_words *d, uint32_t selector);
uc_segment segment_real(uint32_t selector, bool v86);
/* Returns whether code may continue at `eip`. */
bool segment_allows_eip(const uc_segment *code, uint32_t eip);
/* Updates what CS and SS determine: CPL, sizes, and the checks needed. Other segments must have been written
 * before. */
void segments_changed(engine *e);
/* Checks a stack segment for privilege `cpl`; raises `bad` (#TS or #GP) or #SS. */
uc_segment stack_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad, unsigned absent);
uc_segment data_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad);
/* Clears segments that an outer level or V86 mode, to which a return leads, could not have loaded. */
void segments_drop_privileged(engine *e, unsigned cpl);

/* A stack in use by pushes or pops. The processor's registers do not change until far_stack_set_sp. */
typedef struct far_stack {
    uc_segment segment;
    uint32_t sp;
    uint32_t fault_code; /* error code of #SS */
    bool user;           /* pages are accessed with user rights */
} far_stack;
far_stack far_stack_current(engine *e);
void far_stack_push(engine *e, far_stack *s, unsigned size, uint32_t value);
uint32_t far_stack_pop(engine *e, far_stack *s, unsigned size);
/* Raises #SS unless `bytes` can be pushed. */
void far_stack_room(engine *e, const far_stack *s, unsigned bytes);
/* Sets ESP or SP, depending on the stack segment. */
void far_stack_set_sp(engine *e, const far_stack *s);

/* Returns SS:ESP for privilege `cpl` from the current TSS; raises #TS. */
far_stack far_stack_inner(engine *e, unsigned cpl);

/* --- task.c --- */

typedef enum task_switch_source { TASK_JMP, TASK_CALL, TASK_IRET, TASK_INTERRUPT } task_switch_source;
/* Switches to the task whose TSS descriptor is `d`, already checked to be a TSS, present and available (IRET:
 * busy). `eip` is saved with the old task. */
void task_switch(engine *e, task_switch_source source, uint32_t selector, descriptor_words *d, uint32_t eip);
/* Reads and checks the TSS descriptor that a task gate refers to. */
void task_gate_target(engine *e, uint32_t selector, descriptor_words *d);

/* --- delivery.c --- */

/* Delivers a V86 task's own interrupt, and retires the running INT. */
void delivery_of_v86(engine *e, unsigned vector, uint32_t next);

/* Returns EFLAGS with RF as the processor would push it. */
uint32_t flags_current(const engine *e);

#endif
