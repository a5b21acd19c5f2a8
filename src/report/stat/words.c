#include "report/stat/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/embed.h"
#include "base/text.h"
#include "base/tsv.h"

extern const embedded_file words_files[]; /* words.tsv */

enum { KIND, NAMES, WHAT, WHEN, AVOID, SOURCE, OPTIONS, EXAMPLE, COLUMNS }; /* the members of words_topic */

/* Returns a field's text: "" if the file has "-". */
static const char *text_of(const char *field)
{
    return strcmp(field, "-") == 0 ? "" : field;
}

bool words_open(words_table *table)
{
    static const char *const names[COLUMNS] = {"kind",  "names",  "what",    "when",
                                               "avoid", "source", "options", "example"};
    *table = (words_table){.text = strdup(words_files[0].text)};
    if (table->text == NULL)
        return false;
    tsv rows = {.names = names, .columns = COLUMNS, .rest = table->text};
    char *field[COLUMNS];
    while (tsv_row(&rows, field)) {
        const words_topic topic = {
            field[KIND],           field[NAMES],           text_of(field[WHAT]),    text_of(field[WHEN]),
            text_of(field[AVOID]), text_of(field[SOURCE]), text_of(field[OPTIONS]), text_of(field[EXAMPLE])};
        if (!ARRAY_ADD(table, topic))
            return false;
    }
    return true;
}

void words_close(words_table *table)
{
    free(table->items);
    free(table->text);
}

bool words_name(const words_topic *topic, size_t index, char *name, size_t size)
{
    const char *at = topic->names;
    for (; index > 0 && at != NULL; index--) {
        at = strchr(at, ';');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL)
        return false;
    snprintf(name, size, "%.*s", (int)strcspn(at, ";"), at);
    return true;
}

const words_topic *words_find(const words_table *table, const char *kind, const char *name)
{
    char one[128];
    for (size_t i = 0; i < table->count; i++)
        for (size_t n = 0; words_name(&table->items[i], n, one, sizeof one); n++)
            if (text_same_name(one, name) && (kind == NULL || strcmp(kind, table->items[i].kind) == 0))
                return &table->items[i];
    return NULL;
}

void words_write_paragraph(FILE *out, const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(out, "  %-*s", WORDS_LABEL - 2, label);
    size_t column = WORDS_LABEL;
    for (const char *next; *text != '\0'; text = next) {
        size_t length = strcspn(text, " \n");
        next = text + length + strspn(text + length, " \n");
        if (column > WORDS_LABEL && column + 1 + length > WORDS_WIDTH) {
            fprintf(out, "\n%*s", WORDS_LABEL, "");
            column = WORDS_LABEL;
        }
        column += (size_t)fprintf(out, "%s%.*s", column > WORDS_LABEL ? " " : "", (int)length, text);
    }
    fputc('\n', out);
}
