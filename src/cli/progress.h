/* The progress line of a run that takes longer than a second, on standard error if that is a terminal.
 * Nothing else may be printed while it is shown, and it is erased completely. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "p5scope/machine.h"

/* Shows the line while `machine` runs, until progress_end. It is not shown if standard error is not a
 * terminal, or after the guest's first output to a terminal. */
void progress_begin(p5_machine *machine);
/* Erases the line if it is shown. Must be called before anything is printed during a run. */
void progress_erase(void);
void progress_end(p5_machine *machine);

#endif
