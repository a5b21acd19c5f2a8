/* Branch trace messages: special cycles that show the program's path on the bus (TR12.TR). */
#ifndef CORE_EXACT_BRANCH_TRACE_H
#define CORE_EXACT_BRANCH_TRACE_H

#include "p5scope/core.h"

/* Send the messages for the stretch's last instruction, and for a delivery. */
void branch_trace_retired(p5_core *core, const p5_retired *r);
void branch_trace_delivered(p5_core *core, const p5_exception *e);

#endif
