/* Converts text of arbitrary bytes (names, paths, words of a command line) to text that every reader
 * accepts. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdio.h>

/* U+FFFD, which replaces a byte that is not UTF-8 in XML, JSON and CSV. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Returns the length of the well-formed UTF-8 sequence at `text`, 1 for the final NUL, 0 for an overlong
 * form, a surrogate or a stray byte. */
unsigned utf8_length(const char *text);

/* Returns whether a terminal shows `text` unchanged in one line: well-formed UTF-8 without control
 * characters. */
bool utf8_is_printable(const char *text);

/* Writes `text` in one line. Control characters and bytes that are not UTF-8 are written as \xHH. */
void utf8_write_printable(FILE *out, const char *text);
/* Does the same with the first `size` bytes of `text`. */
void utf8_write_printable_part(FILE *out, const char *text, size_t size);

/* Returns what utf8_write_printable writes as a new string, which the caller frees; NULL if memory runs out. */
char *utf8_printable(const char *text);

#endif
