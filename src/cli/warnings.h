/* Warnings about results that are compared although more than the guest differs between them. */
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

/* A set of results. Each function returns whether its members agree, and lists their values in `text`. */
typedef struct warn_results {
    bool (*same_revision)(const void *results, char *text, size_t size);
    bool (*same_model)(const void *results, char *text, size_t size); /* NULL: the models may differ */
    bool (*same_option)(const void *results, const char *option, char *text, size_t size);
    const void *results; /* the first argument of the functions */
} warn_results;

/* Warns if the results are of different revisions of the model or of different models, or if their runs counted
 * different parts of the guest because an option with the flag `part` (options.tsv) differs. */
void warn_of_differences(const warn_results *results);

#endif
