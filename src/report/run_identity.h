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

#endif
