/* Functions that fill in p5_error (include/p5scope/status.h). */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdio.h>

#include "base/text.h"
#include "p5scope/status.h"

/* Sets `error` (which may be NULL) to `status` with a printf-style message, and clears place and hint.
 * Returns `status`. */
p5_status error_set(p5_error *error, p5_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The place of an error: a file or an option (may be NULL), and line and column, which count from 1; 0 means
 * unknown. */
typedef struct error_place {
    const char *where;
    unsigned line, column;
} error_place;
/* Does the same as error_set and sets the place. */
p5_status error_set_at(p5_error *error, p5_status status, error_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the error of a function that got NULL for its argument `name`, a text that is required (p5scope/status.h). Returns
 * P5_ERR_RANGE. */
p5_status error_null(p5_error *error, const char *name);

/* Adds the place to an error already set. `where` may be NULL; line and column count from 1, 0 means
 * unknown. */
void error_at(p5_error *error, const char *where, unsigned line, unsigned column);

/* Sets the place of an error to the file `path` if it has none yet. `status` is what the error was set to, or
 * P5_OK. Returns `status`. */
p5_status error_in(p5_error *error, p5_status status, const char *path);

/* Flushes `out`. Returns P5_OK, or sets the error "cannot write WHAT: reason". If an earlier write has failed, the
 * reason is the present errno, so it must be called before anything else changes errno. */
p5_status error_unless_written(p5_error *error, FILE *out, const char *what);

/* Adds a hint ("did you mean ...") to an error already set. */
void error_hint(p5_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the hint "did you mean ..." if a name is similar. */
void error_nearest(p5_error *error, const text_nearest *nearest);

#endif
