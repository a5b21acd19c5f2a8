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

/* Raises a segmentation fault. `code` is the error code without the EXT bit, which segment_state.external adds. */
_Noreturn void segmentation_fault(engine *e, unsigned vector, uint32_t code);
/* Reads a descriptor from the GDT or LDT. Returns false if it lies outside the table. */
bool descriptor_read(engine *e, uint32_t selector, descriptor_words *d);
/* Sets the accessed bit in memory if it is clear. */
void descriptor_accessed(engine *e, descriptor_words *d);
/* Marks a TSS descriptor in memory busy or available. */
void descriptor_set_busy(engine *e, descriptor_words *d, bool busy);
/* Returns a segment register whose hidden part is loaded from the descriptor. */
uc_segment descriptor_segment(const descriptor_words *d, uint32_t selector);
/* Returns any segment register as V86 mode loads it. */
uc_segment segment_v86(uint32_t selector);
/* Returns CS for a transfer to selector:eip in real or V86 mode: only its selector and base change. Raises #GP if `eip`
 * exceeds its limit. */
uc_segment segment_real_code(engine *e, uint32_t selector, uint32_t eip);
/* Raises #GP(0) if `eip` exceeds the limit of its code segment. */
void segment_check_eip(engine *e, uint32_t limit, uint32_t eip);
/* Updates what the segment registers determine: CPL (the DPL of SS), sizes of code and stack, and the checks that
 * references need. Call it after all of them have been written. */
void segments_changed(engine *e);
/* Check a stack or data segment for privilege `cpl`, and return the segment register. They raise vector `bad` (#GP,
 * or #TS in a task switch); if the segment is not present, `absent` or #NP. A data segment may be null. */
uc_segment stack_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad, unsigned absent);
uc_segment data_segment_check(engine *e, uint32_t selector, unsigned cpl, unsigned bad);
/* Makes data segments null that the outer level `cpl`, to which a return leads, could not have loaded. */
void segments_drop_privileged(engine *e, unsigned cpl);

/* A stack in use by pushes or pops of a far transfer. The processor's registers do not change until
 * far_stack_set_sp. */
typedef struct far_stack {
    uc_segment segment;
    uint32_t sp;         /* ESP; only SP counts if the segment's B bit is clear */
    uint32_t fault_code; /* error code of #SS */
    bool user;           /* pages are accessed with user rights */
} far_stack;
/* Returns the stack that SS:ESP points to. */
far_stack far_stack_current(engine *e);
/* Push and pop a value of 2 or 4 bytes. They raise #SS and #PF. */
void far_stack_push(engine *e, far_stack *s, unsigned size, uint32_t value);
uint32_t far_stack_pop(engine *e, far_stack *s, unsigned size);
/* Raises #SS unless `bytes` can be pushed. */
void far_stack_room(engine *e, const far_stack *s, unsigned bytes);
/* Sets ESP, or only SP if the segment's B bit is clear, to that of the stack. SS does not change. */
void far_stack_set_sp(engine *e, const far_stack *s);

/* Returns the stack for privilege `cpl` (0 to 2) from the current TSS; raises #TS or #SS. */
far_stack far_stack_inner(engine *e, unsigned cpl);

/* --- transfer.c --- */

/* Returns the descriptor of the code segment to which a call, interrupt or trap gate leads. Raises #GP or #NP if it
 * cannot be used at the current level. */
descriptor_words gate_target(engine *e, uint32_t selector);
/* Returns the EIP to which such a gate leads. */
static inline uint32_t gate_offset(const descriptor_words *gate)
{
    bool wide = descriptor_type(gate) & SYSTEM_32BIT;
    return (gate->low & 0xffff) | (wide ? gate->high & 0xffff0000u : 0);
}

/* --- task.c --- */

typedef enum task_switch_source { TASK_JMP, TASK_CALL, TASK_IRET, TASK_INTERRUPT } task_switch_source;
/* Switches to the task whose TSS is at `selector`. Its descriptor `d` has already been checked to be a TSS, present and
 * available (IRET: busy). `eip` is saved with the old task. */
void task_switch(engine *e, task_switch_source source, uint32_t selector, descriptor_words *d, uint32_t eip);
/* Reads the TSS descriptor to which a task gate refers; raises #GP or #NP if it cannot be used. */
void task_gate_target(engine *e, uint32_t selector, descriptor_words *d);

/* --- delivery.c --- */

/* Delivers INT n, the running instruction, through the V86 task's own vector table, and retires it. `next` is the
 * EIP after it. Does not return. */
void delivery_of_v86(engine *e, unsigned vector, uint32_t next);

/* Returns EFLAGS as a push by the instruction at EIP would store it, with RF. */
uint32_t flags_current(const engine *e);

#endif
