/* Writes instructions as a Kanata log, version 0004, for the pipeline viewer Konata: tab-separated commands
 * in order of time. Lane 0 has the stages, lane 1 the stalls.
 *
 * Instructions arrive in program order, but their stages overlap in time. A heap sorts the steps by clock; it
 * holds only the instructions in flight. */
#ifndef REPORT_TRACE_KANATA_H
#define REPORT_TRACE_KANATA_H

#include <stddef.h>

#include "p5scope/core.h"

typedef struct kanata kanata;

/* Opens a log. `put` gets whole lines. NULL: out of memory. */
kanata *kanata_open(void (*put)(void *context, const char *text, size_t size), void *context);
/* Adds an instruction with its disassembly `text`. */
void kanata_insn(kanata *k, const p5_trace_insn *insn, const char *text);
/* Writes the instructions still in flight and frees the log. Returns false if memory was out and the log is
 * incomplete. */
bool kanata_close(kanata *k);

#endif
