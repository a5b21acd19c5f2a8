/* The runs of a comparison, which compare.c reads and writes and judge.c judges. */
#ifndef REPORT_STAT_COMPARISON_H
#define REPORT_STAT_COMPARISON_H

#include "base/arena.h"
#include "base/array.h"
#include "p5tool/report.h"

enum { MOST_RUNS = 26 /* A to Z */ };

typedef struct compared_run {
    char *name; /* of its file */
    char *model, *command, *options;
    char *identity;    /* JSON; NULL: not stated */
    char *ending;      /* "" if the guest simply exited */
    uint64_t revision; /* of the model; 0: not stated */
} compared_run;

/* An event, stall cause or metric with its value in each run; NaN in a run without it. */
typedef struct compared_row {
    char *name, *unit;
    double values[MOST_RUNS];
} compared_row;

struct p5_comparison {
    arena texts; /* owns the strings of runs and rows */
    compared_run runs[MOST_RUNS];
    size_t run_count;
    ARRAY_OF(compared_row) rows;
    const char *name; /* of the file being read; the caller's */
};

#endif
