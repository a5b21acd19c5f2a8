/* Writes `p5scope list instructions`: the rows of isa/instructions.tsv for people and for programs. The
 * model's table is generated from the same file. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/error.h"
#include "base/text.h"
#include "base/tsv.h"
#include "isa/instruction_columns.h"
#include "report/stat/list_internal.h"

extern const embedded_file instruction_files[]; /* instructions.tsv */

typedef struct instruction_row {
    char *field[COLUMNS];
} instruction_row;

static bool has_value(const char *field)
{
    return strcmp(field, "-") != 0;
}

static const char *pair_text(const char *pair)
{
    static const struct {
        const char *word, *text;
    } words[] = {{"np", "alone"}, {"u", "U"}, {"v", "V"}, {"uv", "U or V"}, {"fx", "U, FXCH in V"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, pair) == 0)
            return words[i].text;
    return pair; /* differs between processors */
}

/* Writes the events that every execution counts in addition to instructions_executed. */
static void write_counts(FILE *out, const instruction_row *row)
{
    static const char *const flops[] = {"add", "mul", "div", "sqrt", "remainder", "transcendental"};
    char *const *f = row->field;
    const char *reads = strchr(f[DATA], 'r'), *writes = strchr(f[DATA], 'w');
    bool counted = has_value(f[DATA]) && strcmp(f[DATA], "var") != 0 && strcmp(f[DATA], "enter") != 0;
    const char *between = "";
    if (counted && reads != NULL) {
        fprintf(out, "data_read %d", atoi(f[DATA]));
        between = ", ";
    }
    if (counted && writes != NULL) {
        fprintf(out, "%sdata_write %d", between, atoi(reads != NULL ? reads + 1 : f[DATA]));
        between = ", ";
    } else if (has_value(f[DATA]) && !counted) {
        fprintf(out, "%sdata references by operands", between);
        between = ", ";
    }
    if (has_value(f[BRANCH]))
        fprintf(out, "%sbranches", between), between = ", ";
    if (strcmp(f[BRANCH], "ret") == 0)
        fprintf(out, "%sreturns", between), between = ", ";
    if (strncmp(f[UNIT], "mmx", 3) == 0)
        fprintf(out, "%smmx_instructions_executed_u_pipe or _v_pipe", between), between = ", ";
    for (size_t i = 0; i < sizeof flops / sizeof flops[0]; i++)
        if (strcmp(f[FP], flops[i]) == 0)
            fprintf(out, "%sflops", between), between = ", ";
    if (strstr(f[FLAGS], "segment_load") != NULL)
        fprintf(out, "%sany_segment_register_loaded", between);
}

static char *counts_text(const instruction_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return NULL;
    write_counts(memory, row);
    return fclose(memory) == 0 ? text : NULL;
}

static void write_text(FILE *out, const instruction_row *row, const char *counts, bool verbose)
{
    char *const *f = row->field;
    bool clocks = strcmp(f[CLOCKS], "-") != 0;
    char name[64];
    snprintf(name, sizeof name, "%s %s", f[MNEMONIC], has_value(f[OPERANDS]) ? f[OPERANDS] : "");
    fprintf(out, "  %-22s %8s%s  %-13s %-15s %-9s %s%s%s\n", name, clocks ? f[CLOCKS] : "",
            strcmp(f[COST], "fixed") != 0 && has_value(f[COST]) ? "+" : " ", pair_text(f[PAIR]), f[UNIT],
            f[CONFIDENCE], has_value(f[SOURCE]) ? f[SOURCE] : "-", strcmp(f[MODELS], "p5") != 0 ? "  " : "",
            strcmp(f[MODELS], "p5") != 0 ? f[MODELS] : "");
    if (!verbose)
        return;
    fprintf(out, "         opcodes  %s\n", f[OPCODES]);
    if (has_value(f[LATENCY]))
        fprintf(out, "         latency  %s\n", f[LATENCY]);
    if (has_value(f[COST]) && strcmp(f[COST], "fixed") != 0)
        fprintf(out, "         clocks   by the rule %s\n", f[COST]);
    if (counts[0] != '\0')
        fprintf(out, "         counts   %s\n", counts);
    if (has_value(f[NOTES]))
        fprintf(out, "         notes    %s\n", f[NOTES]);
}

static void write_row(row_writer *rows, const instruction_row *row, const char *counts)
{
    static const unsigned shown[] = {OPCODES, MODELS, CLOCKS,     LATENCY, PAIR,
                                     UNIT,    COST,   CONFIDENCE, SOURCE,  NOTES};
    rows_begin(rows);
    rows_text(rows, "kind", "instruction");
    rows_text(rows, "name", row->field[MNEMONIC]);
    rows_text(rows, "operands", has_value(row->field[OPERANDS]) ? row->field[OPERANDS] : "");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        rows_text(rows, column_names[shown[i]], has_value(row->field[shown[i]]) ? row->field[shown[i]] : "");
    rows_text(rows, "counts", counts);
    rows_end(rows);
}

/* Matches a mnemonic, a form, or a unit. "add" matches ADD but not PADDB; with operands it matches that form
 * only. */
static bool matches(const char *pattern, const instruction_row *row)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", row->field[MNEMONIC], row->field[OPERANDS]);
    return pattern == NULL || text_glob(pattern, row->field[MNEMONIC]) || text_glob(pattern, name) ||
           text_glob(pattern, row->field[UNIT]);
}

p5_status list_instructions(list_writer *l, p5_error *error)
{
    char *copy = strdup(instruction_files[0].text);
    tsv table = {.names = column_names, .columns = COLUMNS, .rest = copy};
    instruction_row row;
    if (copy == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    while (tsv_row(&table, row.field)) {
        if (row.field[MNEMONIC][0] == '#' || !matches(l->options->pattern, &row))
            continue;
        char *counts = counts_text(&row);
        list_row(l);
        if (l->rows != NULL)
            write_row(l->rows, &row, counts != NULL ? counts : "");
        else
            write_text(l->out, &row, counts != NULL ? counts : "", l->options->verbose);
        free(counts);
    }
    free(copy);
    return P5_OK;
}
