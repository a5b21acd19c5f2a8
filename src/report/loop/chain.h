/* The dependence chain of a loop: the results that each trip needs of the trip before. */
#ifndef REPORT_LOOP_CHAIN_H
#define REPORT_LOOP_CHAIN_H

#include "report/timeline/window.h"

/* Returns the clocks per trip of the longest chain that goes from trip to trip, 0 if there is none, and writes its
 * instructions to `text`. A chain consists of registers, flags, the x87 stack, and memory that is stored and loaded
 * by the same address expression, with the latencies of the model. Returns -1 if memory is out. */
double chain_find(const p5_window *window, const p5_case_program *program, char *text, size_t size);

#endif
