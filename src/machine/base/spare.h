/* Work for spare time is added, and done. */
#ifndef MACHINE_BASE_SPARE_H
#define MACHINE_BASE_SPARE_H

#include "machine/spare.h"
#include "p5scope/machine.h"

void spare_init(spare_time *spare);
void spare_free(spare_time *spare);
/* `work` is the caller's, and is used until spare_remove returns. From any thread. The host's x87 is free
 * when it is called. */
void spare_add(p5_machine *machine, spare_work *work);
void spare_remove(p5_machine *machine, spare_work *work);
/* Does a piece of it: the thread that executes, from where engine_settle may be called, or the model's.
 * False: there is none, or the other thread is at it. */
bool spare_use(p5_machine *machine, bool executes);

#endif
