/* Deliveries and instructions that replace Unicorn's, for the files that start and end blocks. */
#ifndef ENGINE_SEGMENT_SEGMENTATION_H
#define ENGINE_SEGMENT_SEGMENTATION_H

#include "engine/internal.h"

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
/* Delivers an exception or interrupt, and reports it; may raise an exception. */
void delivery_run(engine *e, const delivery *d);
/* Delivers the interrupt that engine_inject stored. */
void delivery_injected(engine *e);
static inline bool delivery_waits(const engine *e)
{
    return e->segment.injected;
}
/* Prepares for a run, in which no delivery has failed. */
static inline void delivery_reset(engine *e)
{
    e->segment.delivering = false;
}
/* Forgets the segment load that an exception has interrupted. */
static inline void segmentation_interrupted(engine *e)
{
    e->segment.return_address = 0;
}
extern const snapshot_table segment_saved;
/* Reads the access byte of a vector's gate in the IDT. Returns false if it cannot be read without a fault or
 * lies outside the limit. */
bool delivery_gate_access(engine *e, unsigned vector, uint8_t *access);
/* Restores the flags from before an interrupted REP CMPS or SCAS, which write their flags only when they
 * end. */
void delivery_restore_flags(engine *e, const engine_block *b);

/* --- stack_frame.c, virtual_flag.c --- */

/* Executes the instruction of a BLOCK_FRAME. */
void stack_frame_execute(engine *e, engine_block *b);
/* Makes the read of POP before its store faults. */
void stack_frame_read(engine *e, engine_block *b);
/* Executes the instruction of a BLOCK_VIRTUAL and continues after it. Returns if Unicorn should execute it as
 * without VME and PVI. */
void virtual_flag_execute(engine *e, engine_block *b);

#endif
