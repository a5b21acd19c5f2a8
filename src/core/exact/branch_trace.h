/* Branch trace messages: special cycles that show the program's path on the bus (TR12.TR). */
#ifndef CORE_EXACT_BRANCH_TRACE_H
#define CORE_EXACT_BRANCH_TRACE_H

#include "p5scope/core.h"

/* Send the messages for the last instruction of a stretch (the code that was executed of a block), and for the delivery
 * of an exception or interrupt. Must be called after the stretch or delivery was priced. */
void branch_trace_retired(p5_core *core, const p5_retired *r);
void branch_trace_delivered(p5_core *core, const p5_exception *e);

#endif
