/* A private temporary folder in which a case is assembled and linked, and the program made of it: the code
 * and data of a case at their addresses, ready to be loaded into a machine. */
#ifndef REPORT_CASE_WORKPLACE_H
#define REPORT_CASE_WORKPLACE_H

#include "p5tool/report.h"

/* The paths of the folder and its files. A file exists only after something has written it. */
typedef struct workplace {
    char folder[64];
    char object[80];   /* the object from which the case's program is made */
    char messages[80]; /* the output and errors of the program that ran last */
    char source[80];   /* source text that is not in a file of the user's */
    char intel[80];    /* the file that workplace_write_intel writes */
} workplace;

/* Makes the folder, in TMPDIR or /tmp, and sets the paths. */
p5_status workplace_open(workplace *place, p5_error *error);
/* Removes the folder with these files. The caller must have removed other files in it. */
void workplace_close(const workplace *place);
/* Runs a program from PATH to its end with these arguments (15 at most); NULL ends them. Its output and
 * errors go to place->messages, its wait status (as of waitpid; 0: success) to *status. An error means that
 * it could not be started. */
p5_status workplace_run(const workplace *place, int *status, p5_error *error, const char *program, ...)
    __attribute__((sentinel));
/* Writes place->intel, a source that only selects Intel syntax, which is assembled before the user's source.
 * The assembler's options for that syntax do not work: with them it rejects segment overrides, ES:[EDI]. */
p5_status workplace_write_intel(const workplace *place, p5_error *error);
/* Sets `error` to the assembler's or linker's first error in place->messages, with its line in the file that
 * the user knows as `name`. Returns P5_ERR_FORMAT, or why the messages cannot be read. */
p5_status workplace_message(const workplace *place, const char *name, p5_error *error);
/* Makes a program of place->object; the caller calls p5_case_program_free. `name` is the user's name of the
 * file, `function` as for case_object_place. */
p5_status workplace_program(const workplace *place, const char *name, const char *function,
                            p5_case_program **program, p5_error *error);
/* Returns a copy of the program with the code `text` of `size` bytes in place of its own, and without labels.
 * The copy owns `text` (allocated by malloc) from then on. Returns NULL when memory is out; `text` is then
 * still the caller's. */
p5_case_program *case_program_with_text(const p5_case_program *of, uint8_t *text, size_t size,
                                        uint32_t exit_address);
/* Returns the address of the first byte after the arguments of a function that a harness calls. The function has no
 * business with the stack from there on, which is the harness's. */
uint32_t case_function_stack_end(const p5_case_function *f);
/* Returns the name of the undefined symbol that placement gave the address `address` (CASE_UNDEFINED in
 * object.h), or NULL. */
const char *case_program_undefined(const p5_case_program *program, uint32_t address);
/* Finds the address of a label of code or data. Returns false if the program has none of that name. */
bool case_program_label(const p5_case_program *program, const char *name, uint32_t *address);
/* Reads a whole regular file and appends a NUL, which *size does not count. The caller frees the bytes. */
p5_status case_read_file(const char *path, uint8_t **bytes, size_t *size, p5_error *error);
/* Writes the file at `path` with this text. */
p5_status case_write_file(const char *path, const char *text, p5_error *error);

#endif
