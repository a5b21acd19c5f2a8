/* A stream that collects a text in memory. Its functions use the struct's address, so it must not be moved while the
 * stream is open. */
#ifndef BASE_MEMORY_TEXT_H
#define BASE_MEMORY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct memory_text {
    FILE *out;   /* the stream; NULL: memory was out, or it is closed */
    char *text;  /* after memory_text_end: what was written, with a NUL after it; NULL: memory was out */
    size_t size; /* after memory_text_end: the bytes written */
} memory_text;

/* Opens the stream. Returns false if memory is out; memory_text_end may be called all the same. */
bool memory_text_open(memory_text *memory);

/* Closes the stream. Returns `text`, which the caller frees, or NULL if not all could be written. */
char *memory_text_end(memory_text *memory);

#endif
