#include "report/row_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_text.h"
#include "base/utf8.h"
#include "p5scope/version.h"

void rows_open_bare(row_writer *rows, FILE *out, p5_row_format format)
{
    const char separator = (char)(format >> 8); /* of P5_ROWS_SEPARATED; 0: the comma */
    *rows = (row_writer){.out = out,
                         .csv = (format & 0xff) == P5_ROWS_CSV,
                         .named = format == P5_ROWS_CONTINUED(format) && (format & 0xff) == P5_ROWS_CSV,
                         .separator = separator != 0 ? separator : ','};
}

void rows_open(row_writer *rows, FILE *out, p5_row_format format, const char *kind, ...)
{
    rows_open_bare(rows, out, format);
    if (rows->csv)
        return;
    json_init(&rows->json, out);
    json_open_object(&rows->json);
    json_key_string(&rows->json, "p5scope", p5_version());
    json_key_string(&rows->json, "kind", kind);
    va_list more;
    va_start(more, kind);
    for (const char *key; (key = va_arg(more, const char *)) != NULL;)
        json_key_string(&rows->json, key, va_arg(more, const char *));
    va_end(more);
    json_close_object(&rows->json);
}

void rows_begin(row_writer *rows)
{
    if (!rows->csv) {
        json_init(&rows->json, rows->out);
        json_open_object(&rows->json);
        return;
    }
    rows->started = false;
    memory_text_open(&rows->line);
    rows->names = (memory_text){0};
    if (!rows->named)
        memory_text_open(&rows->names);
}

/* Writes a cell to `to`, in quotes if necessary. A byte that is not UTF-8 becomes U+FFFD. Does nothing if `to` is
 * NULL: the names are already written, or memory was out. */
static void put_cell(FILE *to, bool first, char separator, const char *text)
{
    if (to == NULL)
        return;
    if (!first)
        fputc(separator, to);
    bool quoted = strpbrk(text, "\"\r\n") != NULL || strchr(text, separator) != NULL;
    if (quoted)
        fputc('"', to);
    for (unsigned length; *text != '\0'; text += length > 0 ? length : 1) {
        length = utf8_length(text);
        if (*text == '"')
            fputc('"', to);
        fwrite(length > 0 ? text : UTF8_REPLACEMENT, 1, length > 0 ? length : strlen(UTF8_REPLACEMENT), to);
    }
    if (quoted)
        fputc('"', to);
}

/* Adds a cell to the CSV row and, in the first row, its key to the names. */
static void put(row_writer *rows, const char *key, const char *value)
{
    put_cell(rows->names.out, !rows->started, rows->separator, key);
    put_cell(rows->line.out, !rows->started, rows->separator, value);
    rows->started = true;
}

void rows_text(row_writer *rows, const char *key, const char *value)
{
    if (rows->csv) {
        put(rows, key, value != NULL ? value : "");
        return;
    }
    json_key(&rows->json, key);
    if (value != NULL)
        json_string(&rows->json, value);
    else
        json_null(&rows->json);
}

void rows_unsigned(row_writer *rows, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    if (rows->csv)
        put(rows, key, text);
    else
        json_key_unsigned(&rows->json, key, value);
}

void rows_double(row_writer *rows, const char *key, double value)
{
    char text[40] = "";
    if (!rows->csv) {
        json_key_double(&rows->json, key, value);
        return;
    }
    if (isfinite(value))
        snprintf(text, sizeof text, "%.15g", value);
    put(rows, key, text);
}

void rows_bool(row_writer *rows, const char *key, bool value)
{
    if (rows->csv)
        put(rows, key, value ? "true" : "false");
    else
        json_key_bool(&rows->json, key, value);
}

void rows_names(row_writer *rows, const char *key, const char *const *names, size_t count)
{
    if (!rows->csv) {
        json_key_array(&rows->json, key);
        for (size_t i = 0; i < count; i++)
            json_string(&rows->json, names[i]);
        json_close_array(&rows->json);
        return;
    }
    memory_text cell;
    memory_text_open(&cell);
    for (size_t i = 0; cell.out != NULL && i < count; i++)
        fprintf(cell.out, "%s%s", i > 0 ? " " : "", names[i]);
    if (memory_text_end(&cell) != NULL)
        put(rows, key, cell.text);
    free(cell.text);
}

/* Writes the collected cells as a line, if there are any and memory was not out. */
static void end_line(FILE *out, memory_text *cells)
{
    if (memory_text_end(cells) != NULL)
        fprintf(out, "%s\n", cells->text);
    free(cells->text);
}

void rows_end(row_writer *rows)
{
    if (!rows->csv) {
        json_close_object(&rows->json);
        return;
    }
    end_line(rows->out, &rows->names);
    end_line(rows->out, &rows->line);
    rows->named = true;
}
