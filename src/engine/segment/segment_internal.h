/* Segmentation, far transfers, tasks and deliveries as the processor does them: descriptor.c reads
 * descriptors and loads segment registers, transfer.c has the far JMP, CALL, RET and IRET, task.c the task
 * switch, delivery.c the way through IDT and interrupt vector table. They replace Unicorn's, which checks no
 * limits, leaves out the EXT bit and changes state before all checks are done. Here nothing but memory below
 * the stack pointer changes before the last check, unless the manual says so (tasks). */
#ifndef ENGINE_SEGMENT_SEGMENT_INTERNAL_H
#define ENGINE_SEGMENT_SEGMENT_INTERNAL_H

#include "engine/segment/segmentation.h"

static inline bool selector_null(uint32_t selector)
{
    return (selector & 0xfffc) == 0;
}

/* --- descriptor.c --- */

/* Raises a fault of segmentation with the EXT bit of the delivery that is under way. */
_Noreturn void segmentation_fault(engine *e, unsigned vector, uint32_t code);
/* Reads a descriptor from the GDT or LDT; false if it lies outside the table. */
bool descriptor_read(engine *e, uint32_t selector, descriptor_words *d);
/* Sets the accessed bit in memory if it is clear. */
void descriptor_accessed(engine *e, descriptor_words *d);
/* Marks a TSS descriptor in memory busy or available. */
void descriptor_set_busy(engine *e, descriptor_words *d, bool busy);
/* The hidden parts of a segment register. */
uc_segment descriptor_segment(const descriptor_words *d, uint32_t selector);
uc_segment segment_real(uint32_t selector, bool v86);
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

/* --- task.c --- */

typedef enum task_switch_source { TASK_JMP, TASK_CALL, TASK_IRET, TASK_INTERRUPT } task_switch_source;
/* Switches to the task whose TSS descriptor is `d`, already checked to be a TSS, present and available (IRET:
 * busy). `eip` is what the old task is saved with. */
void task_switch(engine *e, task_switch_source source, uint32_t selector, descriptor_words *d, uint32_t eip);
/* Reads and checks the TSS descriptor that a task gate names. */
void task_gate_target(engine *e, uint32_t selector, descriptor_words *d);

/* --- delivery.c --- */

/* The linear end of a V86 task's own interrupt: retires the INT that is running and delivers it. */
void delivery_of_v86(engine *e, unsigned vector, uint32_t next);

/* EFLAGS with RF as the processor would push it. */
uint32_t flags_current(const engine *e);

#endif
