/* Messages with the user's text and a caret under the offending spot. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

bool cli_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    return (no_color == NULL || no_color[0] == '\0') && isatty(fileno(out)) != 0;
}

/* Columns that UTF-8 `text` takes up to byte `length`: continuation bytes take none. */
static int columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length && text[i] != '\0'; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* The spot from `at` on: up to the next blank or punctuation that separates items of an option's value. */
static int spot_length(const char *at)
{
    size_t length = strcspn(at, " ,:{}=");
    return length == 0 ? 1 : columns(at, length);
}

static void show_spot(const char *option, const char *text, unsigned column)
{
    const char *gap = option[0] == '\0' ? "" : " ";
    fprintf(stderr, "  %s%s%s\n", option, gap, text);
    if (column == 0 || column - 1 > strlen(text))
        return;
    const char *spot = text + column - 1;
    fprintf(stderr, "  %*s", columns(option, strlen(option)) + (int)strlen(gap) + columns(text, column - 1),
            "");
    if (cli_colour(stderr))
        fputs("\033[1;32m", stderr);
    fputc('^', stderr);
    for (int i = 1; i < spot_length(spot); i++)
        fputc('~', stderr);
    fputs(cli_colour(stderr) ? "\033[0m\n" : "\n", stderr);
}

int cli_show_error(const p5_error *error, const char *option, const char *text, const char *advice)
{
    fputs("p5scope: ", stderr);
    if (error->where[0] != '\0') {
        fputs(error->where, stderr);
        if (error->line != 0)
            fprintf(stderr, ":%u", error->line);
        if (error->line != 0 && error->column != 0)
            fprintf(stderr, ":%u", error->column);
        fputs(": ", stderr);
    }
    fprintf(stderr, "%s\n", error->message[0] != '\0' ? error->message : p5_status_text(error->status));
    if (option != NULL && text != NULL)
        show_spot(option, text, error->column);
    if (error->hint[0] != '\0')
        fprintf(stderr, "  %s\n", error->hint);
    if (advice != NULL)
        fprintf(stderr, "  %s\n", advice);
    return CLI_USAGE;
}

int cli_complain(const char *option, const char *text, unsigned column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("p5scope: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (option != NULL && text != NULL)
        show_spot(option, text, column);
    return CLI_USAGE;
}
