/* A private folder in which a case is assembled and linked. */
#ifndef REPORT_CASE_WORKPLACE_H
#define REPORT_CASE_WORKPLACE_H

#include "p5scope/report.h"

typedef struct workplace {
    char folder[64];
    char object[80]; /* what is placed in the end */
    char messages[80];
    char source[80];
    char intel[80]; /* workplace_intel */
} workplace;

p5_status workplace_open(workplace *place, p5_error *error);
void workplace_close(const workplace *place);
/* Runs a program from PATH with these words, NULL behind the last; its output goes into the messages, its
 * exit status to *status. */
p5_status workplace_run(const workplace *place, int *status, p5_error *error, const char *program, ...)
    __attribute__((sentinel));
/* Writes place->intel, which the assembler takes before a source in Intel syntax. The assembler's options for
 * that syntax do not do: with them it refuses segment overrides, ES:[EDI]. */
p5_status workplace_intel(const workplace *place, p5_error *error);
/* An error made of the first message; `name` is what the user calls the file. */
p5_status workplace_message(const workplace *place, const char *name, p5_error *error);
/* The program that the object is; `function` as case_object_place has it. */
p5_status workplace_program(const workplace *place, const char *name, const char *function,
                            p5_case_program **program, p5_error *error);
/* The name of the symbol that the program's file does not define and that stands for `address`, or NULL. */
const char *case_program_undefined(const p5_case_program *program, uint32_t address);
/* A whole file, with a NUL behind it. */
p5_status case_read_file(const char *path, uint8_t **bytes, size_t *size, p5_error *error);

#endif
