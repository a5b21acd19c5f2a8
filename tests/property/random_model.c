#include "random_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "programs.h"

/* Addresses that random guests use (random_core.c, test_memo.c, fuzz/image.c), for the keys that hold addresses. */
static const uint32_t places[] = {0,        0x10000,  0x1e000,  0x20000,  0x80000,
                                  0x100000, 0x105000, 0x200000, 0x205000, 0x300000};
enum { PLACES = sizeof places / sizeof *places };

/* Returns a number of the key: an end of its range, or one between them. Small ones are as likely as large ones. */
static uint32_t number_of(const model_field *field, random_source *r)
{
    const uint32_t min = (uint32_t)field->min, max = (uint32_t)field->max;
    if (field->power_of_two) {
        uint32_t powers[34], count = 0;
        for (uint64_t n = 1; n <= max; n *= 2)
            if (n >= min)
                powers[count++] = (uint32_t)n;
        if (min == 0)
            powers[count++] = 0;
        return powers[random_below(r, count)];
    }
    switch (random_below(r, 4)) {
    case 0:
        return min;
    case 1:
        return max;
    default:
        return min + (uint32_t)(random_next(r) % ((((uint64_t)max - min) >> random_below(r, 32)) + 1));
    }
}

/* Writes a value of the key to `text`. */
static void value_of(const model_field *field, random_source *r, char *text, size_t size)
{
    static const char *const ratios[] = {"3/2", "2/1", "5/2", "3/1", "7/2"};
    unsigned count = 1;
    switch (field->kind) {
    case MODEL_FLAG:
        snprintf(text, size, "%s", random_below(r, 2) ? "on" : "off");
        break;
    case MODEL_REAL:
        snprintf(text, size, "%g", field->min + (field->max - field->min) * random_below(r, 1000) / 999);
        break;
    case MODEL_RATIO:
        snprintf(text, size, "%s", ratios[random_below(r, 5)]);
        break;
    case MODEL_CHOICE: {
        for (const char *c = field->choices; *c != '\0'; c++)
            count += *c == ' ';
        const char *word = field->choices;
        for (unsigned skip = random_below(r, count); skip > 0; skip--)
            word += strcspn(word, " ") + 1;
        snprintf(text, size, "%.*s", (int)strcspn(word, " "), word);
        break;
    }
    case MODEL_RANGES: {
        size_t used = 0;
        text[0] = '\0';
        for (unsigned i = random_below(r, 3); i > 0; i--) {
            const uint32_t first = places[random_below(r, PLACES)] + 32 * random_below(r, 256);
            used += (size_t)snprintf(text + used, size - used, "%s0x%x-0x%x", used ? ", " : "", first,
                                     first + 31 + 32 * random_below(r, 512));
        }
        break;
    }
    default:
        snprintf(text, size, "%u", number_of(field, r));
    }
}

/* Returns whether the key holds an address. */
static bool is_address(const model_field *field)
{
    return strcmp(field->key, "base") == 0 || strcmp(field->key, "address") == 0;
}

/* Makes rows of about a part of the keys. */
static size_t make_rows(random_source *r, model_row *rows)
{
    const unsigned percent = 10 + random_below(r, 80);
    size_t count = 0;
    for (unsigned i = 0; i < model_field_count; i++) {
        const model_field *field = &model_fields[i];
        if (field->kind == MODEL_STRING || field->kind == MODEL_HEX || strcmp(field->key, "family") == 0 ||
            random_below(r, 100) >= percent)
            continue;
        model_row *row = &rows[count++];
        snprintf(row->key, sizeof row->key, "%s.%s", field->section, field->key);
        if (is_address(field))
            snprintf(row->value, sizeof row->value, "%u", places[random_below(r, PLACES)]);
        else
            value_of(field, r, row->value, sizeof row->value);
    }
    return count;
}

p5_model *random_model(uint64_t seed)
{
    random_source r = {seed * 1000003 + 17};
    const char *const base = random_below(&r, 2) ? "p55c-200" : "p54c-133";
    model_row *rows = malloc(model_field_count * sizeof *rows);
    p5_model *model = NULL;
    p5_error error;
    if (rows == NULL)
        abort();
    while (model == NULL) /* keys may contradict each other */
        model_from_rows(base, rows, make_rows(&r, rows), &model, &error);
    free(rows);
    return model;
}

void random_model_print(FILE *out, const p5_model *model)
{
    for (unsigned i = 0; i < model_field_count; i++) {
        char text[MODEL_VALUE];
        const model_field *field = &model_fields[i];
        model_value_text(model, field, text, sizeof text);
        if (i == 0 || strcmp(field->section, model_fields[i - 1].section) != 0)
            fprintf(out, "[%s]\n", field->section);
        fprintf(out, "%s = %s\n", field->key, text);
    }
}

timing random_timing(unsigned family, uint64_t seed)
{
    for (seed <<= 8;; seed++) {
        p5_model *model = random_model(seed);
        const timing of_model = model->timing;
        const bool found = model->family == family;
        p5_model_close(model);
        if (found)
            return of_model;
    }
}
