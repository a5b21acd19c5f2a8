/* The explanations of events/words.tsv: of owners of clocks, events, reasons for not pairing, registers, exceptions, figures and
 * columns. */
#ifndef REPORT_STAT_WORDS_H
#define REPORT_STAT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A row of the table, which explains all of its names. A field that is empty in the table is "". */
typedef struct words_topic {
    const char *kind, *names, *what, *when, *avoid, *source, *options, *example;
} words_topic;

typedef struct words_table {
    char *text;
    words_topic *items;
    size_t count, capacity;
} words_table;

/* Reads the table. Returns false if memory is out. The caller closes the table in any case. */
bool words_open(words_table *table);
void words_close(words_table *table);

/* Returns the topic of `kind` (NULL: of any) that has the name, or NULL. */
const words_topic *words_find(const words_table *table, const char *kind, const char *name);

/* Copies name number `index` of the topic. Returns false after the last one. */
bool words_name(const words_topic *topic, size_t index, char *name, size_t size);

enum { WORDS_WIDTH = 79, WORDS_LABEL = 13 }; /* columns of a line, and of the label */
/* Writes a paragraph behind its label, in lines that fit a terminal; nothing for an empty text. */
void words_write_paragraph(FILE *out, const char *label, const char *text);

#endif
