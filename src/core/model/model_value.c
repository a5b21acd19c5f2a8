/* Converts values of a model's keys from text and to text. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/model/model.h"

/* Returns the position of `word` among the blank-separated `choices`, or -1. */
static int choice_position(const char *choices, const char *word)
{
    int position = 0;
    for (const char *at = choices; *at != '\0'; position++) {
        size_t length = strcspn(at, " ");
        if (strlen(word) == length && strncmp(at, word, length) == 0)
            return position;
        at += length + (at[length] == ' ');
    }
    return -1;
}

/* Returns `text` without the blanks at its beginning and end, which is cut off. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (char *end = text + strlen(text); end > text && (end[-1] == ' ' || end[-1] == '\t');)
        *--end = '\0';
    return text;
}

/* Sets the uncacheable regions from FIRST-LAST, FIRST-LAST ... Returns false if `text` has another form, or too many
 * regions. */
static bool parse_regions(p5_model *model, const char *text)
{
    char copy[MODEL_LINE + 1];
    snprintf(copy, sizeof copy, "%s", text);
    model->uncacheable_count = 0;
    char *cursor = copy, *part;
    while ((part = text_field(&cursor, ',')) != NULL) {
        if (*trimmed(part) == '\0')
            continue;
        char *dash = strchr(part, '-');
        if (dash == NULL || model->uncacheable_count == MODEL_REGIONS)
            return false;
        *dash = '\0';
        uint64_t first, last;
        if (!text_to_u64(trimmed(part), &first) || !text_to_u64(trimmed(dash + 1), &last) || first > last ||
            last > UINT32_MAX)
            return false;
        model->uncacheable[model->uncacheable_count++] = (model_region){(uint32_t)first, (uint32_t)last};
    }
    return true;
}

/* Describes the permitted values, and returns false. */
static bool refuse(char expected[MODEL_EXPECTED], const char *what)
{
    snprintf(expected, MODEL_EXPECTED, "%s", what);
    return false;
}

bool model_value_set(p5_model *model, const model_field *field, const char *value,
                     char expected[MODEL_EXPECTED])
{
    void *at = (char *)model + field->offset;
    switch (field->kind) {
    case MODEL_NUMBER:
    case MODEL_HEX: {
        uint64_t number;
        bool fits =
            text_to_u64(value, &number) && (double)number >= field->min && (double)number <= field->max;
        if (!fits || (field->power_of_two && (number & (number - 1)) != 0)) {
            snprintf(expected, MODEL_EXPECTED, "%s from %.0f to %.0f",
                     field->power_of_two ? "a power of two" : "a number", field->min, field->max);
            return false;
        }
        *(uint32_t *)at = (uint32_t)number;
        return true;
    }
    case MODEL_FLAG:
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
            return refuse(expected, "on or off");
        *(bool *)at = strcmp(value, "on") == 0;
        return true;
    case MODEL_REAL: {
        double number;
        if (!text_to_double(value, &number) || !(number >= field->min && number <= field->max)) {
            snprintf(expected, MODEL_EXPECTED, "a number from %g to %g", field->min, field->max);
            return false;
        }
        *(double *)at = number;
        return true;
    }
    case MODEL_RATIO: {
        static const char *const ratios[] = {"3/2", "2/1", "5/2", "3/1", "7/2"};
        for (unsigned i = 0; i < sizeof ratios / sizeof *ratios; i++)
            if (strcmp(value, ratios[i]) == 0) {
                *(uint32_t *)at = 3 + i; /* in halves */
                return true;
            }
        return refuse(expected, "3/2, 2/1, 5/2, 3/1 or 7/2");
    }
    case MODEL_CHOICE: {
        int position = choice_position(field->choices, value);
        if (position < 0) {
            snprintf(expected, MODEL_EXPECTED, "one of: %s", field->choices);
            return false;
        }
        *(uint32_t *)at = (uint32_t)field->min + (uint32_t)position;
        return true;
    }
    case MODEL_RANGES:
        if (!parse_regions(model, value))
            return refuse(expected, "ranges FIRST-LAST of physical addresses, separated by commas");
        return true;
    case MODEL_STRING:
        if (strlen(value) >= MODEL_TEXT)
            return refuse(expected, "at most 79 characters");
        for (const char *c = value; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f) /* --dump-config shows the text in a terminal */
                return refuse(expected, "no control characters");
        strcpy(at, value);
        return true;
    }
    return true;
}

void model_value_text(const p5_model *model, const model_field *field, char *text, size_t size)
{
    const void *at = (const char *)model + field->offset;
    double number;
    switch (field->kind) {
    case MODEL_NUMBER:
        snprintf(text, size, "%u", *(const uint32_t *)at);
        break;
    case MODEL_HEX:
        snprintf(text, size, "0x%x", *(const uint32_t *)at);
        break;
    case MODEL_FLAG:
        snprintf(text, size, "%s", *(const bool *)at ? "on" : "off");
        break;
    case MODEL_REAL:
        snprintf(text, size, "%g", *(const double *)at);
        /* If these digits are too few for the same number, all are written. */
        if (!text_to_double(text, &number) || number != *(const double *)at)
            snprintf(text, size, "%.17g", *(const double *)at);
        break;
    case MODEL_RATIO: {
        uint32_t halves = *(const uint32_t *)at;
        snprintf(text, size, "%u/%u", halves % 2 != 0 ? halves : halves / 2, halves % 2 != 0 ? 2u : 1u);
        break;
    }
    case MODEL_CHOICE: {
        const char *word = field->choices;
        for (uint32_t skip = *(const uint32_t *)at - (uint32_t)field->min; skip > 0; skip--)
            word += strcspn(word, " ") + 1;
        snprintf(text, size, "%.*s", (int)strcspn(word, " "), word);
        break;
    }
    case MODEL_RANGES: {
        size_t used = 0;
        text[0] = '\0';
        for (unsigned i = 0; i < model->uncacheable_count && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s0x%x-0x%x", i > 0 ? ", " : "",
                                     model->uncacheable[i].first, model->uncacheable[i].last);
        break;
    }
    case MODEL_STRING:
        snprintf(text, size, "%s", (const char *)at);
        break;
    }
}
