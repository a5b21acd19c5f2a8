/* Warnings about results that are compared although more than the guest differs between them. `values` lists in what
 * they differ. */
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include "cli/options.h"

void warn_of_revisions(const char *values);
void warn_of_models(const char *values);
/* Returns the name of the first option, from row *next of the table of options on, that chooses which part of a run is
 * counted (flag `part` of options.tsv), and sets *next to the row after it. NULL: there is no such option. */
const char *warn_next_part(size_t *next);
void warn_of_part(const char *option, const char *values);

#endif
