/* Text files of the source tree that are part of the program. The generator embed_gen.c writes a table of them at
 * build time. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

typedef struct embedded_file {
    const char *name; /* file name without folder and extension; NULL ends a table */
    const char *text; /* NUL-terminated */
    size_t size;      /* bytes, without the NUL */
} embedded_file;

#endif
