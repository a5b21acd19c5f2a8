/* Writes instructions as a Kanata log, version 0004, for the pipeline viewer Konata: tab-separated commands
 * in order of time. Lane 0 has the stages, lane 1 the stalls. The commands:
 *
 *   C= CLOCK, C CLOCKS                       the first clock; clocks that pass
 *   I ID NUMBER 0                            an instruction begins; ids count from 0, NUMBER is shown (its EX clock)
 *   L ID KIND TEXT                           label: 0 at the left, 1 when the pointer is on it
 *   S ID LANE STAGE, E ID LANE STAGE         a stage begins, ends
 *   R ID NUMBER 0                            it retires as instruction NUMBER
 *   W ID SOURCE 0                            an arrow: it needs the result of instruction SOURCE
 *
 * Instructions arrive in program order, but their stages overlap in time. A heap sorts these steps by clock; it
 * holds only the instructions in flight. */
#ifndef REPORT_TRACE_KANATA_H
#define REPORT_TRACE_KANATA_H

#include <stddef.h>

#include "p5scope/core.h"

typedef struct kanata kanata;

/* Opens a log. `put` gets whole lines. Returns NULL if memory is out. */
kanata *kanata_open(void (*put)(void *context, const char *text, size_t size), void *context);
/* Adds an instruction with its disassembly `text`. */
void kanata_insn(kanata *k, const p5_trace_insn *insn, const char *text);
/* Writes the instructions still in flight and frees the log. Returns false if memory was out and the log is
 * incomplete. */
bool kanata_close(kanata *k);

#endif
