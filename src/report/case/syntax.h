/* The syntax of users' assembly: statements, AT&T or Intel, and forms that the GNU assembler would
 * misread. */
#ifndef REPORT_CASE_SYNTAX_H
#define REPORT_CASE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "p5scope/status.h"

/* A statement: an instruction or directive with its labels, without comments that follow it. */
typedef struct code_statement {
    const char *text; /* in the source; no NUL ends it */
    size_t length;
    unsigned line;        /* of its first byte, from 1 */
    bool after_semicolon; /* only semicolons precede it on its line: other assemblers read it as a comment */
} code_statement;

/* The scanner's position in a text. It begins as {text, 1, false}. */
typedef struct code_cursor {
    const char *at;
    unsigned line; /* from 1 */
    bool begun;    /* code_next was called before */
} code_cursor;

/* Gets the next statement as the GNU assembler separates them: by line ends and semicolons outside of strings
 * and comments. Returns false at the text's end. */
bool code_next(code_cursor *cursor, code_statement *out);

/* Returns the end of the comment, string or character constant at `at`, or `at` if there is none. */
const char *code_skip(const char *at);
/* Returns the number of line ends in [from, to). */
unsigned code_lines(const char *from, const char *to);

/* Checks code in Intel syntax for forms of other assemblers, mainly NASM's, that the GNU assembler would
 * misread or rejects without a useful message. `att`: the text begins in AT&T syntax; code in that syntax is
 * not checked. Returns P5_ERR_SYNTAX for the first such form, with line and column in the file `name`, and
 * the right form as a hint. */
p5_status code_check(const char *name, const char *text, bool att, p5_error *error);

#endif
