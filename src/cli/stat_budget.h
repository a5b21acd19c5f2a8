/* `stat --expect` and `--junit`: the conditions, whether the runs can be judged by them, and the outcome. */
#ifndef CLI_STAT_BUDGET_H
#define CLI_STAT_BUDGET_H

#include "cli/guest_options.h"
#include "cli/output.h"
#include "cli/region.h"

enum { BUDGET_MOST_OPTIONS = 64 };

typedef struct stat_budget {
    const char *expect[BUDGET_MOST_OPTIONS]; /* --expect, as written */
    size_t expect_count;
    const char *junit; /* --junit; NULL = none */
    /* Made by stat_budget_complete. */
    p5_budget *budget; /* NULL: there are no conditions */
    output_reserved junit_file;
    char unmeasured[500];  /* the first reason why a run cannot be judged; "" = there is none */
    int unmeasured_status; /* the exit status then */
} stat_budget;

/* Parses the conditions for a model of `family` and reserves --junit's file. False after a message. */
bool stat_budget_complete(stat_budget *b, unsigned family);
/* Notes how a run ended. A run that did not end by itself, and a region that was not reached or not left, are
 * not what the conditions are about. `roi` is NULL without --roi; `result` is NULL if the guest ended before
 * anything was counted. */
void stat_budget_note(stat_budget *b, const p5_run_result *result, const region *roi);
/* Judges the conditions, says on stderr which are broken (with `quiet` only if any is), and writes --junit's
 * file. Returns the exit status: `status` if all hold. */
int stat_budget_judge(stat_budget *b, p5_stat *stat, bool quiet, int status);
void stat_budget_close(stat_budget *b);

#endif
