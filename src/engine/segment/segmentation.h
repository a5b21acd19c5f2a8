/* Deliveries, and instructions that are not Unicorn's, for those who see blocks start and end. */
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
/* Around it: what delivered() will be told. */
void delivery_begin(engine *e, p5_transfer kind, uint8_t vector);
void delivery_end(engine *e);
/* The access byte of a vector's gate in the IDT; false if it cannot be read without a fault or lies outside
 * the limit. */
bool delivery_gate_access(engine *e, unsigned vector, uint8_t *access);
/* REP CMPS and SCAS put their flags down when they end: what interrupts them finds those in front of the
 * instruction, of which nothing reads them. Manual: REP, for faults; measured on Intel's for traps. */
void delivery_restore_flags(engine *e, const engine_block *b);

/* Delivers what engine_inject left; may raise. */
void delivery_injected(engine *e);
/* --- stack_frame.c, virtual_flag.c --- */

/* Executes the instruction of a BLOCK_FRAME. */
void stack_frame_execute(engine *e, engine_block *b);
/* What POP reads, in front of the fault of its store. */
void stack_frame_read(engine *e, engine_block *b);
/* Executes the instruction of a BLOCK_VIRTUAL and goes on behind it; returns if Unicorn shall do
 * what it does without VME and PVI. */
void virtual_flag_execute(engine *e, engine_block *b);

#endif
