/* The lines of a text file. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdio.h>
#include <sys/types.h>

#include "p5scope/status.h"

enum { LINES_LONGEST = 1 << 24 }; /* bytes */

/* As getline, with an end: -1 also for a line that is longer, and for want of memory. */
ssize_t lines_next(char **line, size_t *room, FILE *in);
/* When lines_next has answered -1: P5_OK if that was the end of the file, or why it was not. */
p5_status lines_end(FILE *in, p5_error *error);

#endif
