/* The explanations of events/words.tsv: of owners of clocks (events/stalls.tsv), events, reasons for not pairing, parts of
 * the processor, registers, exceptions, figures of reports, and columns of tables. */
#ifndef REPORT_STAT_WORDS_H
#define REPORT_STAT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A row of the table, which explains all of its names. A field that is empty in the table is "". */
typedef struct words_topic {
    const char *kind;    /* count (an owner or an event), reason, part, register, exception, figure, column */
    const char *names;   /* separated by ';' */
    const char *what;    /* what it is */
    const char *when;    /* when it occurs */
    const char *avoid;   /* how to avoid it, or how to use it */
    const char *source;  /* the manual's section */
    const char *options; /* options of `p5scope bench` for the example */
    const char *example; /* code for its --asm: lines of assembly, separated by ';' */
} words_topic;

typedef struct words_table {
    char *text; /* a copy of the file, cut into the strings of the topics */
    words_topic *items;
    size_t count, capacity;
} words_table;

/* Reads the table. Returns false if memory is out. The caller closes the table in any case. */
bool words_open(words_table *table);
void words_close(words_table *table);

/* Returns the first topic of `kind` (NULL: of any) that has the name (text_same_name), or NULL. */
const words_topic *words_find(const words_table *table, const char *kind, const char *name);

/* Copies name number `index` (from 0) of the topic to `name`, of `size` bytes, where a longer one is cut. Returns false
 * after the last one. */
bool words_name(const words_topic *topic, size_t index, char *name, size_t size);

/* Widths of a paragraph's lines and of the column with its label, in characters. */
enum { WORDS_WIDTH = 79, WORDS_LABEL = 13 };
/* Writes a paragraph with its label on the left of the first line; nothing for an empty text. */
void words_write_paragraph(FILE *out, const char *label, const char *text);

#endif
