#include "report/row_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    rows->line = open_memstream(&rows->line_text, &rows->line_size);
    rows->names = rows->named ? NULL : open_memstream(&rows->name_text, &rows->name_size);
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
    put_cell(rows->names, !rows->started, rows->separator, key);
    put_cell(rows->line, !rows->started, rows->separator, value);
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
        json_key(&rows->json, key);
        json_open_array(&rows->json);
        for (size_t i = 0; i < count; i++)
            json_string(&rows->json, names[i]);
        json_close_array(&rows->json);
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *cell = open_memstream(&text, &size);
    for (size_t i = 0; cell != NULL && i < count; i++)
        fprintf(cell, "%s%s", i > 0 ? " " : "", names[i]);
    if (cell != NULL && fclose(cell) == 0)
        put(rows, key, text);
    free(text);
}

void rows_end(row_writer *rows)
{
    if (!rows->csv) {
        json_close_object(&rows->json);
        return;
    }
    if (rows->names != NULL && fclose(rows->names) == 0)
        fprintf(rows->out, "%s\n", rows->name_text);
    if (rows->line != NULL && fclose(rows->line) == 0)
        fprintf(rows->out, "%s\n", rows->line_text);
    free(rows->line_text);
    if (!rows->named)
        free(rows->name_text);
    rows->named = true;
}
