/* A private temporary folder in which a case is assembled and linked. */
#ifndef REPORT_CASE_WORKPLACE_H
#define REPORT_CASE_WORKPLACE_H

#include "p5tool/report.h"

typedef struct workplace {
    char folder[64];
    char object[80]; /* the final object */
    char messages[80];
    char source[80];
    char intel[80]; /* workplace_intel */
} workplace;

p5_status workplace_open(workplace *place, p5_error *error);
void workplace_close(const workplace *place);
/* Runs a program from PATH with these words; NULL ends them. Its output goes to the messages file, its exit
 * status to *status. */
p5_status workplace_run(const workplace *place, int *status, p5_error *error, const char *program, ...)
    __attribute__((sentinel));
/* Writes place->intel, which is assembled before a source in Intel syntax. The assembler's options for that
 * syntax do not work: with them it rejects segment overrides, ES:[EDI]. */
p5_status workplace_intel(const workplace *place, p5_error *error);
/* Makes an error of the first message. `name` is the user's name of the file. */
p5_status workplace_message(const workplace *place, const char *name, p5_error *error);
/* Makes a program of the object; `function` as for case_object_place. */
p5_status workplace_program(const workplace *place, const char *name, const char *function,
                            p5_case_program **program, p5_error *error);
/* Returns a copy of the program with other code, which it takes over; NULL when memory is out. */
p5_case_program *case_program_with_text(const p5_case_program *of, uint8_t *text, size_t size,
                                        uint32_t exit_address);
/* Returns the name of the undefined symbol with the address `address`, or NULL. */
const char *case_program_undefined(const p5_case_program *program, uint32_t address);
/* Finds the address of a label of code or data. Returns false if the program has none of that name. */
bool case_program_label(const p5_case_program *program, const char *name, uint32_t *address);
/* Returns the program's code, data and labels. */
const struct case_object *case_program_object(const p5_case_program *program);
/* Reads a whole file and appends a NUL. The caller frees the bytes. */
p5_status case_read_file(const char *path, uint8_t **bytes, size_t *size, p5_error *error);

#endif
