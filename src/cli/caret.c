/* Messages on stderr with the user's text and a caret under the offending spot. */
#define _GNU_SOURCE /* vasprintf */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "p5tool/report.h"

bool cli_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    return (no_color == NULL || no_color[0] == '\0') && isatty(fileno(out)) != 0;
}

unsigned cli_columns(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Returns how wide the first `length` bytes of `text` are on the screen when p5_write_printable_part has written them.
 * Every character of UTF-8 counts as one cell. */
static int width_of(const char *text, size_t length)
{
    char *part = strndup(text, length), *shown = part != NULL ? p5_printable(part) : NULL;
    int count = 0;
    for (const char *at = shown; at != NULL && *at != '\0'; at++)
        count += ((unsigned char)*at & 0xc0) != 0x80;
    free(part);
    free(shown);
    return count;
}

/* Returns how wide the item at `at` is, at least 1. An item extends to the next blank or separator of an option's value. */
static int item_width(const char *at)
{
    size_t length = strcspn(at, " \t,:{}=;<>!&\n");
    return length == 0 ? 1 : width_of(at, length);
}

/* Writes a part of a message printably, because names and paths in it may have any bytes, and `end` as it is. */
static void show_text(const char *text, const char *end)
{
    p5_write_printable(stderr, text);
    fputs(end, stderr);
}

/* Writes `length` bytes of `text` printably, or blanks of the same width. Tabs are kept, so that a caret below stays
 * aligned. */
static void show_part(const char *text, size_t length, bool blanks)
{
    while (length > 0) {
        size_t n = strcspn(text, "\t");
        n = n < length ? n : length;
        if (blanks)
            fprintf(stderr, "%*s", width_of(text, n), "");
        else
            p5_write_printable_part(stderr, text, n);
        if (n < length) {
            fputc('\t', stderr);
            n++;
        }
        text += n;
        length -= n;
    }
}

/* Shows `option` and line number `line` of `text`, which counts from 1 (0: also the first), with a caret under byte
 * `column` of the line, which counts from 1 (0: no caret). */
static void show_spot(const char *option, const char *text, unsigned line, unsigned column)
{
    const char *gap = option[0] == '\0' ? "" : " ";
    for (; line > 1 && strchr(text, '\n') != NULL; line--)
        text = strchr(text, '\n') + 1;
    const size_t length = strcspn(text, "\n");
    fprintf(stderr, "  %s%s", option, gap);
    show_part(text, length, false);
    fputc('\n', stderr);
    if (column == 0 || column - 1 > length)
        return;
    fprintf(stderr, "  %*s", width_of(option, strlen(option)) + (int)strlen(gap), "");
    show_part(text, column - 1, true);
    if (cli_colour(stderr))
        fputs("\033[1;32m", stderr);
    fputc('^', stderr);
    for (int i = item_width(text + column - 1); i > 1; i--)
        fputc('~', stderr);
    fputs(cli_colour(stderr) ? "\033[0m\n" : "\n", stderr);
}

/* Shows FILE:LINE:COLUMN: MESSAGE, as far as the error has them. */
static void show_message(const p5_error *error)
{
    fputs("p5scope: ", stderr);
    if (error->where[0] != '\0') {
        show_text(error->where, "");
        if (error->line != 0)
            fprintf(stderr, ":%u", error->line);
        if (error->line != 0 && error->column != 0)
            fprintf(stderr, ":%u", error->column);
        fputs(": ", stderr);
    }
    show_text(error->message[0] != '\0' ? error->message : p5_status_text(error->status), "\n");
}

static void show_hint(const p5_error *error)
{
    if (error->hint[0] != '\0') {
        fputs("  ", stderr);
        show_text(error->hint, "\n");
    }
}

/* Shows an error in a text file, with its line and a caret below. If the line cannot be read, shows only message and
 * hint. Returns CLI_USAGE. */
int cli_show_file_error(const p5_error *error)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = error->line != 0 && error->column != 0 ? fopen(error->where, "re") : NULL;
    bool found = file != NULL;
    for (unsigned i = 0; i < error->line && found; i++)
        found = getline(&line, &size, file) >= 0;
    if (found) {
        show_message(error);
        show_spot("", line, 1, error->column);
        show_hint(error);
    } else {
        cli_show_error(error, NULL, NULL, NULL);
    }
    if (file != NULL)
        fclose(file);
    free(line);
    return CLI_USAGE;
}

int cli_show_error(const p5_error *error, const char *option, const char *text, const char *advice)
{
    show_message(error);
    if (option != NULL && text != NULL)
        show_spot(option, text, error->line, error->column);
    show_hint(error);
    if (advice != NULL)
        fprintf(stderr, "  %s\n", advice);
    return CLI_USAGE;
}

int cli_complain(const char *option, const char *text, unsigned column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("p5scope: ", stderr);
    char *message = NULL;
    if (vasprintf(&message, format, arguments) >= 0)
        show_text(message, "\n");
    free(message);
    va_end(arguments);
    if (option != NULL && text != NULL)
        show_spot(option, text, 1, column);
    return CLI_USAGE;
}
