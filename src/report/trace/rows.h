/* Rows that have been put aside: a format that needs nothing but the row can have it made into text by
 * whichever thread has time. */
#ifndef REPORT_TRACE_ROWS_H
#define REPORT_TRACE_ROWS_H

#include "report/trace/sink.h"

/* NULL: out of memory. */
trace_rows *trace_rows_open(p5_trace *trace);
/* What is left is dropped. NULL is none. */
void trace_rows_close(trace_rows *rows);
/* Copies the row. The sink gets it later, and all of them at the latest when a second is over. */
void trace_rows_put(trace_rows *rows, const trace_row *row);
/* The sink has all rows when this returns. */
void trace_rows_finish(trace_rows *rows);
/* By any thread: gives it one. False: there is none, or another thread is at it. */
bool trace_rows_some(trace_rows *rows);

#endif
