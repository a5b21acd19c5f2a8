/* Reads whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

/* Reads all of a file of at most `limit` bytes and appends a NUL, which *size does not include; the caller frees
 * *bytes. The file must be a regular file, so that the call does not block. With `pipes` it may also be a pipe or a
 * device, which is read to its end. Errors name `path`; *bytes is NULL after an error. */
p5_status file_read(const char *path, size_t limit, bool pipes, uint8_t **bytes, size_t *size,
                    p5_error *error);

#endif
