/* The case files that the user named. A case file is a small assembly program with the costs that it is expected to
 * have. */
#ifndef CLI_CASE_FILES_H
#define CLI_CASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "p5tool/report.h"

typedef struct case_file {
    p5_case parsed; /* valid if `problem` is NULL */
    char *path;
    char *problem; /* why the file cannot be used, as a line of text */
} case_file;

typedef struct case_files {
    case_file *items;
    size_t count, capacity;
} case_files;

/* Adds a file, or all *.s files below a directory in order of names, without reading them. Returns false with errno. */
bool case_files_add(case_files *files, const char *path);
/* Reads all files that were added. A case name that occurs twice in a directory is a problem of the second file.
 * Returns false with errno when memory is out. */
bool case_files_read(case_files *files);
void case_files_free(case_files *files);

/* Returns the conditions of runs of the case. `parsed` must outlive them. */
p5_case_conditions case_conditions(const p5_case *parsed);

/* Returns the name of the case, or the path of a file that could not be read. */
const char *case_file_name(const case_file *file);

/* Formats an error as one line: FILE:LINE: MESSAGE; HINT. */
void case_write_error(FILE *out, const p5_error *error);
/* Returns the same line without its end, which the caller frees; NULL if memory is out. */
char *case_error_line(const p5_error *error);

#endif
