/* What functions are called, and which one a user means. A function is known by its object, its source file
 * and its symbol; the name that reports show has as much of these as tells it from all others. */
#ifndef REPORT_PROFILE_FUNCTION_NAMES_H
#define REPORT_PROFILE_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "p5scope/status.h"

typedef struct profile_function {
    uint64_t start, end; /* PROFILE_AT */
    char *name;          /* as reports show it: printable, and that of no other function */
    char *symbol;        /* as its symbol table has it; any bytes */
    char *source;        /* the source file that its first line is from, or `unit` */
    char *unit;          /* the file that the symbol table says it comes from, or NULL */
    char *object;        /* the file that has its symbol, or NULL */
    char *qualifier; /* stands before the symbol in `name`; FUNCTION_BY_ADDRESS; NULL where no other has the
                        symbol */
} profile_function;

#define FUNCTION_BY_ADDRESS "@" /* nothing but its address tells the function from others */

/* Sets the qualifier of each function whose symbol, mangled or not, is that of others. False: out of memory.
 */
bool functions_qualify(profile_function *functions, size_t count, arena *texts);

/* Sets `name`: QUALIFIER:SYMBOL or SYMBOL@0xADDRESS. C++ symbols are shown as in the source, or mangled.
 * False: out of memory. */
bool functions_name(profile_function *functions, size_t count, bool mangled, arena *texts);

enum { FUNCTION_NONE = -1, FUNCTION_AMBIGUOUS = -2 };

/* The function that `text` names: as reports show it; by its symbol, mangled or not, with or without
 * parameters; behind its source file or object and a colon; with @0xADDRESS; or
 * 0xADDRESS, which lies in it. FUNCTION_NONE if there is none. If there are several the answer is
 * FUNCTION_AMBIGUOUS, and `error` lists them. */
int functions_find(const profile_function *functions, size_t count, const char *text, p5_error *error);

/* The function's symbol as reports show it without a qualifier, a string of the caller's. NULL: out of
 * memory. */
char *function_plain_name(const profile_function *function, bool mangled);

/* The file name in a path. */
const char *path_base(const char *path);

#endif
