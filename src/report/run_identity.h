/* The identity of a run (p5_run_identity) as one JSON object. Runs write it, and readers compare it as a
 * whole. */
#ifndef REPORT_RUN_IDENTITY_H
#define REPORT_RUN_IDENTITY_H

#include "p5tool/report.h"
#include "report/json_writer.h"

/* Writes the key "identity" and its object, without spaces, with its keys always in the same order. Writes
 * nothing if `identity` is NULL. */
void run_identity_write(json_writer *json, const p5_run_identity *identity, const p5_model *model);
/* Returns the object as a string, which the caller frees; NULL if `identity` is NULL or memory is out. */
char *run_identity_text(const p5_run_identity *identity, const p5_model *model);

/* SQL: the value of option `name` in the identity `json`; NULL if the option was not given. Several values are
 * separated by commas. Options without a value are not found. */
#define RUN_IDENTITY_OPTION(json, name)                                                                      \
    "(SELECT group_concat(substr(value, length(" name ") + 4), ', ') FROM json_each(" json                   \
    ", '$.options') WHERE substr(value, 1, length(" name ") + 3) = '--' || " name " || '=')"

/* A run that is compared with others. */
typedef struct run_identified {
    const char *label; /* its name in messages */
    const char *json;  /* its identity; NULL: its writer stated none, and the run is not compared */
} run_identified;
/* Returns whether the option `name` has the same value in all runs. `text` gets the values, for example "A: main,
 * B: not given". */
bool run_identity_same_option(const run_identified *runs, size_t count, const char *name, char *text,
                              size_t size);

#endif
