/* Checks the files that a command line names: no file may be written by two options, or written by one and read by
 * another. */
#ifndef CLI_FILE_USE_H
#define CLI_FILE_USE_H

#include <stdbool.h>
#include <stddef.h>

/* A file and the option that names it. */
typedef struct file_use {
    const char *option; /* for messages: an option such as "-o", or an input such as "the profile" */
    const char *path;   /* NULL: not given */
    bool reads;         /* the file is read, not written */
} file_use;

/* Returns false, after a message, if two of the `count` uses are of the same file and at least one writes
 * it. */
bool file_uses_distinct(const file_use *uses, size_t count);

#endif
