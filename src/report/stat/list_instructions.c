/* Writes `p5scope list instructions`: the rows of isa/instructions.tsv for people and for programs. The
 * table of src/isa is generated from the same file. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/error.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "base/tsv.h"
#include "isa/instruction_columns.h"
#include "isa/isa.h"
#include "report/stat/list_internal.h"
#include "report/stat/words.h"

extern const embedded_file instruction_files[]; /* instructions.tsv */

/* A row of the table: one form of an instruction. isa/instructions.tsv describes the columns. "-" is an empty field. */
typedef struct instruction_row {
    char *field[COLUMNS]; /* by column: OPCODES, MNEMONIC, ... */
} instruction_row;

static bool has_value(const char *field)
{
    return strcmp(field, "-") != 0;
}

/* Returns the pipes for a word of the column `pair`. */
static const char *pair_text(const char *pair)
{
    static const struct {
        const char *word, *text;
    } words[] = {{"np", "alone"}, {"u", "U"}, {"v", "V"}, {"uv", "U or V"}, {"fx", "U, FXCH in V"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, pair) == 0)
            return words[i].text;
    return pair; /* n/m: differs between P54C and P55C */
}

/* Writes what comes before the next item of a list: nothing before the first one, for which *between is "", then
 * commas. Returns `out`. */
static FILE *next_item(FILE *out, const char **between)
{
    fputs(*between, out);
    *between = ", ";
    return out;
}

/* Writes the events that every execution counts in addition to instructions_executed. The column `data` has the data
 * references, such as 2r, 1w or 1r1w; `var` and `enter` if operands decide. */
static void write_counts(FILE *out, const instruction_row *row)
{
    static const char *const flops[] = {"add", "mul", "div", "sqrt", "remainder", "transcendental"};
    char *const *f = row->field;
    const char *reads = strchr(f[DATA], 'r'), *writes = strchr(f[DATA], 'w');
    bool known = has_value(f[DATA]) && strcmp(f[DATA], "var") != 0 && strcmp(f[DATA], "enter") != 0;
    const char *between = "";
    if (known && reads != NULL)
        fprintf(next_item(out, &between), "data_read %d", atoi(f[DATA]));
    if (known && writes != NULL)
        fprintf(next_item(out, &between), "data_write %d", atoi(reads != NULL ? reads + 1 : f[DATA]));
    if (has_value(f[DATA]) && !known)
        fputs("data references by operands", next_item(out, &between));
    if (has_value(f[BRANCH]))
        fputs("branches", next_item(out, &between));
    if (strcmp(f[BRANCH], "ret") == 0)
        fputs("returns", next_item(out, &between));
    if (strncmp(f[UNIT], "mmx", 3) == 0)
        fputs("mmx_instructions_executed_u_pipe or _v_pipe", next_item(out, &between));
    for (size_t i = 0; i < sizeof flops / sizeof flops[0]; i++)
        if (strcmp(f[FP], flops[i]) == 0)
            fputs("flops", next_item(out, &between));
    if (strstr(f[FLAGS], "segment_load") != NULL)
        fputs("any_segment_register_loaded", next_item(out, &between));
}

/* Writes one operand of a form in words, and returns the rest of the operands. */
static const char *write_operand(FILE *out, const char *operands)
{
    static const struct {
        const char *code, *words;
    } all[] = {{"r", "register"},
               {"rm", "register"},
               {"m", "memory"},
               {"i", "immediate"},
               {"mm", "MMX register"},
               {"st", "top of the x87 stack"},
               {"st(i)", "x87 register"},
               {"acc", "AL, AX or EAX"},
               {"sreg", "segment register"},
               {"cr", "control register"},
               {"dr", "debug register"},
               {"rel", "displacement"},
               {"moffs", "memory at an immediate address"},
               {"far", "immediate far pointer"},
               {"far m", "far pointer in memory"}};
    /* Codes that a width in bits follows, as in r32. */
    static const char *const sized[][2] = {
        {"r", "register"}, {"m", "memory"}, {"i", "immediate"}, {"rel", "displacement"}};
    size_t length = strcspn(operands, ",");
    const char *rest = operands + length + (operands[length] == ',');
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strlen(all[i].code) == length && strncmp(all[i].code, operands, length) == 0) {
            fputs(all[i].words, out);
            return rest;
        }
    for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
        size_t letters = strlen(sized[i][0]);
        if (strncmp(sized[i][0], operands, letters) == 0 && atoi(operands + letters) > 0) {
            fprintf(out, "%d-bit %s", atoi(operands + letters), sized[i][1]);
            return rest;
        }
    }
    for (size_t i = 0; i < length; i++) /* a register's own name */
        fputc(operands[i] >= 'a' && operands[i] <= 'z' ? operands[i] - 'a' + 'A' : operands[i], out);
    return rest;
}

/* Writes the operands of a form in words, with commas between them. */
static void write_operands(FILE *out, const instruction_row *row)
{
    const char *at = has_value(row->field[OPERANDS]) ? row->field[OPERANDS] : "";
    while (*at != '\0') {
        at = write_operand(out, at);
        if (*at != '\0')
            fputs(", ", out);
    }
}

/* Returns true if a later instruction can use a result in a register. The column `writes` names general and MMX
 * registers; x87 results follow from the kind of operation in the column `fp`. */
static bool has_result(const instruction_row *row)
{
    /* Kinds of x87 operations without a result on the stack, and "-" for instructions that are not x87 ones. */
    static const char *const without[] = {"-", "store", "status", "control", "wait", "compare"};
    char *const *f = row->field;
    if (has_value(f[WRITES]))
        return true;
    if (strncmp(f[UNIT], "mmx", 3) == 0)
        return strstr(f[UNIT], "store") == NULL;
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (strcmp(without[i], f[FP]) == 0) /* but FST st(i) stores to the stack */
            return strcmp(f[FP], "store") == 0 && f[OPERANDS][0] == 's';
    return true;
}

/* Writes the clocks until a dependent instruction: the column `clocks` unless `latency` has its own value. */
static void write_latency(FILE *out, const instruction_row *row)
{
    char *const *f = row->field;
    fputs(has_value(f[LATENCY]) ? f[LATENCY] : has_result(row) && has_value(f[CLOCKS]) ? f[CLOCKS] : "", out);
}

/* Writes the clocks until an independent instruction of the same form: those in EX, of which an x87 operation
 * shares the last ones with later x87 instructions. */
static void write_throughput(FILE *out, const instruction_row *row)
{
    char *const *f = row->field;
    int shared = has_value(f[FP]) ? atoi(f[FP_OVERLAP]) : 0;
    /* Multiplications start at least this many clocks after each other; x87 instructions at least 1. */
    int least = strcmp(f[FP], "mul") == 0 ? ISA_X87_MULTIPLY_REPEAT : 1;
    const char *at = f[CLOCKS]; /* n, or n/m for P54C/P55C */
    while (has_value(f[CLOCKS]) && at != NULL) {
        int clocks = atoi(at) - shared;
        fprintf(out, "%s%d", at != f[CLOCKS] ? "/" : "", clocks > least ? clocks : least);
        at = strchr(at, '/');
        at = at != NULL ? at + 1 : NULL;
    }
}

/* Returns what `write` writes of the row; NULL: out of memory. The caller frees it. */
static char *text_by(void (*write)(FILE *out, const instruction_row *row), const instruction_row *row)
{
    memory_text text;
    if (memory_text_open(&text))
        write(text.out, row);
    return memory_text_end(&text);
}

/* The texts that are made of several columns. */
typedef struct row_texts {
    char *operands, *latency, *throughput, *counts;
} row_texts;

/* Returns false if memory is out. The caller calls free_texts in any case. */
static bool make_texts(row_texts *t, const instruction_row *row)
{
    *t = (row_texts){text_by(write_operands, row), text_by(write_latency, row),
                     text_by(write_throughput, row), text_by(write_counts, row)};
    return t->operands != NULL && t->latency != NULL && t->throughput != NULL && t->counts != NULL;
}

static void free_texts(row_texts *t)
{
    free(t->operands);
    free(t->latency);
    free(t->throughput);
    free(t->counts);
}

/* Writes a line for people. A + after the clocks says that a rule changes them. */
static void write_text(FILE *out, const instruction_row *row, const row_texts *t, bool verbose)
{
    char *const *f = row->field;
    char name[64], source[64];
    snprintf(name, sizeof name, "%s %s", f[MNEMONIC], has_value(f[OPERANDS]) ? f[OPERANDS] : "");
    snprintf(source, sizeof source, "%s%s%s", has_value(f[SOURCE]) ? f[SOURCE] : "-",
             strcmp(f[MODELS], "p5") != 0 ? "  " : "", strcmp(f[MODELS], "p5") != 0 ? f[MODELS] : "");
    fprintf(out, "  %-20s %5s%s %5s %5s  %-12s %-15s %-9s %-10s %s\n", name,
            has_value(f[CLOCKS]) ? f[CLOCKS] : "",
            strcmp(f[COST], "fixed") != 0 && has_value(f[COST]) ? "+" : " ", t->latency, t->throughput,
            pair_text(f[PAIR]), f[UNIT], f[CONFIDENCE], source, t->operands);
    if (!verbose)
        return;
    fprintf(out, "         opcodes  %s\n", f[OPCODES]);
    if (has_value(f[COST]) && strcmp(f[COST], "fixed") != 0)
        fprintf(out, "         clocks   by the rule %s\n", f[COST]);
    if (t->counts[0] != '\0')
        fprintf(out, "         counts   %s\n", t->counts);
    if (has_value(f[NOTES]))
        fprintf(out, "         notes    %s\n", f[NOTES]);
}

/* Explains the columns and the letters in them, with the words of `p5scope explain`. Writes nothing if memory is out. */
static void write_legend(FILE *out)
{
    static const char *const columns[] = {"latency", "throughput", "pipes", "unit", "confidence", "source"};
    words_table words;
    if (words_open(&words)) {
        fputc('\n', out);
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
            const words_topic *topic = words_find(&words, "column", columns[i]);
            if (topic != NULL)
                words_write_paragraph(out, columns[i], topic->what);
        }
    }
    words_close(&words);
}

static void write_row(row_writer *rows, const instruction_row *row, const row_texts *t)
{
    /* Columns that are written as they are. */
    static const unsigned shown[] = {PAIR, UNIT, COST, CONFIDENCE, SOURCE, NOTES};
    char *const *f = row->field;
    rows_begin(rows);
    rows_text(rows, "kind", "instruction");
    rows_text(rows, "name", f[MNEMONIC]);
    rows_text(rows, "operands", has_value(f[OPERANDS]) ? f[OPERANDS] : "");
    rows_text(rows, "operands_in_words", t->operands);
    rows_text(rows, "opcodes", f[OPCODES]);
    rows_text(rows, "models", f[MODELS]);
    rows_text(rows, "clocks", has_value(f[CLOCKS]) ? f[CLOCKS] : "");
    rows_text(rows, "latency", t->latency);
    rows_text(rows, "throughput", t->throughput);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        rows_text(rows, column_names[shown[i]], has_value(f[shown[i]]) ? f[shown[i]] : "");
    rows_text(rows, "counts", t->counts);
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
    p5_status status = P5_OK;
    bool listed = false;
    if (copy == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    while (tsv_row(&table, row.field)) {
        row_texts texts;
        if (row.field[MNEMONIC][0] == '#' /* #UD: an opcode without instruction */ ||
            !matches(l->options->pattern, &row))
            continue;
        list_begin_row(l);
        if (!make_texts(&texts, &row))
            status = error_set(error, P5_ERR_MEMORY, "out of memory");
        else if (l->rows != NULL)
            write_row(l->rows, &row, &texts);
        else
            write_text(l->out, &row, &texts, l->options->verbose);
        free_texts(&texts);
        listed = true;
    }
    if (listed && l->rows == NULL)
        write_legend(l->out);
    free(copy);
    return status;
}
