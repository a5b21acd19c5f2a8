/* Recognises well-formed UTF-8, and makes any bytes printable. */
#include "base/utf8.h"

#include <string.h>

#include "base/memory_text.h"

/* Returns the length in bytes of the well-formed sequence at `at`, 0 if there is none. The rules are those of table
 * 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF. */
unsigned utf8_length(const char *at)
{
    const unsigned char *text = (const unsigned char *)at;
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    unsigned length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) /* also stops at the final NUL */
            return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

/* Returns the length of the printable character at `text`, 0 if there is none. U+0080 to U+009F are control
 * characters, too. */
static unsigned printable_length(const char *text)
{
    unsigned char lead = (unsigned char)text[0];
    if (lead < 0x20 || lead == 0x7f || (lead == 0xc2 && (unsigned char)text[1] < 0xa0))
        return 0;
    return utf8_length(text);
}

bool utf8_is_printable(const char *text)
{
    unsigned length = 1;
    for (; *text != '\0' && length != 0; text += length)
        length = printable_length(text);
    return length != 0;
}

void utf8_write_printable_part(FILE *out, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        unsigned length = printable_length(text);
        if (length == 0 || length > (size_t)(end - text)) {
            fprintf(out, "\\x%02x", (unsigned char)*text++);
            continue;
        }
        fwrite(text, 1, length, out);
        text += length;
    }
}

void utf8_write_printable(FILE *out, const char *text)
{
    utf8_write_printable_part(out, text, strlen(text));
}

char *utf8_printable(const char *text)
{
    memory_text copy;
    if (memory_text_open(&copy))
        utf8_write_printable(copy.out, text);
    return memory_text_end(&copy);
}
