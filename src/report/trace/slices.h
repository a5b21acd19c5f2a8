/* Slices: the activations of all functions over time, nested as in the profile's call stack. An *activation* is the time from
 * the entry of a function to its return. */
#ifndef REPORT_TRACE_SLICES_H
#define REPORT_TRACE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

typedef struct slices slices;

typedef struct slices_options {
    const char *guest;         /* the guest's file, for its symbols; NULL: none */
    const char *const *beside; /* further files with symbols, as p5_profile_options.symbols */
    uint64_t least;            /* clocks that an activation must last to be reported */
    /* Gets an activation: the clocks [from, to). `name` is valid during the call. */
    void (*put)(void *context, const char *name, uint64_t from, uint64_t to);
    void *context;
} slices_options;

/* Starts profiling the machine. While the window is open (slices_window), calls `put` for each activation of at least
 * `least` clocks, usually when it ends. An activation that began at the same clock as its caller is put right after
 * the caller. */
p5_status slices_open(p5_machine *machine, const slices_options *options, slices **out, p5_error *error);
/* Opens or closes the window, the part of the run that is shown, at `clock`; it is closed at first. An activation is cut at
 * both ends of the window: one that began before begins at the opening, and closing ends all that are still active. */
void slices_window(slices *s, uint64_t clock, bool opens);
/* Returns false if memory ran out, so that slices are missing. */
bool slices_good(const slices *s);
/* Frees the slices; does not put those that are still active. The machine, which must still exist, may run on. */
void slices_close(slices *s);

#endif
