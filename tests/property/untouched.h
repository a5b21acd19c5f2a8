/* The memory side of a core, as it was: to see that nothing has been changed. */
#ifndef PROPERTY_UNTOUCHED_H
#define PROPERTY_UNTOUCHED_H

#include "p5scope/core.h"

typedef struct untouched untouched;
untouched *untouched_open(void);
/* Looks at everything but the board's L2, and there at where the stretch's references go. */
void untouched_keep(untouched *u, const p5_core *core, const p5_retired *r);
/* True if it is as it was kept, but for where the TLBs look first. */
bool untouched_holds(untouched *u, const p5_core *core, const p5_retired *r);

#endif
