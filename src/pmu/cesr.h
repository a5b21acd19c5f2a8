/* The control and event select register as bits. */
#ifndef PMU_CESR_H
#define PMU_CESR_H

#include "p5scope/pmu.h"

/* Layout of one half; counter 1's half stands 16 bits higher (manual 26.4.4; reserved bits read as 0).
 *
 *   15    10  9   8   7   6   5         0
 *  +--------+---+---+---+---+-----------+
 *  |   0    |PC |clk|CPL|CPL|    ES     |
 *  |        |   |   | 3 |0-2|           |
 *  +--------+---+---+---+---+-----------+
 *                 `-- CC --'
 */
enum {
    CESR_ES_BITS = 6,                   /* width of ES, the event select code */
    CESR_CC_SYSTEM = 1 << CESR_ES_BITS, /* count while CPL is 0, 1 or 2 */
    CESR_CC_USER = CESR_CC_SYSTEM << 1, /* count while CPL is 3 */
    CESR_CC_CLOCKS = CESR_CC_USER << 1, /* count clocks, not events */
    CESR_PC = CESR_CC_CLOCKS << 1,      /* the pin shows overflows, not increments */
    CESR_ES_MASK = CESR_CC_SYSTEM - 1,
    CESR_HALF_MASK = (CESR_PC << 1) - 1, /* the bits of a half that exist */
    CESR_HALF_BITS = 16,                 /* distance of the halves */
    CESR_MASK = CESR_HALF_MASK | CESR_HALF_MASK << CESR_HALF_BITS
};

#endif
