/* Instructions as a Kanata log, version 0004, for the pipeline viewer Konata: tab-separated commands in order
 * of time. Lane 0 has the stages, lane 1 what kept the instruction waiting.
 *
 * Instructions come in program order, with stages that lie before and behind those of others; what happens is
 * put in order of time in a heap, which holds no more than the instructions in flight. */
#ifndef REPORT_TRACE_KANATA_H
#define REPORT_TRACE_KANATA_H

#include <stddef.h>

#include "p5scope/core.h"

typedef struct kanata kanata;

/* `put` gets whole lines. NULL: out of memory. */
kanata *kanata_open(void (*put)(void *context, const char *text, size_t size), void *context);
/* `text`: the disassembly. */
void kanata_insn(kanata *k, const p5_trace_insn *insn, const char *text);
/* Writes what is still in flight. False: memory was out, and something is missing. */
bool kanata_close(kanata *k);

#endif
