/* Types and functions that the readers of symbols share. */
#ifndef REPORT_PROFILE_SYMBOL_READER_H
#define REPORT_PROFILE_SYMBOL_READER_H

#include <gelf.h>

#include "report/profile/symbols.h"

/* A symbol that may be a function. */
typedef struct candidate {
    uint64_t start, limit; /* `limit`: end of its section */
    uint32_t size;
    unsigned rank; /* a lower rank is the better name */
    char *symbol;  /* "": only marks the beginning of something that is not code */
    char *unit;    /* the file to which the symbol table attributes it, or NULL */
    char *object;  /* the file that contains the symbol table */
} candidate;

/* Lowest ranks of three kinds: global labels without a type; local labels; data. Functions have ranks from
 * 0. */
enum { CANDIDATE_LABEL = 4, CANDIDATE_LOCAL = 8, CANDIDATE_DATA = 12 };

/* The file being read, and the symbols found in it. */
typedef struct symbol_reader {
    profile_symbols *s;
    const char *path;
    char *object;  /* the path, copied for as long as the symbols live */
    uint64_t base; /* added to the file's addresses: its address space, or where DOS has loaded the program */
    ARRAY_OF(candidate) list;
} symbol_reader;

/* Adds a candidate with a copy of its name. Returns false when memory is out. */
bool candidate_add(symbol_reader *r, candidate c, const char *name);

/* Adds the symbols of a text file. P5_ERR_FORMAT if there are none. */
p5_status symbols_read_map(symbol_reader *r, p5_error *error);

/* Adds the symbols of an ELF file that may be functions; with `everything`, all symbols with a place in the
 * program, at ranks from CANDIDATE_LOCAL on. Returns false when memory is out. */
bool symbols_read_table(symbol_reader *r, Elf *elf, bool everything);

/* Adds the line table, unsorted; call symbols_sort_lines afterwards. Returns false when memory is out. */
bool symbols_read_lines(symbol_reader *r, Elf *elf);
void symbols_sort_lines(profile_symbols *s);
/* Returns the source file of the first line at `address`, or NULL if it is unknown. */
char *symbols_source_at(const profile_symbols *s, uint64_t address);

#endif
