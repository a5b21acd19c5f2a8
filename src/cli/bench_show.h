/* What `p5scope bench` shows of the trips of an input (iterations or calls), beyond its counts: diagrams, pictures
 * and logs. */
#ifndef CLI_BENCH_SHOW_H
#define CLI_BENCH_SHOW_H

#include "cli/bench_input.h"
#include "cli/options.h"
#include "p5tool/loop.h"

typedef struct bench_view {
    const cli_options *line;
    p5_row_format rows;
    p5_trip_range trips; /* --trips; count 0: not given, so each kind of output has its own number */
} bench_view;

/* Reads the options about output. Returns false after a message. */
bool bench_view_take(bench_view *view, const cli_options *line);
/* Shows the trips of a measured input, and what limits them. Returns false after a message. */
bool bench_show(const bench_view *view, const bench *of);

/* Performs --static on a prepared input. Returns false after a message. */
bool bench_show_static(const bench_view *view, const bench *of, const char *model);

#endif
