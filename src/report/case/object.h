/* An i386 object file of the assembler, laid out in memory and relocated. */
#ifndef REPORT_CASE_OBJECT_H
#define REPORT_CASE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

/* A placed program: code, initialised data and zeroed memory, each on a page of its own. */
typedef struct case_object {
    uint8_t *text;
    size_t text_size;
    uint8_t *data;
    size_t data_size;
    size_t bss_size;
    uint32_t text_address, data_address, bss_address;
    uint32_t exit_address; /* of the instruction that ends the run */
    char **undefined;      /* what the file of a function refers to and does not define: undefined[i] is at */
    size_t undefined_count; /* CASE_UNDEFINED + i * CASE_UNDEFINED_BYTES, where no memory is */
} case_object;
enum { CASE_UNDEFINED_BYTES = 16 };
#define CASE_UNDEFINED 0xf0000000u

/* Symbols of the harness that calls a function. The harness defines CASE_EXIT_SYMBOL where the run ends, and
 * calls CASE_FUNCTION_SYMBOL, which stays undefined: the placement finds the function. No compiler makes such
 * names. */
#define CASE_EXIT_SYMBOL     "p5scope.exit"
#define CASE_FUNCTION_SYMBOL "p5scope.function"

/* Lays out the relocatable object in `file` with its code at `text_address`. An object without
 * CASE_EXIT_SYMBOL ends at an instruction that is appended to its code. `function` is what
 * CASE_FUNCTION_SYMBOL stands for, NAME or FILE:NAME, of a global or local function; its file may refer to
 * what it does not define, which is an error only when it is used. NULL: there is no function, and nothing
 * may be undefined. P5_ERR_NAME for a symbol that is not there, or a name that several local functions have.
 */
p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const char *function,
                            case_object *out, p5_error *error);
void case_object_free(case_object *object);

#endif
