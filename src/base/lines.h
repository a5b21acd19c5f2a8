/* Reads the lines of a text file. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdio.h>
#include <sys/types.h>

#include "p5scope/status.h"

enum { LINES_LONGEST = 1 << 24 }; /* most bytes of a line, the newline included */

/* Reads a line like getline: returns its length with the newline, or -1 at the end of the file or after an error.
 * *line, NULL at first, is grown by realloc and *room is its size; the caller frees it. Unlike getline, it also
 * returns -1 for a line that is longer than LINES_LONGEST. */
ssize_t lines_next(char **line, size_t *room, FILE *in);
/* Returns P5_OK if lines_next has returned -1 because of the end of the file, else sets the error. It uses the errno
 * that lines_next has left, so it must be the next call. */
p5_status lines_end(FILE *in, p5_error *error);

#endif
