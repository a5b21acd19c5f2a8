/* Build-time tool: checks instructions.tsv and writes it as constant C tables.
 *   instructions_gen IN.tsv OUT.c
 * Every opcode must be claimed by exactly one row (rows with mnemonic #UD claim opcodes that do not exist).
 * Any mistake is reported as file:line and fails the build. The table's header explains the columns. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/each.h"
#include "base/generator.h"
#include "base/text.h"
#include "base/tsv.h"
#include "isa/instruction_columns.h"
#include "isa/instructions_gen.h"

/* The words of each column. WORDS makes them from the names of isa.h's constants, without their prefix and in lower
 * case. */
#define WORD(prefix, name_)                                                                                  \
    {                                                                                                        \
        .name = #name_, .value = prefix##name_                                                               \
    }
#define WORDS(prefix, ...) EACH(WORD, prefix, __VA_ARGS__)
static const word model_words[] = {{"p5", ISA_P54C | ISA_P55C}, WORDS(ISA_, P54C, P55C, P6), {0}};
static const word pair_words[] = {WORDS(ISA_, NP, U, V, UV, FX), {0}};
static const word unit_words[] = {WORDS(ISA_, ALU, SHIFT, AGU, LOAD, STORE, LOAD_ALU, LOAD_ALU_STORE, BRANCH,
                                        MICROCODE, INT_MUL, FPU, MMX_ALU, MMX_SHIFT, MMX_MUL, MMX_LOAD,
                                        MMX_STORE, MMX_INT),
                                  {0}};
static const word fp_words[] = {{"-", ISA_FP_NONE},
                                {"exchange", ISA_FP_XCH},
                                WORDS(ISA_FP_, LOAD, LOAD_SLOW, STORE, ADD, MUL, DIV, SQRT, COMPARE, SIGN,
                                      STATUS, CONTROL, TRANSCENDENTAL, REMAINDER, OTHER),
                                {0}};
static const word branch_words[] = {
    {"-", ISA_NOT_BRANCH},
    WORDS(ISA_, JCC, JMP, CALL, RET, JMP_INDIRECT, CALL_INDIRECT, LOOP, FAR, INT, IRET),
    {0}};
static const word value_words[] = {
    {"-", ISA_VALUE_NONE}, WORDS(ISA_VALUE_, SOURCE, COUNT, X87, SATURATED), {0}};
static const word use_words[] = {{"eax", 1},   {"ecx", 2},
                                 {"edx", 4},   {"ebx", 8},
                                 {"esp", 16},  {"ebp", 32},
                                 {"esi", 64},  {"edi", 128},
                                 {"all", 255}, WORDS(ISA_USE_, RM, RM8, REG, OP, MM_RM, MM_REG, ST, STI, ST1),
                                 {0}};
static const word flag_words[] = {{"far", ISA_FAR_TRANSFER},
                                  WORDS(ISA_, SERIALISING, SYSTEM, STRING, READS_CARRY, WRITES_FLAGS, STACK,
                                        FLOP, SATURATING, LOCKABLE, IMPLICIT_LOCK, MOFFS, SEGMENT_LOAD, IO,
                                        READS_FLAGS, KEEPS_CARRY, SETS_FLAGS),
                                  {0}};
static const word trait_words[] = {WORDS(ISA_T_, PUSH, POP, TWO_STRINGS, TABLE_LOAD, VERIFY, FAR_RETURN,
                                         STORE_ST, LOADS_SS, COSINE, REVERSED, PROTECTED),
                                   {0}};
static const word engine_words[] = {WORDS(ISA_E_, BEGINS, CMPS, FNOP, FSTP1, KEEPS_POINTER, IMAGE, CLI, STI,
                                          PUSHF, POPF, INT_N, IRET, ALONE, TEST, NEG, SMSW, FLAGS_FIRST, ARPL,
                                          ENTER, PUSHA, POPA, INVD, WBINVD, ICEBP),
                                    {0}};
static const word confidence_words[] /* only checked */ = {
    {"measured", 0}, {"manual", 1}, {"inferred", 2}, {0}};

/* Cost rules and the number of arguments of each. */
#define COST(count, name)                                                                                    \
    {                                                                                                        \
        .rule = WORD(ISA_COST_, name), .args = count                                                         \
    }
static const struct {
    word rule;
    unsigned args;
} costs[] = {EACH(COST, 0, FIXED, WBINVD, LOCKED),
             EACH(COST, 1, FSQRT, FPREM, LOOP),
             EACH(COST, 2, SEGMENT_LOAD, FAR, IRET, REP, BSR, RCX, RDTSC, CPUID, MSR, X87_RANGE),
             EACH(COST, 3, MODE, ENTER, BSF, FDIV),
             EACH(COST, 4, IO),
             EACH(COST, 5, INT, TRIG)};

void complain(generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (g->line == 0)
        fprintf(stderr, "%s: ", g->path);
    else
        fprintf(stderr, "%s:%u: ", g->path, g->line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    g->errors++;
}

/* Returns whether `text` is the word. Names of constants are written in lower case. */
static bool is_word(const word *w, const char *text)
{
    const char *name = w->name;
    while (*name != '\0' && tolower((unsigned char)*name) == *text)
        name++, text++;
    return *name == *text;
}

bool find_word(const word *words, const char *name, uint32_t *value)
{
    for (; words->name != NULL; words++) {
        if (is_word(words, name)) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

/* Parses one of `words`; anything else is an error of that column. */
static uint32_t parse_word(generator *g, unsigned column, const word *words, const char *text)
{
    uint32_t value = 0;
    if (!find_word(words, text, &value))
        complain(g, "column '%s': '%s' is not one of its words", column_names[column], text);
    return value;
}

/* Parses a comma-separated list of words, or '-' for none. */
static uint32_t parse_set(generator *g, unsigned column, const word *words, char *text)
{
    uint32_t set = 0;
    if (strcmp(text, "-") == 0)
        return 0;
    char *item;
    while ((item = text_field(&text, ',')) != NULL)
        set |= parse_word(g, column, words, item);
    return set;
}

/* Parses the traits column: words for the core (isa_trait) and at most one for the engine (isa_engine). */
static void parse_traits(generator *g, char *text, isa_form *form)
{
    char *item;
    if (strcmp(text, "-") == 0)
        return;
    while ((item = text_field(&text, ',')) != NULL) {
        uint32_t engine;
        if (!find_word(engine_words, item, &engine))
            form->traits |= parse_word(g, TRAITS, trait_words, item);
        else if (form->engine != ISA_E_NONE)
            complain(g, "column 'traits': '%s' is the second word for the engine", item);
        else
            form->engine = (uint8_t)engine;
    }
}

/* Parses a number from 0 to `most`. */
static unsigned parse_number(generator *g, unsigned column, const char *text, unsigned most)
{
    uint64_t value;
    if (!text_to_u64(text, &value) || value > most) {
        complain(g, "column '%s': '%s' is not a number up to %u", column_names[column], text, most);
        return 0;
    }
    return (unsigned)value;
}

/* Parses "n" for both processors or "n/m" for P54C/P55C. */
static void parse_clocks(generator *g, unsigned column, char *text, uint16_t clocks[2])
{
    char *first = text_field(&text, '/');
    clocks[0] = (uint16_t)parse_number(g, column, first, UINT16_MAX);
    clocks[1] = text != NULL ? (uint16_t)parse_number(g, column, text, UINT16_MAX) : clocks[0];
}

/* Parses a pairing class for both processors, or "class/class" for P54C/P55C. */
static void parse_pair(generator *g, char *text, uint8_t pair[2])
{
    char *first = text_field(&text, '/');
    pair[0] = (uint8_t)parse_word(g, PAIR, pair_words, first);
    pair[1] = text != NULL ? (uint8_t)parse_word(g, PAIR, pair_words, text) : pair[0];
}

/* Parses "rule" or "rule:a,b,...". */
static void parse_cost(generator *g, char *text, isa_form *form)
{
    char *name = text_field(&text, ':');
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        if (!is_word(&costs[i].rule, name))
            continue;
        form->cost = (uint8_t)costs[i].rule.value;
        unsigned count = 0;
        char *item;
        while ((item = text_field(&text, ',')) != NULL) {
            if (count < ISA_COST_ARGS)
                form->cost_args[count] = (uint16_t)parse_number(g, COST, item, UINT16_MAX);
            count++;
        }
        if (count != costs[i].args)
            complain(g, "column 'cost': %s takes %u arguments, not %u", name, costs[i].args, count);
        return;
    }
    complain(g, "column 'cost': there is no rule '%s'", name);
}

/* Parses "-", "var", "enter" (decode.c derives it from the level), or "NrMw" with either part left out. */
static void parse_data(generator *g, const char *text, isa_form *form)
{
    if (strcmp(text, "-") == 0 || strcmp(text, "enter") == 0)
        return;
    if (strcmp(text, "var") == 0) {
        form->flags |= ISA_VARIABLE_ACCESSES;
        return;
    }
    const char *rest = text;
    while (*rest != '\0') {
        char *end;
        unsigned long count = strtoul(rest, &end, 10);
        if (end == rest || count == 0 || count > 99 || (*end != 'r' && *end != 'w')) {
            complain(g, "column 'data': '%s' is not of the form 1r1w, var, enter or -", text);
            return;
        }
        if (*end == 'r')
            form->data_reads = (uint8_t)count;
        else
            form->data_writes = (uint8_t)count;
        rest = end + 1;
    }
    form->accesses = (uint8_t)(form->data_reads + form->data_writes);
}

/* Checks rules between columns, which detect typing mistakes. */
static void check_form(generator *g, const isa_form *form)
{
    bool loads = form->unit == ISA_LOAD || form->unit == ISA_LOAD_ALU || form->unit == ISA_MMX_LOAD;
    bool stores = form->unit == ISA_STORE || form->unit == ISA_MMX_STORE;
    bool both = form->unit == ISA_LOAD_ALU_STORE;
    if ((loads && form->data_reads == 0) || (stores && form->data_writes == 0) ||
        (both && (form->data_reads == 0 || form->data_writes == 0)))
        complain(g, "column 'data': does not fit the unit");
    if (form->clocks[0] == 0 || form->clocks[1] == 0)
        complain(g, "column 'clocks': no instruction takes 0 clocks");
    if (form->int_overlap >= form->clocks[0] || form->fp_overlap >= form->clocks[0])
        complain(g, "columns 'int_overlap', 'fp_overlap': the first clock cannot be overlapped");
    if ((form->fp != ISA_FP_NONE) != (form->unit == ISA_FPU))
        complain(g, "column 'fp': stands for the forms of unit fpu, and only for those");
    if (form->unit >= ISA_MMX_ALU && form->models & ISA_P54C)
        complain(g, "column 'models': P54C has no MMX");
    if (form->flags & ISA_LOCKABLE && (form->data_reads != 1 || form->data_writes != 1))
        complain(g, "column 'flags': lockable means one read and one write");
}

/* Parses a row of the table: adds its form, unless it is a #UD row, and claims its opcodes. */
static void parse_row(generator *g, char *fields[COLUMNS])
{
    for (unsigned column = 0; column < COLUMNS; column++) {
        if (fields[column][0] == '\0')
            complain(g, "column '%s' is empty; write '-' for nothing", column_names[column]);
    }
    bool undefined = strcmp(fields[MNEMONIC], "#UD") == 0;
    isa_form form = {0};
    unsigned index = 0;
    if (!undefined) {
        if (g->form_count == MAX_FORMS) {
            complain(g, "more than %d forms", MAX_FORMS);
            return;
        }
        index = g->form_count++;
        form.mnemonic = fields[MNEMONIC];
        form.operands = strcmp(fields[OPERANDS], "-") == 0 ? "" : fields[OPERANDS];
        form.models = (uint8_t)parse_word(g, MODELS, model_words, fields[MODELS]);
        parse_clocks(g, CLOCKS, fields[CLOCKS], form.clocks);
        if (strcmp(fields[LATENCY], "-") != 0)
            parse_clocks(g, LATENCY, fields[LATENCY], form.latency);
        parse_pair(g, fields[PAIR], form.pair);
        form.unit = (uint8_t)parse_word(g, UNIT, unit_words, fields[UNIT]);
        form.fp = (uint8_t)parse_word(g, FP, fp_words, fields[FP]);
        form.branch = (uint8_t)parse_word(g, BRANCH, branch_words, fields[BRANCH]);
        parse_cost(g, fields[COST], &form);
        form.value = (uint8_t)parse_word(g, VALUE, value_words, fields[VALUE]);
        form.int_overlap = (uint8_t)parse_number(g, INT_OVERLAP, fields[INT_OVERLAP], UINT8_MAX);
        form.fp_overlap = (uint8_t)parse_number(g, FP_OVERLAP, fields[FP_OVERLAP], UINT8_MAX);
        bool pop = fields[PUSH][0] == '-';
        form.fp_push = (int8_t)parse_number(g, PUSH, fields[PUSH] + (pop ? 1 : 0), 2);
        if (pop)
            form.fp_push = (int8_t)-form.fp_push;
        form.flags = parse_set(g, FLAGS, flag_words, fields[FLAGS]);
        parse_traits(g, fields[TRAITS], &form);
        parse_data(g, fields[DATA], &form);
        form.reads = parse_set(g, READS, use_words, fields[READS]);
        form.writes = parse_set(g, WRITES, use_words, fields[WRITES]);
        form.address = (uint8_t)parse_set(g, ADDRESS, use_words, fields[ADDRESS]);
        parse_word(g, CONFIDENCE, confidence_words, fields[CONFIDENCE]);
        if (form.fp != ISA_FP_NONE)
            form.flags |= ISA_X87;
        if (form.unit >= ISA_MMX_ALU)
            form.flags |= ISA_MMX;
        check_form(g, &form);
        g->forms[index] = form;
    }
    opcodes_claim(g, fields[OPCODES], index, undefined ? "-" : fields[SIZE]);
}

/* Writes isa_forms, with the members of isa_form in their order. */
static void write_forms(const generator *g, FILE *out)
{
    fprintf(out, "const unsigned isa_form_count = %u;\n\nconst isa_form isa_forms[] = {\n", g->form_count);
    for (unsigned i = 0; i < g->form_count; i++) {
        const isa_form *f = &g->forms[i];
        fprintf(out, "    {\"%s\", \"%s\", {%u, %u}, {%u, %u}, %u, %u, {%u, %u}, %u, %u, %u, %u, %u, %u, {",
                f->mnemonic, f->operands, f->clocks[0], f->clocks[1], f->latency[0], f->latency[1],
                f->int_overlap, f->fp_overlap, f->pair[0], f->pair[1], f->unit, f->fp, f->branch, f->value,
                f->models, f->cost);
        for (unsigned a = 0; a < ISA_COST_ARGS; a++)
            fprintf(out, "%s%u", a == 0 ? "" : ", ", f->cost_args[a]);
        fprintf(out,
                "}, %d, %u, %u, %u, 0x%02x, 0x%05" PRIx32 ", 0x%05" PRIx32 ", 0x%05" PRIx32 ", 0x%06" PRIx32
                ", %u},\n",
                f->fp_push, f->data_reads, f->data_writes, f->accesses, f->address, f->reads, f->writes,
                f->flags, f->traits, f->engine);
    }
    fprintf(out, "};\n\n");
}

int main(int argc, char **argv)
{
    static generator g;
    if (argc != 3) {
        fprintf(stderr, "usage: instructions_gen IN.tsv OUT.c\n");
        return 2;
    }
    g.path = argv[1];
    /* Undefined opcodes refer to form 0. */
    g.forms[g.form_count++] = (isa_form){
        .mnemonic = "(bad)", .operands = "", .clocks = {1, 1}, .unit = ISA_MICROCODE, .flags = ISA_UNDEFINED};
    tsv table;
    char *fields[COLUMNS];
    tsv_open(&table, argv[1], column_names, COLUMNS);
    while (tsv_next(&table, fields)) {
        g.line = table.line;
        parse_row(&g, fields);
    }
    if (g.errors == 0)
        opcodes_check_gaps(&g);
    if (g.errors != 0)
        return 1;
    FILE *out = fopen(argv[2], "w");
    if (out == NULL) {
        perror(argv[2]);
        return 1;
    }
    fputs("/* Made from instructions.tsv by instructions_gen; not to be edited. */\n"
          "#include \"isa/isa.h\"\n#include \"isa/opcode_map.h\"\n\n",
          out);
    write_forms(&g, out);
    opcodes_write(&g, out);
    free(table.text);
    if (!generator_close(out, argv[2]))
        return 1;
    if (g.errors != 0)
        remove(argv[2]);
    return g.errors != 0;
}
