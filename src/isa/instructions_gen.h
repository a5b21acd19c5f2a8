/* Shared by the two parts of the instruction table's generator: rows and their words (instructions_gen.c),
 * and opcode patterns with the map made from them (opcodes_gen.c). */
#ifndef ISA_INSTRUCTIONS_GEN_H
#define ISA_INSTRUCTIONS_GEN_H

#include <stdio.h>

#include "isa/isa.h"
#include "isa/opcode_map.h"

enum {
    MAX_FORMS = 1000,  /* one for each row, and form 0 */
    MAX_CELLS = 16384, /* elements of isa_cells */
    OPCODE_MAPS = 2    /* opcodes without and with 0Fh before them */
};

/* A word that a column may have, and what it means. */
typedef struct word {
    const char *name;
    uint32_t value;
} word;

/* One encoding in the full, uncompressed opcode map: its cell, and the line of the table that claims it (0: no line
 * has done so yet). */
typedef struct claim {
    isa_cell cell;
    unsigned line;
} claim;

typedef struct generator {
    const char *path;
    unsigned line; /* the one that is being read; 0: none, errors concern the whole table */
    unsigned errors;
    isa_form forms[MAX_FORMS]; /* isa_forms; form 0 is that of undefined opcodes */
    unsigned form_count;
    claim map[OPCODE_MAPS][256][ISA_VARIANTS]; /* by opcode byte and ISA_VARIANT */
    claim x87[8][64]; /* x87 opcodes with mod = 3, as in isa_x87_cells; `map` has those with memory */
    isa_cell cells[MAX_CELLS]; /* isa_cells */
    unsigned cell_count;
} generator;

/* Reports an error in the current line, or in the whole table if `line` is 0, and counts it. */
__attribute__((format(printf, 2, 3))) void complain(generator *g, const char *format, ...);
/* Looks up `name` in a list that ends with a NULL name. Returns false if it is not there. */
bool find_word(const word *words, const char *name, uint32_t *value);

/* Assigns the encodings that `patterns` describes, a row's `opcodes` column, to form number `index`. Complains about wrong
 * patterns and about encodings that another row has claimed. `patterns` is overwritten. `size` is the row's `size` column. */
void opcodes_claim(generator *g, char *patterns, unsigned index, const char *size);
/* Complains about every opcode that no row has claimed. */
void opcodes_check_gaps(generator *g);
/* Writes the maps compressed, as isa_cells, isa_opcodes and isa_x87_cells. */
void opcodes_write(generator *g, FILE *out);

#endif
