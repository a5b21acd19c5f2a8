/* Reads whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

/* Reads all of a file of at most `limit` bytes and appends a NUL; the caller frees *bytes. Without `pipes` it
 * must be a regular file, so that the call does not block. Errors name `path`. */
p5_status file_read(const char *path, size_t limit, bool pipes, uint8_t **bytes, size_t *size,
                    p5_error *error);

#endif
