#include "report/xml.h"

void xml_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? ' ' : *text, out);
        }
    }
}
