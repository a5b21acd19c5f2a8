/* Parses text that users write (numbers, names, similar names, fields of a tab-separated table) and formats
 * numbers for them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the whole of `text` as an unsigned number: decimal, 0x hexadecimal, or hexadecimal with a trailing
 * h. A suffix K, M or G multiplies by 1024, 1024^2, 1024^3 (decimal only). Case is ignored. Returns false if
 * anything is left over or it overflows. */
bool text_to_u64(const char *text, uint64_t *value);

/* Parses the whole of `text` as a floating-point number in C notation, "inf" and "nan" included. Returns false if
 * anything is left over or it is too large or too small for a double. */
bool text_to_double(const char *text, double *value);

/* Compares event and option names: case is ignored, and '-', '_' and ' ' are equal. */
bool text_same_name(const char *a, const char *b);

/* Matches a whole name against a shell-style pattern: '*' any run, '?' one character. Compares like
 * text_same_name. */
bool text_glob(const char *pattern, const char *name);

/* Returns the edit distance of two names under text_same_name's rules; 255 if one has more than 120 characters. */
unsigned text_distance(const char *a, const char *b);

/* A candidate list for "did you mean" that keeps the most similar names offered so far, the most similar first. A name
 * is similar if its edit distance is small or it contains the wanted text; others are not kept. It refers to the
 * caller's texts. */
enum { TEXT_NEAREST = 3 };
typedef struct text_nearest {
    const char *wanted;              /* what the user wrote */
    const char *name[TEXT_NEAREST];  /* the candidates */
    unsigned distance[TEXT_NEAREST]; /* of each candidate from `wanted` */
    unsigned count;                  /* of candidates */
} text_nearest;
void text_nearest_init(text_nearest *nearest, const char *wanted);
void text_nearest_offer(text_nearest *nearest, const char *name);
/* Writes "did you mean 'a', 'b' or 'c'?", or an empty string if no name is similar. Returns `buffer`. */
const char *text_nearest_sentence(const text_nearest *nearest, char *buffer, size_t size);

/* Cuts the next field off a separated line: returns its start, overwrites the separator after it with a NUL, and
 * advances *cursor, which becomes NULL after the last field. Returns NULL if *cursor is NULL. */
char *text_field(char **cursor, char separator);

/* Writes the digits of `value`, at most TEXT_UNSIGNED_BYTES, without a NUL. Returns the end of the text. */
enum { TEXT_UNSIGNED_BYTES = 20 };
char *text_put_unsigned(char *to, uint64_t value);

/* Writes `value` with a comma between groups of three digits. Returns `buffer` (27 bytes are always
 * enough). */
const char *text_grouped(uint64_t value, char *buffer, size_t size);

/* Writes `value` exactly as printf's "%.*f" does, roundings included, but several times as fast for common
 * values in reports. Returns `buffer`. */
const char *text_fixed(double value, unsigned decimals, char *buffer, size_t size);

#endif
