/* The x87 pipe: E X1 X2 WF ER. E is the clock of EX. Integer instructions continue while it works. This file determines
 * when the next x87 instruction (or integer multiply, which borrows the multiplier) may enter E. */
#ifndef CORE_PIPE_FPU_H
#define CORE_PIPE_FPU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/operation.h"

enum { FPU_REGISTERS = 8 };

/* The earliest clocks of E, by what enters. Registers are kept by their distance from the top of stack, so
 * that equal situations have equal bytes whatever TOP is. fpu_unit is used while code is priced, with clocks relative
 * to pipe.start; fpu_state is its stored form in pipe_state.
 *
 *   st[i]       an arithmetic instruction that reads ST(i); a store enters one clock later
 *   issue       any x87 instruction
 *   multiplier  FMUL
 *   idle        an instruction that needs an idle unit: integer multiply, MMX, FLDCW and other control instructions
 *   status      FNSTSW: the status word includes all earlier results
 *   integer     any integer instruction (after a pair with FXCH) */
#define FPU_CLOCKS(type) type st[FPU_REGISTERS], issue, multiplier, idle, status, integer;

typedef struct fpu_state {
    FPU_CLOCKS(int16_t)
} fpu_state;
typedef struct fpu_unit {
    FPU_CLOCKS(int64_t)
} fpu_unit;

/* Returns the registers that `o` reads: bit n for ST(n). */
uint8_t fpu_sources(const op *o);
/* Returns the earliest clock of E or EX for `o`, `clock` or later. `o` may be any instruction. */
int64_t fpu_ready(const fpu_unit *f, const op *o, int64_t clock);
/* Returns the clocks of EX in which the x87 instruction `o` holds back later integer instructions, when it takes
 * `clocks` in all. */
unsigned fpu_occupancy(const op *o, unsigned clocks);
/* Records that `o` entered E at `clock`. It takes `clocks` in all, and EX is free again at `end`, waits for its data
 * reference included. `unsafe`: an operand is outside the safe exponent range, so the next x87 instruction waits until
 * this one can raise no exception any more. Does nothing for instructions that are not x87. */
void fpu_issue(fpu_unit *f, const op *o, int64_t clock, int64_t end, unsigned clocks, bool unsafe);
/* Makes all results of instructions in flight ready for readers that enter E at `clock` (P5_IDEAL_RESULTS). */
void fpu_complete_results(fpu_unit *f, int64_t clock);
/* Records that FXCH was executed in V beside the instruction that entered E at `clock`, for which `unsafe` is as
 * above. */
void fpu_exchange_pair(fpu_unit *f, const op *o, int64_t clock, bool unsafe);

#endif
