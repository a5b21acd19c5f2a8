/* The syntax of assembly that users write: statements, AT&T or Intel, and what the GNU assembler would take
 * for something else than what is meant. */
#ifndef REPORT_CASE_SYNTAX_H
#define REPORT_CASE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "p5scope/status.h"

/* A statement, without comments that follow it. */
typedef struct code_statement {
    const char *text;
    size_t length;
    unsigned line;         /* of its first byte, from 1 */
    bool behind_semicolon; /* it begins its line, but for a semicolon: elsewhere that is a comment */
} code_statement;

/* Where the scanner stands in a text. */
typedef struct code_cursor {
    const char *at;
    unsigned line; /* from 1 */
    bool begun;
} code_cursor;

/* Fills in the next statement of the text, as the GNU assembler separates them: by line ends and semicolons
 * outside of strings and comments. False at the text's end. */
bool code_next(code_cursor *cursor, code_statement *out);

/* Refuses forms of other assemblers, NASM's above all, that the GNU assembler would assemble to something else,
 * or whose message would not say what to write instead. `att`: the text begins in AT&T syntax. The error has line and column
 * and, as hint, the right form. */
p5_status code_check(const char *name, const char *text, bool att, p5_error *error);

#endif
