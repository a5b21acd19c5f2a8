/* `stat --expect` and `--junit`: the conditions, whether the runs can be judged, and the outcome. */
#ifndef CLI_STAT_BUDGET_H
#define CLI_STAT_BUDGET_H

#include "cli/guest_options.h"
#include "cli/output.h"
#include "cli/region.h"

typedef struct stat_budget {
    text_list expect;     /* --expect, as written: a condition, or @FILE */
    const char *junit;    /* --junit; NULL = none */
    const char *baseline; /* --baseline; NULL = none */
    /* The members from here on are filled in by stat_budget_complete and stat_budget_note. */
    p5_budget *budget; /* NULL: no conditions */
    output_reserved junit_file;
    char unmeasured[500];  /* the first reason why a run cannot be judged; "" = none */
    int unmeasured_status; /* the exit status in that case */
} stat_budget;

/* Parses the conditions for a model of `family` and reserves --junit's file. Returns false after a
 * message. */
bool stat_budget_complete(stat_budget *b, unsigned family);
/* Warns if the baseline's run counted another part of the guest than `run` will, or used another model or another
 * revision of the model. */
void stat_budget_warn(const stat_budget *b, const p5_run_identity *run, const p5_model *model);
/* Records in `unmeasured` the first reason why a run cannot be judged: the run did not end by itself, or a region
 * was not reached or not left. `roi` is NULL without --roi; `result` is NULL if the guest ended before counting
 * began. */
void stat_budget_note(stat_budget *b, const p5_run_result *result, const region *roi);
/* Judges the conditions, reports the outcome on stderr (with `quiet` only if one is broken), and writes --junit's
 * file. Returns the exit status: `status` if all hold. */
int stat_budget_judge(stat_budget *b, p5_stat *stat, bool quiet, int status);
void stat_budget_close(stat_budget *b);

#endif
