/* Slices: the activations of all functions over time, nested as in the profile's call stack. */
#ifndef REPORT_TRACE_SLICES_H
#define REPORT_TRACE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

typedef struct slices slices;

typedef struct slices_options {
    /* Files with symbols, as for p5_profile_start. */
    const char *guest;
    const char *const *beside;
    uint64_t least; /* clocks of an activation that is reported */
    void (*put)(void *context, const char *name, uint64_t from, uint64_t to);
    void *context;
} slices_options;

/* Starts profiling the machine. Calls `put` for each activation of at least `least` clocks after its end. Of
 * activations that begin at the same clock, the caller comes first. */
p5_status slices_open(p5_machine *machine, const slices_options *options, slices **out, p5_error *error);
/* Starts (`opens`) or ends showing the slices on the stack at `clock`. */
void slices_window(slices *s, uint64_t clock, bool opens);
/* Returns false if memory was out and slices are missing. */
bool slices_good(const slices *s);
/* Frees the slices. To be called before the machine is run again or closed. */
void slices_close(slices *s);

#endif
