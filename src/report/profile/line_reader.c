/* Reads words, numbers and texts from a line (line_reader.h). */
#include "report/profile/line_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *reader_word(reader *r)
{
    while (*r->rest == ' ')
        r->rest++;
    char *start = r->rest;
    r->rest += strcspn(r->rest, " ");
    if (*r->rest)
        *r->rest++ = '\0';
    return start;
}

bool reader_has_more(const reader *r)
{
    return r->rest[strspn(r->rest, " ")] != '\0';
}

uint64_t reader_convert(reader *r, const char *text, int base, uint64_t largest)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, base);
    if (end == text || *end || errno || text[0] == '-' || value > largest) {
        r->damaged = true;
        return 0;
    }
    return value;
}

uint64_t reader_number(reader *r, uint64_t largest)
{
    return reader_convert(r, reader_word(r), 10, largest);
}

uint64_t reader_address(reader *r)
{
    return reader_convert(r, reader_word(r), 16, PROFILE_AT(PROFILE_SPACES, 0) - 1);
}

char *reader_keep(reader *r, const char *text)
{
    char *copy = arena_text(&r->p->texts, text);
    r->out_of_memory |= copy == NULL;
    return copy;
}

/* Reverses the escapes of write_text (write.c), in place. */
static void unescape(char *at)
{
    char *to = at;
    for (; *at; at++) {
        unsigned value;
        if (at[0] == '\\' && at[1] == '\\') {
            at++;
        } else if (at[0] == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) &&
                   isxdigit((unsigned char)at[3]) && sscanf(at + 2, "%2x", &value) == 1 && value != 0) {
            *to++ = (char)value;
            at += 3;
            continue;
        }
        *to++ = *at;
    }
    *to = '\0';
}

char *reader_text(reader *r, bool equals)
{
    if (equals && strcmp(reader_word(r), "=") != 0)
        r->damaged = true;
    unescape(r->rest);
    return reader_keep(r, r->rest);
}

char *reader_shown_text(reader *r)
{
    unescape(r->rest);
    char *copy = profile_printable(r->p, r->rest);
    r->out_of_memory |= copy == NULL;
    return copy;
}
