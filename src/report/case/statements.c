/* Separates assembly into statements (an instruction or directive with its labels), as the GNU assembler
 * does. */
#include <ctype.h>
#include <string.h>

#include "report/case/syntax.h"

/* Returns the end of the string or character constant whose opening quote is at `at`. After a single quote
 * comes one character or escape, and the closing quote may be missing. */
static const char *skip_quoted(const char *at)
{
    const char quote = *at++;
    if (quote == '\'') {
        at += *at == '\\' && at[1] != '\0' ? 2 : *at != '\0' && *at != '\n';
        return *at == '\'' ? at + 1 : at;
    }
    while (*at != '\0' && *at != '"')
        at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == '"' ? at + 1 : at;
}

const char *code_skip(const char *at)
{
    if (at[0] == '#')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end != NULL ? end + 2 : at + strlen(at);
    }
    return at[0] == '"' || at[0] == '\'' ? skip_quoted(at) : at;
}

unsigned code_lines(const char *from, const char *to)
{
    unsigned lines = 0;
    for (; from < to; from++)
        lines += *from == '\n';
    return lines;
}

/* Skips blanks, line ends, semicolons and comments between statements. Sets *line_begins at a line end;
 * *semicolon is then true if a semicolon follows on the last line that it reaches. */
static const char *skip_gap(const char *at, bool *line_begins, bool *semicolon)
{
    while (*at != '\0') {
        if (*at == '\n') {
            *line_begins = true;
            *semicolon = false;
        }
        *semicolon |= *at == ';';
        if (isspace((unsigned char)*at) || *at == ';')
            at++;
        else if (*at == '#' || (*at == '/' && at[1] == '*'))
            at = code_skip(at);
        else
            break;
    }
    return at;
}

/* Gets the next statement; false at the end of the text. `end` follows the last character that is neither
 * blank nor comment, and so ends the statement. */
bool code_next(code_cursor *cursor, code_statement *out)
{
    bool line_begins = !cursor->begun, semicolon = false;
    const char *start = skip_gap(cursor->at, &line_begins, &semicolon), *end = start, *at = start;
    *out = (code_statement){.text = start,
                            .line = cursor->line + code_lines(cursor->at, start),
                            .after_semicolon = line_begins && semicolon};
    while (*at != '\0' && *at != '\n' && *at != ';') {
        const char *after = code_skip(at);
        const bool comment = after > at && (*at == '#' || *at == '/');
        at = after > at ? after : at + 1;
        if (!comment && !isspace((unsigned char)at[-1]))
            end = at;
    }
    out->length = (size_t)(end - start);
    *cursor = (code_cursor){at, out->line + code_lines(start, at), true};
    return end > start;
}
