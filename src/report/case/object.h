/* Lays out and relocates an i386 object file of the assembler. */
#ifndef REPORT_CASE_OBJECT_H
#define REPORT_CASE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

typedef struct case_label {
    char *name;
    uint32_t address;
    uint32_t size; /* 0: unknown */
    bool function; /* a function, or a global label of code without a type */
} case_label;

/* A program with its addresses: code, initialised data and zeroed memory, each starting on a page of its
 * own. */
typedef struct case_object {
    uint8_t *text;
    size_t text_size;
    uint8_t *data;
    size_t data_size;
    size_t bss_size;
    uint32_t text_address, data_address, bss_address;
    uint32_t exit_address;  /* of the instruction that ends the run */
    uint32_t function;      /* of an object without the harness: the address of the named function; 0: none was named */
    char **undefined;       /* symbols that a function's file uses and does not define: undefined[i] has the
                              address */
    size_t undefined_count; /* CASE_UNDEFINED + i * CASE_UNDEFINED_BYTES, where there is no memory */
    struct case_label *labels; /* named symbols of code and data */
    size_t label_count;
} case_object;
enum { CASE_UNDEFINED_BYTES = 16 };
#define CASE_UNDEFINED 0xf0000000u

/* Symbols of the harness that calls a function. The harness defines CASE_EXIT_SYMBOL where the run ends, and
 * calls CASE_FUNCTION_SYMBOL, which it does not define: placement resolves it to the function. No compiler
 * generates such names. */
#define CASE_EXIT_SYMBOL     "p5scope.exit"
#define CASE_FUNCTION_SYMBOL "p5scope.function"

/* Lays out the relocatable object in `file` with its code at `text_address`. Without CASE_EXIT_SYMBOL, the
 * run ends at an instruction that is appended to the code. `function`, NAME or FILE:NAME of a global or local
 * function, is the value of CASE_FUNCTION_SYMBOL; undefined symbols are then an error only when they are
 * used. "": so they are, but there is no function. NULL: there is no function, and undefined symbols are an
 * error. P5_ERR_NAME for a missing symbol, or a name that several local functions have. The caller frees `out`. */
p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const char *function,
                            case_object *out, p5_error *error);
void case_object_free(case_object *object);

#endif
