/* Reads symbols from text files: System.map, nm's output, maps of DOS linkers. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lines.h"
#include "report/profile/symbol_reader.h"

/* Maps have no sizes. A symbol ends where the next one begins, but at most MAP_MOST_BYTES, the size of a segment, after
 * its own beginning. */
enum { MAP_MOST_BYTES = 0x10000 };

/* Reads a number of `least` to `most` hexadecimal digits at `*text` and advances past it. Returns false if there
 * is none. */
static bool hex_in(const char **text, unsigned least, unsigned most, uint64_t *value)
{
    unsigned digits = (unsigned)strspn(*text, "0123456789abcdefABCDEF");
    if (digits < least || digits > most)
        return false;
    *value = strtoull(*text, NULL, 16);
    *text += digits;
    return true;
}

/* Advances past blanks at `*text`. Returns false if there are none. */
static bool blanks_in(const char **text)
{
    size_t n = strspn(*text, " \t");
    *text += n;
    return n != 0;
}

/* Reads a line of a map: "c1000000 T name" (nm, System.map), "0000:0010 name" with the marks of DOS linkers
 * in between (* and + of Watcom's, Abs and idle of Borland's), "100 100 name" (nasm's, real and virtual).
 * `name` gets "" for data, which only ends the function before it. Returns false for other lines. */
static bool read_map_line(const char *line, candidate *c, char name[256])
{
    uint64_t high, low;
    const char *at = line;
    char kind = 'T';
    blanks_in(&at);
    if (!hex_in(&at, 1, 16, &high))
        return false;
    if (*at == ':') {
        at++;
        if (at - line < 5 || !hex_in(&at, 4, 4, &low))
            return false;
        at += strspn(at, "*+");
        high = high * 16 + low;
    } else {
        if (!blanks_in(&at))
            return false;
        if (strcspn(at, "AaBbDdRrTtVvWw") == 0 && *at != '\0' && (at[1] == ' ' || at[1] == '\t'))
            kind = *at++;
        else if (!hex_in(&at, 1, 8, &high) || strchr(at, '.') != NULL) /* nasm's local labels have a dot */
            return false;
    }
    bool more = blanks_in(&at);
    static const char *const marks[] = {"Abs", "idle"};
    for (unsigned i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0 && at[strlen(marks[i])] == ' ') {
            at += strlen(marks[i]);
            blanks_in(&at);
        }
    unsigned length = (unsigned)strcspn(at, " \t\r\n");
    if (!more || length == 0 || length > 255 || strchr("0123456789(", *at) != NULL || high > UINT32_MAX)
        return false;
    bool code = strchr("TtWw", kind) != NULL;
    *c = (candidate){.start = high, .limit = high + MAP_MOST_BYTES, .rank = CANDIDATE_LABEL};
    snprintf(name, 256, "%.*s", code ? (int)length : 0, at);
    return at[length + strspn(at + length, " \t\r\n")] == '\0';
}

p5_status symbols_read_map(symbol_reader *r, p5_error *error)
{
    FILE *in = fopen(r->path, "re");
    char *line = NULL, name[256];
    size_t capacity = 0, before = r->list.count;
    bool fits = true;
    candidate c;
    while (in && fits && lines_next(&line, &capacity, in) >= 0)
        if (read_map_line(line, &c, name))
            fits = candidate_add(r, c, name);
    p5_status status = !fits ? error_set(error, P5_ERR_MEMORY, "out of memory")
                       : in  ? lines_end(in, error)
                             : P5_OK;
    free(line);
    if (in)
        fclose(in);
    if (status != P5_OK) {
        error_at(error, r->path, 0, 0);
        return status;
    }
    if (r->list.count != before)
        return P5_OK;
    error_set(error, P5_ERR_FORMAT, "%s has no symbols", r->path);
    error_hint(error, "an ELF file, System.map, what nm prints, or the map of a linker for DOS");
    return P5_ERR_FORMAT;
}
