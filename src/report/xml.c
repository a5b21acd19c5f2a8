#include "report/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* Returns whether XML 1.0 allows the character at `text`, of `length` bytes (0: not UTF-8): no control characters but
 * tab, newline and carriage return, and neither U+FFFE nor U+FFFF. */
static bool is_character(const char *text, unsigned length)
{
    if (length == 1)
        return (unsigned char)*text >= ' ' || strchr("\t\n\r", *text) != NULL;
    return length != 0 && strncmp(text, "\xef\xbf\xbe", 3) != 0 && strncmp(text, "\xef\xbf\xbf", 3) != 0;
}

/* Returns the entity for a character that needs one, or NULL. A reader would turn a tab or newline in an
 * attribute into a blank, and a carriage return into a newline. */
static const char *entity_of(char c, bool attribute)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    case '\n':
        return attribute ? "&#10;" : NULL;
    case '\t':
        return attribute ? "&#9;" : NULL;
    default:
        return NULL;
    }
}

/* Writes text with entities, and U+FFFD in place of what XML does not allow. */
static void write_escaped(FILE *out, const char *text, bool attribute)
{
    for (unsigned length; *text != '\0'; text += length > 0 ? length : 1) {
        length = utf8_length(text);
        const char *entity = is_character(text, length) ? entity_of(*text, attribute) : UTF8_REPLACEMENT;
        if (entity != NULL)
            fputs(entity, out);
        else
            fwrite(text, 1, length, out);
    }
}

void xml_text(FILE *out, const char *text)
{
    write_escaped(out, text, false);
}

void xml_attribute(FILE *out, const char *value)
{
    write_escaped(out, value, true);
}

void xml_script_json(FILE *out, const char *json, size_t size)
{
    /* JSON has '<' only in strings, where an escape stands for the same character. */
    for (const char *at = json, *end = json + size; at < end; at++) {
        bool line_end =
            end - at >= 3 && memcmp(at, "\xe2\x80", 2) == 0 && (at[2] == '\xa8' || at[2] == '\xa9');
        if (*at == '<') {
            fputs("\\u003c", out);
        } else if (line_end) {
            fputs(at[2] == '\xa8' ? "\\u2028" : "\\u2029", out);
            at += 2;
        } else {
            fputc(*at, out);
        }
    }
}
