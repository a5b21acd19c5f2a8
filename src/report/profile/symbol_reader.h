/* What the readers of symbols share (symbols.c, symbol_maps.c, symbol_lines.c). */
#ifndef REPORT_PROFILE_SYMBOL_READER_H
#define REPORT_PROFILE_SYMBOL_READER_H

#include <gelf.h>

#include "report/profile/symbols.h"

/* A symbol that may be a function. */
typedef struct candidate {
    uint64_t start, limit; /* `limit`: end of its section */
    uint32_t size;
    unsigned rank; /* the lower, the better its name */
    char *symbol;  /* "": something else begins here */
    char *unit;    /* the file that its table says it comes from, or NULL */
    char *object;  /* the file that has the table */
} candidate;

/* Best ranks: of labels that other files may see, where nobody has said what is a function; of labels that
 * they may not; of data. */
enum { CANDIDATE_LABEL = 4, CANDIDATE_LOCAL = 8, CANDIDATE_DATA = 12 };

/* What is being read: a file, and what has been found in it. */
typedef struct symbol_reader {
    profile_symbols *s;
    const char *path;
    char *object;  /* the path, as long as the symbols live */
    uint64_t base; /* added to the file's addresses: its space, or where DOS has put the program */
    ARRAY_OF(candidate) list;
} symbol_reader;

/* Adds a candidate of the file being read, with a copy of its name. False: out of memory. */
bool candidate_add(symbol_reader *r, candidate c, const char *name);

/* Adds the symbols of a text file. P5_ERR_FORMAT if there are none. */
p5_status symbols_read_map(symbol_reader *r, p5_error *error);

/* Adds the symbols of an ELF file that may be functions; with `everything`, all that have a place in the
 * program, at ranks from CANDIDATE_LOCAL on. False: out of memory. */
bool symbols_read_table(symbol_reader *r, Elf *elf, bool everything);

/* Adds the line table; symbols_sort_lines afterwards. False: out of memory. */
bool symbols_read_lines(symbol_reader *r, Elf *elf);
void symbols_sort_lines(profile_symbols *s);
/* The source file that the first line at `address` is from, NULL if it is not known. */
char *symbols_source_at(const profile_symbols *s, uint64_t address);

#endif
