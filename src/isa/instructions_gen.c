/* Build-time tool: checks instructions.tsv and writes it as constant C tables.
 *   instructions_gen IN.tsv OUT.c
 * Every opcode must be claimed by exactly one row (rows of mnemonic #UD claim what does not exist). Anything
 * wrong is reported as file:line and fails the build. The columns are explained in the table's header. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "isa/isa.h"
#include "isa/opcode_map.h"

enum { MAX_FORMS = 1000, MAX_CELLS = 16384, LINE_BYTES = 2048, ESCAPES = 2 };

/* The columns, in order. */
enum {
    OPCODES,
    MNEMONIC,
    OPERANDS,
    MODELS,
    SIZE,
    CLOCKS,
    LATENCY,
    PAIR,
    UNIT,
    FP,
    BRANCH,
    COST,
    VALUE,
    INT_OVERLAP,
    FP_OVERLAP,
    PUSH,
    DATA,
    READS,
    WRITES,
    ADDRESS,
    FLAGS,
    CONFIDENCE,
    SOURCE,
    NOTES,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {
    "opcodes", "mnemonic", "operands", "models",  "size",  "clocks",      "latency",    "pair",
    "unit",    "fp",       "branch",   "cost",    "value", "int_overlap", "fp_overlap", "push",
    "data",    "reads",    "writes",   "address", "flags", "confidence",  "source",     "notes"};

typedef struct word {
    const char *name;
    uint32_t value;
} word;

static const word model_words[] = {
    {"p5", ISA_P54C | ISA_P55C}, {"p54c", ISA_P54C}, {"p55c", ISA_P55C}, {"p6", ISA_P6}, {0}};
static const word pair_words[] = {{"np", ISA_NP}, {"u", ISA_U},   {"v", ISA_V},
                                  {"uv", ISA_UV}, {"fx", ISA_FX}, {0}};
static const word unit_words[] = {{"alu", ISA_ALU},
                                  {"shift", ISA_SHIFT},
                                  {"agu", ISA_AGU},
                                  {"load", ISA_LOAD},
                                  {"store", ISA_STORE},
                                  {"load_alu", ISA_LOAD_ALU},
                                  {"load_alu_store", ISA_LOAD_ALU_STORE},
                                  {"branch", ISA_BRANCH},
                                  {"microcode", ISA_MICROCODE},
                                  {"int_mul", ISA_INT_MUL},
                                  {"fpu", ISA_FPU},
                                  {"mmx_alu", ISA_MMX_ALU},
                                  {"mmx_shift", ISA_MMX_SHIFT},
                                  {"mmx_mul", ISA_MMX_MUL},
                                  {"mmx_load", ISA_MMX_LOAD},
                                  {"mmx_store", ISA_MMX_STORE},
                                  {"mmx_int", ISA_MMX_INT},
                                  {0}};
static const word fp_words[] = {{"-", ISA_FP_NONE},
                                {"load", ISA_FP_LOAD},
                                {"load_slow", ISA_FP_LOAD_SLOW},
                                {"store", ISA_FP_STORE},
                                {"add", ISA_FP_ADD},
                                {"mul", ISA_FP_MUL},
                                {"div", ISA_FP_DIV},
                                {"sqrt", ISA_FP_SQRT},
                                {"compare", ISA_FP_COMPARE},
                                {"sign", ISA_FP_SIGN},
                                {"exchange", ISA_FP_XCH},
                                {"status", ISA_FP_STATUS},
                                {"control", ISA_FP_CONTROL},
                                {"transcendental", ISA_FP_TRANSCENDENTAL},
                                {"remainder", ISA_FP_REMAINDER},
                                {"other", ISA_FP_OTHER},
                                {0}};
static const word branch_words[] = {{"-", ISA_NOT_BRANCH},
                                    {"jcc", ISA_JCC},
                                    {"jmp", ISA_JMP},
                                    {"call", ISA_CALL},
                                    {"ret", ISA_RET},
                                    {"jmp_indirect", ISA_JMP_INDIRECT},
                                    {"call_indirect", ISA_CALL_INDIRECT},
                                    {"loop", ISA_LOOP},
                                    {"far", ISA_FAR},
                                    {"int", ISA_INT},
                                    {"iret", ISA_IRET},
                                    {0}};
static const word value_words[] = {
    {"-", ISA_VALUE_NONE},  {"source", ISA_VALUE_SOURCE},       {"count", ISA_VALUE_COUNT},
    {"x87", ISA_VALUE_X87}, {"saturated", ISA_VALUE_SATURATED}, {0}};
static const word size_words[] = {
    {"-", 0}, {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"10", 10}, {"v", ISA_BY_OPERAND_SIZE}, {0}};
static const word memory_words[] = {{"m8", 1}, {"m16", 2}, {"m32", 4}, {"m64", 8}, {"m80", 10}, {0}};
static const word immediate_words[] = {
    {"ib", ISA_IMM_BYTE}, {"iw", ISA_IMM_WORD}, {"iz", ISA_IMM_FULL},  {"cb", ISA_IMM_REL8},
    {"cz", ISA_IMM_REL},  {"cp", ISA_IMM_FAR},  {"mo", ISA_IMM_MOFFS}, {0}};
static const word use_words[] = {{"eax", 1},
                                 {"ecx", 2},
                                 {"edx", 4},
                                 {"ebx", 8},
                                 {"esp", 16},
                                 {"ebp", 32},
                                 {"esi", 64},
                                 {"edi", 128},
                                 {"all", 255},
                                 {"rm", ISA_USE_RM},
                                 {"rm8", ISA_USE_RM8},
                                 {"reg", ISA_USE_REG},
                                 {"op", ISA_USE_OP},
                                 {"mm_rm", ISA_USE_MM_RM},
                                 {"mm_reg", ISA_USE_MM_REG},
                                 {"st", ISA_USE_ST},
                                 {"sti", ISA_USE_STI},
                                 {"st1", ISA_USE_ST1},
                                 {0}};
static const word flag_words[] = {{"serialising", ISA_SERIALISING},
                                  {"system", ISA_SYSTEM},
                                  {"string", ISA_STRING},
                                  {"reads_carry", ISA_READS_CARRY},
                                  {"writes_flags", ISA_WRITES_FLAGS},
                                  {"stack", ISA_STACK},
                                  {"flop", ISA_FLOP},
                                  {"saturating", ISA_SATURATING},
                                  {"lockable", ISA_LOCKABLE},
                                  {"implicit_lock", ISA_IMPLICIT_LOCK},
                                  {"moffs", ISA_MOFFS},
                                  {"far", ISA_FAR_TRANSFER},
                                  {"segment_load", ISA_SEGMENT_LOAD},
                                  {"io", ISA_IO},
                                  {0}};
static const word confidence_words[] = {{"measured", 0}, {"manual", 1}, {"inferred", 2}, {0}};

/* Cost rules and how many arguments each takes. */
static const struct {
    const char *name;
    isa_cost cost;
    unsigned args;
} costs[] = {{"fixed", ISA_COST_FIXED, 0},   {"segment_load", ISA_COST_SEGMENT_LOAD, 2},
             {"far", ISA_COST_FAR, 2},       {"int", ISA_COST_INT, 3},
             {"iret", ISA_COST_IRET, 2},     {"io", ISA_COST_IO, 4},
             {"pushf", ISA_COST_PUSHF, 1},   {"rep", ISA_COST_REP, 2},
             {"enter", ISA_COST_ENTER, 3},   {"bsf", ISA_COST_BSF, 3},
             {"bsr", ISA_COST_BSR, 2},       {"rcx", ISA_COST_RCX, 2},
             {"fdiv", ISA_COST_FDIV, 3},     {"fsqrt", ISA_COST_FSQRT, 1},
             {"trig", ISA_COST_TRIG, 5},     {"fprem", ISA_COST_FPREM, 1},
             {"rdtsc", ISA_COST_RDTSC, 2},   {"cpuid", ISA_COST_CPUID, 2},
             {"msr", ISA_COST_MSR, 2},       {"wbinvd", ISA_COST_WBINVD, 0},
             {"locked", ISA_COST_LOCKED, 0}, {"x87_range", ISA_COST_X87_RANGE, 2},
             {"loop", ISA_COST_LOOP, 1}};

/* One cell of the full, uncompressed map, and the line that claimed it (0 = nobody yet). */
typedef struct claim {
    isa_cell cell;
    unsigned line;
} claim;

typedef struct generator {
    const char *path;
    unsigned line; /* 0 = the table as a whole */
    unsigned errors;
    isa_form forms[MAX_FORMS];
    unsigned form_count;
    claim map[ESCAPES][256][ISA_VARIANTS];
    claim x87[8][64];
    isa_cell cells[MAX_CELLS];
    unsigned cell_count;
} generator;

__attribute__((format(printf, 2, 3))) static void complain(generator *g, const char *format, ...)
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

static bool find_word(const word *words, const char *name, uint32_t *value)
{
    for (; words->name != NULL; words++) {
        if (strcmp(words->name, name) == 0) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

/* One word of a closed vocabulary. */
static uint32_t parse_word(generator *g, unsigned column, const word *words, const char *text)
{
    uint32_t value = 0;
    if (!find_word(words, text, &value))
        complain(g, "column '%s': '%s' is not one of its words", column_names[column], text);
    return value;
}

/* A comma-separated list of words, or '-' for none. */
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

static unsigned parse_number(generator *g, unsigned column, const char *text, unsigned most)
{
    uint64_t value;
    if (!text_to_u64(text, &value) || value > most) {
        complain(g, "column '%s': '%s' is not a number up to %u", column_names[column], text, most);
        return 0;
    }
    return (unsigned)value;
}

/* "n" for both processors or "n/m" for P54C/P55C. */
static void parse_clocks(generator *g, unsigned column, char *text, uint16_t clocks[2])
{
    char *first = text_field(&text, '/');
    clocks[0] = (uint16_t)parse_number(g, column, first, UINT16_MAX);
    clocks[1] = text != NULL ? (uint16_t)parse_number(g, column, text, UINT16_MAX) : clocks[0];
}

static void parse_pair(generator *g, char *text, uint8_t pair[2])
{
    char *first = text_field(&text, '/');
    pair[0] = (uint8_t)parse_word(g, PAIR, pair_words, first);
    pair[1] = text != NULL ? (uint8_t)parse_word(g, PAIR, pair_words, text) : pair[0];
}

/* "rule" or "rule:a,b,...". */
static void parse_cost(generator *g, char *text, isa_form *form)
{
    char *name = text_field(&text, ':');
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        if (strcmp(costs[i].name, name) != 0)
            continue;
        form->cost = (uint8_t)costs[i].cost;
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

/* "-", "var", "enter" (decode.c works it out from the level), or "NrMw" with either part left out. */
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

/* One pattern of the `opcodes` column, e.g. "0F BA /4-7 reg ib" (see the table's header). */
typedef struct pattern {
    unsigned escape, low, high;
    bool x87; /* mod = 3 bytes `low`..`high` of `opcode` */
    unsigned opcode;
    unsigned regs;  /* mask of /reg values; 0 = no ModRM */
    unsigned modes; /* bit 0 memory, bit 1 register */
    unsigned sizes; /* bit 0 32-bit, bit 1 16-bit */
    unsigned reps;  /* bit 0 without, bit 1 with */
    bool mod_ignored;
    uint32_t memory_bytes; /* 0 = by the size column */
    uint32_t immediate;
} pattern;

/* "3A" or "3A-3F". */
static bool parse_hex_range(const char *text, unsigned *low, unsigned *high)
{
    char *end;
    if (strlen(text) != 2 && strlen(text) != 5)
        return false;
    *low = (unsigned)strtoul(text, &end, 16);
    *high = *low;
    if (end == text + 2 && *end == '-')
        *high = (unsigned)strtoul(end + 1, &end, 16);
    return *end == '\0' && *high >= *low && *high <= 0xff;
}

/* "/r", "/5", "/4-7", "/0,3-5". */
static bool parse_reg_set(const char *text, unsigned *set)
{
    *set = 0;
    if (strcmp(text, "/r") == 0) {
        *set = 0xff;
        return true;
    }
    while (*++text != '\0') {
        if (*text < '0' || *text > '7')
            return false;
        unsigned low = (unsigned)(*text - '0'), high = low;
        if (text[1] == '-') {
            if (text[2] < text[0] || text[2] > '7')
                return false;
            high = (unsigned)(text[2] - '0');
            text += 2;
        }
        for (unsigned reg = low; reg <= high; reg++)
            *set |= 1u << reg;
        if (text[1] == ',')
            text++;
        else if (text[1] != '\0')
            return false;
    }
    return *set != 0;
}

static bool parse_pattern(generator *g, char *text, pattern *p)
{
    *p = (pattern){.modes = 3, .sizes = 3, .reps = 3};
    while (*text == ' ')
        text++;
    char *item = text_field(&text, ' ');
    if (strcmp(item, "0F") == 0) {
        p->escape = 1;
        item = text_field(&text, ' ');
    }
    if (item == NULL || !parse_hex_range(item, &p->low, &p->high)) {
        complain(g, "column 'opcodes': '%s' is not an opcode byte or range", item == NULL ? "" : item);
        return false;
    }
    bool moded = false;
    while ((item = text_field(&text, ' ')) != NULL) {
        uint32_t value;
        if (item[0] == '/') {
            if (!parse_reg_set(item, &p->regs)) {
                complain(g, "column 'opcodes': '%s' is not a set of /reg values", item);
                return false;
            }
        } else if (strcmp(item, "reg") == 0) {
            p->modes = 2;
            moded = true;
        } else if (strcmp(item, "mem") == 0) {
            p->modes = 1;
            moded = true;
        } else if (strcmp(item, "any") == 0) {
            moded = true;
        } else if (strcmp(item, "cr") == 0) {
            p->mod_ignored = moded = true;
        } else if (strcmp(item, "o32") == 0) {
            p->sizes = 1;
        } else if (strcmp(item, "o16") == 0) {
            p->sizes = 2;
        } else if (strcmp(item, "norep") == 0) {
            p->reps = 1;
        } else if (strcmp(item, "rep") == 0) {
            p->reps = 2;
        } else if (find_word(memory_words, item, &value)) {
            p->memory_bytes = value;
        } else if (find_word(immediate_words, item, &value)) {
            p->immediate = p->immediate == ISA_IMM_WORD && value == ISA_IMM_BYTE ? ISA_IMM_ENTER : value;
        } else if (p->escape == 0 && p->low >= 0xd8 && p->low <= 0xdf && p->low == p->high && !p->x87) {
            p->x87 = true;
            p->opcode = p->low;
            if (!parse_hex_range(item, &p->low, &p->high) || p->low < 0xc0) {
                complain(g, "column 'opcodes': '%s' is not a ModRM byte with mod 3", item);
                return false;
            }
        } else {
            complain(g, "column 'opcodes': what is '%s'?", item);
            return false;
        }
    }
    if ((p->regs != 0) != moded) {
        complain(g, "column 'opcodes': /reg goes together with one of reg, mem, any, cr");
        return false;
    }
    return true;
}

static bool is_prefix(unsigned opcode)
{
    return opcode == 0x26 || opcode == 0x2e || opcode == 0x36 || opcode == 0x3e ||
           (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 || opcode == 0xf2 || opcode == 0xf3 ||
           opcode == 0x0f;
}

static bool claim_one(generator *g, claim *where, isa_cell cell, unsigned escape, unsigned opcode)
{
    if (where->line != 0) {
        complain(g, "opcode %s%02X is claimed by line %u too", escape ? "0F " : "", opcode, where->line);
        return false;
    }
    where->cell = cell;
    where->line = g->line;
    return true;
}

/* Gives all encodings of a pattern to `form`. `size` is the size column: "bv" or a size word. */
static void claim_pattern(generator *g, const pattern *p, unsigned form, const char *size)
{
    for (unsigned byte = p->low; byte <= p->high; byte++) {
        uint32_t bytes = 0;
        if (strcmp(size, "bv") == 0)
            bytes = byte & 1 ? ISA_BY_OPERAND_SIZE : 1;
        else
            bytes = parse_word(g, SIZE, size_words, size);
        isa_cell cell = {.form = (uint16_t)form,
                         .immediate = (uint8_t)p->immediate,
                         .operand_bytes = (uint8_t)(p->memory_bytes != 0 ? p->memory_bytes : bytes),
                         .has_modrm = p->regs != 0 || p->x87,
                         .mod_ignored = p->mod_ignored,
                         .byte_registers = bytes == 1};
        if (p->x87) {
            claim_one(g, &g->x87[p->opcode - 0xd8][byte - 0xc0], cell, 0, p->opcode);
            continue;
        }
        if (p->escape == 0 && is_prefix(byte)) {
            complain(g, "%02X is a prefix", byte);
            continue;
        }
        for (unsigned variant = 0; variant < ISA_VARIANTS; variant++) {
            unsigned reg = variant & 7, is_register = variant >> 3 & 1, is_16 = variant >> 4 & 1,
                     is_rep = variant >> 5 & 1;
            if ((p->regs == 0 || p->regs >> reg & 1) && p->modes >> is_register & 1 &&
                p->sizes >> is_16 & 1 && p->reps >> is_rep & 1 &&
                !claim_one(g, &g->map[p->escape][byte][variant], cell, p->escape, byte))
                break;
        }
    }
}

/* Rules between columns that a typing slip would break. */
static void check_pattern(generator *g, const pattern *p, const isa_form *form)
{
    uint32_t uses = form->reads | form->writes;
    if (uses & (ISA_USE_RM | ISA_USE_RM8 | ISA_USE_REG | ISA_USE_MM_RM | ISA_USE_MM_REG) && p->regs == 0)
        complain(g, "columns 'reads', 'writes': a ModRM operand, but the pattern has none");
    if (uses & (ISA_USE_RM | ISA_USE_RM8 | ISA_USE_MM_RM) && !(p->modes & 2))
        complain(g, "columns 'reads', 'writes': a register r/m, but the pattern is memory only");
    if (uses & ISA_USE_OP && (p->regs != 0 || p->x87))
        complain(g, "columns 'reads', 'writes': 'op' needs an opcode without ModRM");
    if (uses & ISA_USE_STI && !p->x87)
        complain(g, "columns 'reads', 'writes': 'sti' needs an x87 register pattern");
    bool relative = p->immediate == ISA_IMM_REL8 || p->immediate == ISA_IMM_REL;
    bool direct = form->branch == ISA_JCC || form->branch == ISA_JMP || form->branch == ISA_CALL ||
                  form->branch == ISA_LOOP;
    if (relative != direct)
        complain(g, "column 'branch': direct branches, and only they, have a relative target");
}

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
        form.mnemonic = strdup(fields[MNEMONIC]);
        form.operands = strcmp(fields[OPERANDS], "-") == 0 ? "" : strdup(fields[OPERANDS]);
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
    char *patterns = fields[OPCODES];
    char *item;
    while ((item = text_field(&patterns, ';')) != NULL) {
        pattern p;
        if (!parse_pattern(g, item, &p))
            continue;
        if (!undefined)
            check_pattern(g, &p, &form);
        claim_pattern(g, &p, index, undefined ? "-" : fields[SIZE]);
    }
}

static void parse_table(generator *g, FILE *file)
{
    char line[LINE_BYTES];
    bool header = false;
    while (fgets(line, sizeof line, file) != NULL) {
        g->line++;
        size_t length = strlen(line);
        if (length == 0 || line[length - 1] != '\n') {
            complain(g, "line too long or not ended");
            return;
        }
        line[length - 1] = '\0';
        if (line[0] == '#' && strncmp(line, "#UD", 3) != 0)
            continue;
        char *fields[COLUMNS];
        char *cursor = line;
        unsigned count = 0;
        char *field;
        while ((field = text_field(&cursor, '\t')) != NULL) {
            if (count < COLUMNS)
                fields[count] = field;
            count++;
        }
        if (count != COLUMNS) {
            complain(g, "%u columns instead of %d", count, COLUMNS);
            continue;
        }
        if (header) {
            parse_row(g, fields);
            continue;
        }
        header = true;
        for (unsigned column = 0; column < COLUMNS; column++) {
            if (strcmp(fields[column], column_names[column]) != 0)
                complain(g, "column %u is '%s' instead of '%s'", column + 1, fields[column],
                         column_names[column]);
        }
    }
}

/* Every opcode needs a row, if only one that says #UD. */
static void check_gaps(generator *g)
{
    g->line = 0;
    for (unsigned escape = 0; escape < ESCAPES; escape++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            if (escape == 0 && is_prefix(opcode))
                continue;
            bool x87 = escape == 0 && opcode >= 0xd8 && opcode <= 0xdf;
            for (unsigned variant = 0; variant < ISA_VARIANTS; variant++) {
                if ((x87 && variant >> 3 & 1) || g->map[escape][opcode][variant].line != 0)
                    continue;
                complain(g, "no row for opcode %s%02X /%u %s", escape ? "0F " : "", opcode, variant & 7,
                         variant >> 3 & 1 ? "reg" : "mem");
                break;
            }
        }
    }
    for (unsigned opcode = 0; opcode < 8; opcode++) {
        for (unsigned modrm = 0; modrm < 64; modrm++) {
            if (g->x87[opcode][modrm].line == 0)
                complain(g, "no row for opcode %02X %02X", opcode + 0xd8, modrm + 0xc0);
        }
    }
}

static bool same_cell(const isa_cell *a, const isa_cell *b)
{
    return a->form == b->form && a->immediate == b->immediate && a->operand_bytes == b->operand_bytes &&
           a->has_modrm == b->has_modrm && a->mod_ignored == b->mod_ignored &&
           a->byte_registers == b->byte_registers;
}

/* Appends `count` cells unless they are there already; returns where they begin. */
static unsigned store_cells(generator *g, const isa_cell *cells, unsigned count)
{
    for (unsigned first = 0; first + count <= g->cell_count; first++) {
        unsigned same = 0;
        while (same < count && same_cell(&g->cells[first + same], &cells[same]))
            same++;
        if (same == count)
            return first;
    }
    if (g->cell_count + count > MAX_CELLS) {
        complain(g, "more than %d cells", MAX_CELLS);
        return 0;
    }
    memcpy(&g->cells[g->cell_count], cells, count * sizeof cells[0]);
    g->cell_count += count;
    return g->cell_count - count;
}

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
        fprintf(out, "}, %d, %u, %u, %u, 0x%02x, 0x%05" PRIx32 ", 0x%05" PRIx32 ", 0x%05" PRIx32 "},\n",
                f->fp_push, f->data_reads, f->data_writes, f->accesses, f->address, f->reads, f->writes,
                f->flags);
    }
    fprintf(out, "};\n\n");
}

static void write_map(generator *g, FILE *out)
{
    static isa_opcode opcodes[ESCAPES][256];
    static uint16_t x87[8][64];
    for (unsigned escape = 0; escape < ESCAPES; escape++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            isa_cell cells[ISA_VARIANTS];
            isa_opcode *o = &opcodes[escape][opcode];
            for (unsigned variant = 0; variant < ISA_VARIANTS; variant++) {
                cells[variant] = g->map[escape][opcode][variant].cell;
                if (!same_cell(&cells[variant], &cells[0]))
                    o->has_variants = 1;
                o->has_modrm |= cells[variant].has_modrm;
            }
            o->first = (uint16_t)store_cells(g, cells, o->has_variants ? ISA_VARIANTS : 1);
        }
    }
    for (unsigned opcode = 0; opcode < 8; opcode++) {
        for (unsigned modrm = 0; modrm < 64; modrm++)
            x87[opcode][modrm] = (uint16_t)store_cells(g, &g->x87[opcode][modrm].cell, 1);
    }
    fprintf(out, "const isa_cell isa_cells[] = {\n");
    for (unsigned i = 0; i < g->cell_count; i++) {
        const isa_cell *c = &g->cells[i];
        fprintf(out, "    {%u, %u, %u, %u, %u, %u},\n", c->form, c->immediate, c->operand_bytes, c->has_modrm,
                c->mod_ignored, c->byte_registers);
    }
    fprintf(out, "};\n\nconst isa_opcode isa_opcodes[2][256] = {\n");
    for (unsigned escape = 0; escape < ESCAPES; escape++) {
        fprintf(out, "    {\n");
        for (unsigned opcode = 0; opcode < 256; opcode++)
            fprintf(out, "        {%u, %u, %u},\n", opcodes[escape][opcode].first,
                    opcodes[escape][opcode].has_variants, opcodes[escape][opcode].has_modrm);
        fprintf(out, "    },\n");
    }
    fprintf(out, "};\n\nconst uint16_t isa_x87_cells[8][64] = {\n");
    for (unsigned opcode = 0; opcode < 8; opcode++) {
        fprintf(out, "    {");
        for (unsigned modrm = 0; modrm < 64; modrm++)
            fprintf(out, "%u%s", x87[opcode][modrm], modrm == 63 ? "},\n" : ", ");
    }
    fprintf(out, "};\n");
}

int main(int argc, char **argv)
{
    static generator g;
    if (argc != 3) {
        fprintf(stderr, "usage: instructions_gen IN.tsv OUT.c\n");
        return 2;
    }
    g.path = argv[1];
    /* Form 0 is what undefined opcodes point to. */
    g.forms[g.form_count++] = (isa_form){
        .mnemonic = "(bad)", .operands = "", .clocks = {1, 1}, .unit = ISA_MICROCODE, .flags = ISA_UNDEFINED};
    FILE *file = fopen(argv[1], "r");
    if (file == NULL) {
        perror(argv[1]);
        return 1;
    }
    parse_table(&g, file);
    fclose(file);
    if (g.errors == 0)
        check_gaps(&g);
    if (g.errors != 0)
        return 1;
    FILE *out = fopen(argv[2], "w");
    if (out == NULL) {
        perror(argv[2]);
        return 1;
    }
    fprintf(out, "/* Made from instructions.tsv by instructions_gen; not to be edited. */\n#include "
                 "\"isa/isa.h\"\n#include "
                 "\"isa/opcode_map.h\"\n\n");
    write_forms(&g, out);
    write_map(&g, out);
    if (fclose(out) != 0 || g.errors != 0) {
        remove(argv[2]);
        return 1;
    }
    return 0;
}
