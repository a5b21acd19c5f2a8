/* Whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

/* Reads all of a file of at most `limit` bytes, with a NUL behind them; the caller frees *bytes. It has to be
 * a regular file unless `pipes`: nobody waits for another then. Errors are at `path`. */
p5_status file_read(const char *path, size_t limit, bool pipes, uint8_t **bytes, size_t *size,
                    p5_error *error);

#endif
