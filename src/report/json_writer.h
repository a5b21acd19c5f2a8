/* A streaming JSON writer without a tree. Misuse, such as a value where a key is expected, is a programming error.
 * Data can be anything: bytes that are not UTF-8 become U+FFFD, and numbers that JSON cannot represent become
 * null. */
#ifndef REPORT_JSON_WRITER_H
#define REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEEPEST = 31 }; /* maximum number of nested containers */

typedef struct json_writer {
    FILE *out;
    unsigned depth;     /* number of open containers */
    uint32_t has_items; /* bit per depth: the container has an item, so a comma precedes the next one */
    uint32_t is_object; /* bit per depth: the container is an object; 0: an array */
    bool after_key;     /* a key has been written, and its value is missing */
    double last;        /* the last number that json_double wrote, except for null and whole numbers */
    char last_text[32]; /* its text; "": none yet */
} json_writer;

/* Begins a document. The writer keeps no storage, so it needs no end. */
void json_init(json_writer *json, FILE *out);

/* Containers. A top-level container ends with a newline: one document per line (JSON Lines). */
void json_open_object(json_writer *json);
void json_close_object(json_writer *json);
void json_open_array(json_writer *json);
void json_close_array(json_writer *json);

/* Writes the key of the next value or container of an object. */
void json_key(json_writer *json, const char *key);

void json_string(json_writer *json, const char *text);
void json_unsigned(json_writer *json, uint64_t value);
/* Writes text that reads back as the same double, in 15 digits if they suffice; null for infinities and NaN. */
void json_double(json_writer *json, double value);
void json_null(json_writer *json);

/* Write a key and its value. */
void json_key_string(json_writer *json, const char *key, const char *text);
void json_key_unsigned(json_writer *json, const char *key, uint64_t value);
void json_key_double(json_writer *json, const char *key, double value);
void json_key_bool(json_writer *json, const char *key, bool value);
/* Write a key and open the container that is its value. */
void json_key_object(json_writer *json, const char *key);
void json_key_array(json_writer *json, const char *key);

#endif
