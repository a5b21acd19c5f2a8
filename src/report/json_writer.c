#include "report/json_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

void json_init(json_writer *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

/* Returns whether the innermost open container is an object. Without asserts, it is unused. */
__attribute__((unused)) static bool in_object(const json_writer *json)
{
    return (json->is_object >> json->depth & 1) != 0;
}

/* Writes what precedes a value or container: a comma between array items. In an object, json_key has written the
 * comma. */
static void before_value(json_writer *json)
{
    uint32_t bit = UINT32_C(1) << json->depth;
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    assert(!in_object(json));
    if (json->depth > 0 && (json->has_items & bit) != 0)
        fputc(',', json->out);
    json->has_items |= bit;
}

static void open_container(json_writer *json, bool object)
{
    assert(json->depth < JSON_DEEPEST);
    before_value(json);
    json->depth++;
    uint32_t bit = UINT32_C(1) << json->depth;
    json->has_items &= ~bit;
    json->is_object = object ? json->is_object | bit : json->is_object & ~bit;
    fputc(object ? '{' : '[', json->out);
}

static void close_container(json_writer *json, bool object)
{
    assert(json->depth > 0 && in_object(json) == object && !json->after_key);
    fputc(object ? '}' : ']', json->out);
    json->depth--;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_open_object(json_writer *json)
{
    open_container(json, true);
}

void json_close_object(json_writer *json)
{
    close_container(json, true);
}

void json_open_array(json_writer *json)
{
    open_container(json, false);
}

void json_close_array(json_writer *json)
{
    close_container(json, false);
}

/* Returns how many bytes from `text` on are ASCII characters that need no escape. */
static size_t plain_length(const unsigned char *text)
{
    size_t length = 0;
    while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' && text[length] != '\\')
        length++;
    return length;
}

/* Writes a string in quotes, with escapes. A byte that is not part of a character in UTF-8 becomes U+FFFD. */
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text;;) {
        size_t plain = plain_length(at);
        fwrite(at, 1, plain, out);
        at += plain;
        if (*at == '\0')
            break;
        unsigned length = utf8_length((const char *)at);
        if (length == 0) {
            fputs("\\ufffd", out);
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at == '\n') {
            fputs("\\n", out);
        } else if (*at == '\t') {
            fputs("\\t", out);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\u%04x", *at);
        } else if (*at == 0xc2 && at[1] < 0xa0) { /* U+0080 to U+009F, control characters of terminals */
            fprintf(out, "\\u%04x", at[1]);
        } else {
            fwrite(at, 1, length, out);
        }
        at += length;
    }
    fputc('"', out);
}

void json_key(json_writer *json, const char *key)
{
    assert(in_object(json) && !json->after_key);
    uint32_t bit = UINT32_C(1) << json->depth;
    if ((json->has_items & bit) != 0)
        fputc(',', json->out);
    json->has_items |= bit;
    write_quoted(json->out, key);
    fputc(':', json->out);
    json->after_key = true;
}

void json_string(json_writer *json, const char *text)
{
    before_value(json);
    write_quoted(json->out, text);
}

void json_unsigned(json_writer *json, uint64_t value)
{
    char digits[TEXT_UNSIGNED_BYTES];
    const char *end = text_put_unsigned(digits, value);
    before_value(json);
    fwrite(digits, 1, (size_t)(end - digits), json->out);
}

/* Writes `value` with 15, 16 or 17 digits, the fewest that read back as the same double. 17 are always enough. */
static void put_double(double value, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
}

void json_double(json_writer *json, double value)
{
    if (!signbit(value) && value < 1e15 && floor(value) == value) {
        json_unsigned(json, (uint64_t)value); /* gives the same text without a search */
        return;
    }
    before_value(json);
    if (!isfinite(value)) {
        fputs("null", json->out);
        return;
    }
    /* Reuses the text of the last number, because reports often repeat one: all lines of an interval of stat -I have the
     * same time. */
    if (json->last_text[0] == '\0' || memcmp(&value, &json->last, sizeof value) != 0)
        put_double(value, json->last_text, sizeof json->last_text);
    json->last = value;
    fputs(json->last_text, json->out);
}

void json_null(json_writer *json)
{
    before_value(json);
    fputs("null", json->out);
}

void json_key_string(json_writer *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

void json_key_unsigned(json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_unsigned(json, value);
}

void json_key_double(json_writer *json, const char *key, double value)
{
    json_key(json, key);
    json_double(json, value);
}

void json_key_bool(json_writer *json, const char *key, bool value)
{
    json_key(json, key);
    before_value(json);
    fputs(value ? "true" : "false", json->out);
}

void json_key_object(json_writer *json, const char *key)
{
    json_key(json, key);
    json_open_object(json);
}

void json_key_array(json_writer *json, const char *key)
{
    json_key(json, key);
    json_open_array(json);
}
