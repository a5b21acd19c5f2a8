/* Text of any bytes (names, paths, words of a command line) as text that every reader accepts. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdio.h>

/* What XML, JSON and CSV have in place of a byte that is not UTF-8: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Length of the well-formed UTF-8 sequence at `text`, 1 at its end; 0 for an overlong form, a surrogate or a
 * stray byte. */
unsigned utf8_length(const char *text);

/* True if a terminal shows `text` in one line as it is: well-formed UTF-8 without control characters. */
bool utf8_is_printable(const char *text);

/* Writes `text` in one line. A control character, and a byte that is not UTF-8, is written as \xHH. */
void utf8_write_printable(FILE *out, const char *text);

/* The same as a new string; NULL when memory is out. */
char *utf8_printable(const char *text);

#endif
