/* Branch trace messages: special cycles that show on the bus where the program goes (TR12.TR). */
#ifndef CORE_EXACT_BRANCH_TRACE_H
#define CORE_EXACT_BRANCH_TRACE_H

#include "p5scope/core.h"

/* Sends the messages of the stretch's last instruction, and of a delivery. */
void branch_trace_retired(p5_core *core, const p5_retired *r);
void branch_trace_delivered(p5_core *core, const p5_exception *e);

#endif
