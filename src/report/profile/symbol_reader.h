/* Types and functions that the readers of symbols share. */
#ifndef REPORT_PROFILE_SYMBOL_READER_H
#define REPORT_PROFILE_SYMBOL_READER_H

#include <gelf.h>

#include "report/profile/symbols.h"

/* A symbol that may be a function. */
typedef struct candidate {
    uint64_t start, limit; /* address, and the end of its section, which it cannot exceed */
    uint32_t size;         /* in bytes; 0: unknown */
    /* The kind (below) plus 0 for a global symbol, 1 for a weak and 2 for a local one. Of several symbols at
     * one address, that with the lowest rank names the function. */
    unsigned rank;
    char *symbol;  /* "": only marks the beginning of something that is not code */
    char *unit;    /* the file to which the symbol table attributes it, or NULL */
    char *object;  /* the file that contains the symbol table */
    size_t number; /* in the order of reading */
} candidate;

/* The kinds of symbols, as their lowest ranks. Symbols of type function have ranks from 0. Then come global
 * labels of code without a type, other labels of code, and data. */
enum { CANDIDATE_LABEL = 4, CANDIDATE_LOCAL = 8, CANDIDATE_DATA = 12 };

/* The file being read, and the symbols found in it. */
typedef struct symbol_reader {
    profile_symbols *s;
    const char *path; /* of the file; NULL: the guest came from none */
    char *object;     /* the path, copied for as long as the symbols live */
    uint64_t base; /* added to the file's addresses: its address space, or where DOS has loaded the program */
    ARRAY_OF(candidate) list;
} symbol_reader;

/* Adds a candidate with r->base added to its addresses, r->object, and a copy of its name. Returns false when
 * memory is out. */
bool candidate_add(symbol_reader *r, candidate c, const char *name);

/* Adds the symbols of the text file r->path. P5_ERR_FORMAT if there are none. */
p5_status symbols_read_map(symbol_reader *r, p5_error *error);

/* Adds the symbols of an ELF file that may be functions (ranks below CANDIDATE_LOCAL); with `everything`, all
 * symbols with a place in the program. Returns false when memory is out. */
bool symbols_read_table(symbol_reader *r, Elf *elf, bool everything);

/* Adds the line table of an ELF file to r->s->lines, unsorted: call symbols_sort_lines when all files are
 * read. Returns false when memory is out. */
bool symbols_read_lines(symbol_reader *r, Elf *elf);
void symbols_sort_lines(profile_symbols *s);
/* Returns the source file to which the code at `address` belongs, or NULL if it is unknown. The lines must be
 * sorted. */
char *symbols_source_at(const profile_symbols *s, uint64_t address);

#endif
