#include "report/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* XML 1.0 has no control characters but tab, newline and carriage return, and neither U+FFFE nor U+FFFF. */
static bool is_character(const char *text, unsigned length)
{
    if (length == 1)
        return (unsigned char)*text >= ' ' || strchr("\t\n\r", *text) != NULL;
    return length != 0 && strncmp(text, "\xef\xbf\xbe", 3) != 0 && strncmp(text, "\xef\xbf\xbf", 3) != 0;
}

/* What stands for a character that means something to a reader, or NULL. A reader makes a blank of a tab or
 * newline in an attribute, and a newline of a carriage return. */
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
