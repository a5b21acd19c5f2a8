/* Shared by the two parts of the instruction table's generator: rows and their words (instructions_gen.c),
 * and opcode patterns with the map made from them (opcodes_gen.c). */
#ifndef ISA_INSTRUCTIONS_GEN_H
#define ISA_INSTRUCTIONS_GEN_H

#include <stdio.h>

#include "isa/isa.h"
#include "isa/opcode_map.h"

enum { MAX_FORMS = 1000, MAX_CELLS = 16384, ESCAPES = 2 /* without and with 0Fh */ };

typedef struct word {
    const char *name;
    uint32_t value;
} word;

/* One cell of the full, uncompressed map, and the line that claimed it (0: none yet). */
typedef struct claim {
    isa_cell cell;
    unsigned line;
} claim;

typedef struct generator {
    const char *path;
    unsigned line; /* 0: the table as a whole */
    unsigned errors;
    isa_form forms[MAX_FORMS];
    unsigned form_count;
    claim map[ESCAPES][256][ISA_VARIANTS];
    claim x87[8][64];
    isa_cell cells[MAX_CELLS];
    unsigned cell_count;
} generator;

/* Reports an error in the current line (or in the whole table) and counts it. */
__attribute__((format(printf, 2, 3))) void complain(generator *g, const char *format, ...);
/* Looks up `name` in a list that ends with a NULL name. */
bool find_word(const word *words, const char *name, uint32_t *value);

/* Assigns every encoding of the `opcodes` column `patterns` (which is cut into pieces) to form number
 * `index`; 0: to none. `size` is the size column. */
void opcodes_claim(generator *g, char *patterns, unsigned index, const char *size);
/* Complains about every opcode that no row has claimed. */
void opcodes_check_gaps(generator *g);
/* Writes isa_cells, isa_opcodes and isa_x87_cells. */
void opcodes_write(generator *g, FILE *out);

#endif
