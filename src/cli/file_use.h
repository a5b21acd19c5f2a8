/* The files that a command line names: none may be written by two options, or written while another reads it.
 */
#ifndef CLI_FILE_USE_H
#define CLI_FILE_USE_H

#include <stdbool.h>
#include <stddef.h>

/* A file and what names it. */
typedef struct file_use {
    const char *option; /* as written: "-o"; of an input, what it is: "the profile" */
    const char *path;   /* NULL: not given */
    bool reads;         /* it is only read */
} file_use;

/* False, after a message, if two of the `count` uses are of the same file and not both only read it. */
bool file_uses_apart(const file_use *uses, size_t count);

#endif
