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
} delivery;
void delivery_run(engine *e, const delivery *d);
/* Record the state before and after delivery_run, for the delivered() callback. */
void delivery_begin(engine *e, p5_transfer kind, uint8_t vector);
void delivery_end(engine *e);
/* Reads the access byte of a vector's gate in the IDT. Returns false if it cannot be read without a fault or
 * lies outside the limit. */
bool delivery_gate_access(engine *e, unsigned vector, uint8_t *access);
/* Restores the flags from before an interrupted REP CMPS or SCAS, which write their flags only when they
 * end. */
void delivery_restore_flags(engine *e, const engine_block *b);

/* Delivers the interrupt that engine_inject stored; may raise an exception. */
void delivery_injected(engine *e);
/* --- stack_frame.c, virtual_flag.c --- */

/* Executes the instruction of a BLOCK_FRAME. */
void stack_frame_execute(engine *e, engine_block *b);
/* Makes the read of POP before its store faults. */
void stack_frame_read(engine *e, engine_block *b);
/* Executes the instruction of a BLOCK_VIRTUAL and continues after it. Returns if Unicorn should execute it as
 * without VME and PVI. */
void virtual_flag_execute(engine *e, engine_block *b);

#endif
