/* The x87 pipe: E X1 X2 WF ER. Integer instructions go on while it works; this file says when the next x87
 * instruction (or integer multiply, which borrows the multiplier) may be in E. */
#ifndef CORE_PIPE_FPU_H
#define CORE_PIPE_FPU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/block.h"

enum { FPU_REGISTERS = 8 };

/* Clocks of E. Registers are kept by their distance from the top of stack, so that equal situations look
 * equal whatever TOP is. */
#define FPU_CLOCKS(type)                                                                                     \
    type st[FPU_REGISTERS]; /* an arithmetic instruction may read ST(i) from here on; a store one clock      \
                               later */                                                                      \
    type issue;             /* any x87 instruction */                                                        \
    type multiplier;        /* FMUL */                                                                       \
    type idle;              /* nothing in flight: integer multiply, transcendentals, control */              \
    type status;            /* the status word holds every earlier result */                                 \
    type integer;           /* any integer instruction (behind a pair with FXCH) */

typedef struct fpu_state {
    FPU_CLOCKS(int16_t)
} fpu_state;
typedef struct fpu_unit {
    FPU_CLOCKS(int64_t)
} fpu_unit;

/* Bit n: it reads ST(n). */
uint8_t fpu_sources(const op *o);
/* Earliest clock of E, `clock` or later. */
int64_t fpu_ready(const fpu_unit *f, const op *o, int64_t clock);
/* Clocks of EX that `o` denies to later instructions, when it takes `clocks` in all. */
unsigned fpu_occupancy(const op *o, unsigned clocks);
/* Enters E at `clock`; `end` is the first clock in which EX is free again. */
void fpu_issue(fpu_unit *f, const op *o, int64_t clock, int64_t end, unsigned clocks, bool unsafe);
/* FXCH in V beside the instruction that entered E at `clock`. */
void fpu_exchange_pair(fpu_unit *f, const op *o, int64_t clock, bool unsafe);

#endif
