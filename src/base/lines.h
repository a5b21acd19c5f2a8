/* Reads the lines of a text file. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdio.h>
#include <sys/types.h>

#include "p5scope/status.h"

enum { LINES_LONGEST = 1 << 24 }; /* bytes */

/* Reads a line like getline, but also returns -1 for a line that is longer than LINES_LONGEST, and if memory
 * runs out. */
ssize_t lines_next(char **line, size_t *room, FILE *in);
/* Returns P5_OK if lines_next returned -1 because of the end of the file, else sets the error. */
p5_status lines_end(FILE *in, p5_error *error);

#endif
