/* Names of functions, and lookup of a function by the name that a user writes. Object, source file and symbol
 * identify a function; the name in reports contains as much of these as distinguishes it from all others. */
#ifndef REPORT_PROFILE_FUNCTION_NAMES_H
#define REPORT_PROFILE_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "p5scope/status.h"

typedef struct profile_function {
    uint64_t start, end; /* [start, end), linear addresses with the address space above bit 31 (PROFILE_AT) */
    char *name;          /* name in reports: printable and unique; NULL before functions_name */
    char *symbol;        /* as in its symbol table; may contain any bytes */
    char *source;        /* the source file of its first line, or `unit` */
    char *unit;          /* the file to which the symbol table attributes it, or NULL */
    char *object;        /* the file that contains its symbol, or NULL */
    char *qualifier;     /* prefix of the symbol in `name`, or FUNCTION_BY_ADDRESS; NULL if the symbol is
                        unique */
} profile_function;

#define FUNCTION_BY_ADDRESS "@" /* value of `qualifier`: only its address distinguishes the function */

/* Sets the qualifier of each function, NULL if no other has the same demangled symbol. The new texts are in
 * `texts`. Returns false when memory is out. */
bool functions_qualify(profile_function *functions, size_t count, arena *texts);

/* Sets `name` to SYMBOL, QUALIFIER:SYMBOL or SYMBOL@0xADDRESS. The qualifiers must be set. C++ symbols are
 * demangled unless `mangled`. Returns false when memory is out. */
bool functions_name(profile_function *functions, size_t count, bool mangled, arena *texts);

enum { FUNCTION_NONE = -1, FUNCTION_AMBIGUOUS = -2 };

/* Returns the index of the function that `text` names: its name in reports; its symbol, mangled or not, with
 * or without parameters; either after its source file, unit or object and a colon, or with @0xADDRESS; or 0xADDRESS
 * inside it. Returns FUNCTION_NONE if there is none. Returns FUNCTION_AMBIGUOUS if there are several, which `error` then
 * lists, or if memory is out. */
int functions_find(const profile_function *functions, size_t count, const char *text, p5_error *error);

/* Returns the function's symbol without a qualifier, as a string that the caller frees. NULL: out of
 * memory. */
char *function_unqualified_name(const profile_function *function, bool mangled);

/* Returns the part of a path after its last slash; the whole path if nothing follows it. */
const char *path_base(const char *path);

#endif
