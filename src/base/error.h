/* Filling in p5_error (include/p5scope/status.h). */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdio.h>

#include "base/text.h"
#include "p5scope/status.h"

/* Sets `error` (which may be NULL) to `status` with a printf-style message, clears place and hint; returns
 * `status`. */
p5_status error_set(p5_error *error, p5_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at a place, as error_at has it. */
p5_status error_set_at(p5_error *error, p5_status status, const char *where, unsigned line, unsigned column,
                       const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Adds the place to an error already set. `where` may be NULL; line and column count from 1, 0 = unknown. */
void error_at(p5_error *error, const char *where, unsigned line, unsigned column);

/* An error that has no place yet is one of the file `path`. `status` is what it was set to, or P5_OK; it is
 * the answer. */
p5_status error_in(p5_error *error, p5_status status, const char *path);

/* Sends on what has been written to `out`. P5_OK, or the error "cannot write WHAT: reason". */
p5_status error_unless_written(p5_error *error, FILE *out, const char *what);

/* Adds a hint ("did you mean ...") to an error already set. */
void error_hint(p5_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ... "did you mean ...", if a name is near. */
void error_nearest(p5_error *error, const text_nearest *nearest);

#endif
