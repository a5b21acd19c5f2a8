/* Deliveries of exceptions and interrupts, and instructions that the engine executes instead of Unicorn, for the
 * files that start and end blocks. */
#ifndef ENGINE_SEGMENT_SEGMENTATION_H
#define ENGINE_SEGMENT_SEGMENTATION_H

#include "engine/internal.h"

/* An exception or interrupt that is to be delivered. */
typedef struct delivery {
    p5_transfer kind;
    uint8_t vector;
    bool has_error_code;
    uint32_t error_code;
    uint32_t eip; /* to be pushed */
    /* For the delivered() callback; 0 if there is none. */
    const p5_block *block; /* contains the faulting instruction */
    uint32_t index;        /* of that instruction in `block` */
    p5_reference reference;
    uint32_t reference_linear;
} delivery;
/* Delivers an exception or interrupt to its handler, and reports it to the engine's owner. Does not return if the
 * delivery itself faults. */
void delivery_run(engine *e, const delivery *d);
/* Delivers the interrupt that engine_inject stored. */
void delivery_injected(engine *e);
/* Returns whether engine_inject has stored an interrupt that has not been delivered. */
static inline bool delivery_waits(const engine *e)
{
    return e->segment.injected;
}
/* Must be called before a run: no delivery has begun. */
static inline void delivery_reset(engine *e)
{
    e->segment.delivering = false;
}
/* Must be called when an exception was raised: a running segment load has ended, so its return address is cleared. */
static inline void segmentation_interrupted(engine *e)
{
    e->segment.return_address = 0;
}
extern const snapshot_table segment_saved; /* the fields of segment_state in snapshots */
/* Reads the access byte of a vector's gate in the IDT. Returns false if it cannot be read without a fault or
 * lies outside the limit. */
bool delivery_gate_access(engine *e, unsigned vector, uint8_t *access);
/* If `b` is an interrupted REP CMPS or SCAS, restores the flags from before it: these instructions write flags only
 * when they end. */
void delivery_restore_flags(engine *e, const engine_block *b);

/* --- stack_frame.c, virtual_flag.c --- */

/* Executes the instruction of a BLOCK_FRAME (ENTER, PUSHA, POPA, some POPs), without moving EIP after it. */
void stack_frame_execute(engine *e, engine_block *b);
/* Reads the stack as a POP to memory does, and nothing else. Called if the POP's store will fault. */
void stack_frame_read(engine *e, engine_block *b);
/* Executes the instruction of a BLOCK_VIRTUAL (CLI, STI, PUSHF, POPF, IRET, INT n) and continues after it. Returns
 * only if Unicorn should execute the instruction, as it does without CR4.VME and PVI. */
void virtual_flag_execute(engine *e, engine_block *b);

#endif
