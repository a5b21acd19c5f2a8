/* The progress line of a run that takes longer than a second, on the terminal that is standard error. Nothing else is printed while it
 * stands there, and nothing of it stays. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "p5scope/machine.h"

/* Shows the line while `machine` runs, from now until progress_end. There is none if standard error is no terminal, and no more from
 * the guest's first output to that terminal on. */
void progress_begin(p5_machine *machine);
/* Takes the line away, if it stands there; to be called before anything is printed during a run. */
void progress_erase(void);
void progress_end(p5_machine *machine);

#endif
