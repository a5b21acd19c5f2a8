/* What was running from when to when: the activations of all functions, one within the other, as the
 * profile's call stack follows them. */
#ifndef REPORT_TRACE_SLICES_H
#define REPORT_TRACE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

typedef struct slices slices;

/* Calls `put` for each activation of at least `least` clocks after its end. Of activations that begin at the
 * same clock, the caller comes first. `guest` and `beside` are the files that have the symbols, as for
 * p5_profile_start. Profiles the machine. */
p5_status slices_open(p5_machine *machine, const char *guest, const char *const *beside, uint64_t least,
                      void (*put)(void *context, const char *name, uint64_t from, uint64_t to), void *context,
                      slices **out, p5_error *error);
/* What is on the stack begins to be shown at `clock`; it ends there, and nothing more is shown. */
void slices_window(slices *s, uint64_t clock, bool opens);
/* False: memory was out, and something is missing. */
bool slices_good(const slices *s);
/* Before the machine is run again, or closed. */
void slices_close(slices *s);

#endif
