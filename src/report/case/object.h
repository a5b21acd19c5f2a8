/* Gives the code and data of an i386 object file addresses, and relocates them, as a linker would. */
#ifndef REPORT_CASE_OBJECT_H
#define REPORT_CASE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5tool/report.h"

/* A named place in code or data. */
typedef struct case_label {
    char *name;
    uint32_t address;
    uint32_t size; /* in bytes, of a function; 0: unknown */
    bool function; /* a symbol of type function, or a global label of code without a type */
} case_label;

/* A case's program with its addresses: code, initialised data and zeroed memory, each starting on a page of
 * its own. */
struct p5_case_program {
    uint8_t *text;
    size_t text_size;
    uint8_t *data;
    size_t data_size;
    size_t bss_size;
    uint32_t text_address, data_address, bss_address;
    uint32_t exit_address; /* of the instruction before which the run ends */
    uint32_t function; /* address of the function named to case_object_place, if the object has no harness;
                              else 0 */
    char **undefined;  /* names of symbols that the object uses and does not define; undefined[i] has the
                              address CASE_UNDEFINED + i * CASE_UNDEFINED_BYTES */
    size_t undefined_count;
    case_label *labels; /* named symbols of code and data */
    size_t label_count;
};
/* Addresses of undefined symbols. There is no memory, so that using one faults and the error can name it. */
enum { CASE_UNDEFINED_BYTES = 16 };
#define CASE_UNDEFINED 0xf0000000u

/* Symbols of the harness, the loop around a function's call that function.c generates. The harness defines
 * CASE_EXIT_SYMBOL where the run ends, and calls CASE_FUNCTION_SYMBOL, which it does not define: placement
 * resolves it to the function. No compiler generates such names. */
#define CASE_EXIT_SYMBOL     "p5scope.exit"
#define CASE_FUNCTION_SYMBOL "p5scope.function"

/* Places the relocatable object in `file` (`size` bytes) with its code at `text_address`. Without
 * CASE_EXIT_SYMBOL, the run ends at an instruction that is appended to the code. `function` is
 *   - NAME or FILE:NAME of a global or local function, to which CASE_FUNCTION_SYMBOL is resolved; undefined
 *     symbols get addresses that fault when they are used;
 *   - "": no function is called, and undefined symbols get such addresses, too;
 *   - NULL: no function is called, and undefined symbols are an error.
 * Returns P5_ERR_NAME for a missing symbol, or a name that several local functions have. After success, the
 * caller calls case_object_free. */
p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const char *function,
                            p5_case_program *out, p5_error *error);
/* Frees what the program owns, not the structure itself. */
void case_object_free(p5_case_program *program);

#endif
