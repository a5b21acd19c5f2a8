/* The opcode part of the instruction table's generator: patterns such as "0F BA /4-7 reg ib" (the table's
 * header explains them), which row claims which encoding, and the map that decode.c reads. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "isa/instructions_gen.h"

static const word size_words[] = {
    {"-", 0}, {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"10", 10}, {"v", ISA_BY_OPERAND_SIZE}, {0}};
static const word memory_words[] = {{"m8", 1}, {"m16", 2}, {"m32", 4}, {"m64", 8}, {"m80", 10}, {0}};
static const word immediate_words[] = {
    {"ib", ISA_IMM_BYTE}, {"iw", ISA_IMM_WORD}, {"iz", ISA_IMM_FULL},  {"cb", ISA_IMM_REL8},
    {"cz", ISA_IMM_REL},  {"cp", ISA_IMM_FAR},  {"mo", ISA_IMM_MOFFS}, {0}};

/* One pattern of the `opcodes` column, e.g. "0F BA /4-7 reg ib" (see the table's header). */
typedef struct pattern {
    unsigned escape;       /* 1: after 0Fh */
    unsigned low, high;    /* range of opcode bytes; x87: of ModRM bytes */
    bool x87;              /* an x87 opcode (D8h to DFh) with mod = 3 */
    unsigned opcode;       /* x87: the opcode byte */
    unsigned regs;         /* mask of /reg values; 0 = no ModRM */
    unsigned modes;        /* bit 0 memory, bit 1 register */
    unsigned sizes;        /* bit 0 32-bit, bit 1 16-bit */
    unsigned reps;         /* bit 0 without F2 or F3, bit 1 with */
    bool mod_ignored;      /* isa_cell */
    uint32_t memory_bytes; /* 0: by the size column */
    uint32_t immediate;    /* isa_immediate */
} pattern;

/* Parses "3A" or "3A-3F". */
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

/* Parses "/r", "/5", "/4-7" or "/0,3-5". */
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

/* Parses a pattern, which is overwritten. Returns false after an error. */
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
    bool has_mode = false; /* one of reg, mem, any and cr was given */
    while ((item = text_field(&text, ' ')) != NULL) {
        uint32_t value;
        if (item[0] == '/') {
            if (!parse_reg_set(item, &p->regs)) {
                complain(g, "column 'opcodes': '%s' is not a set of /reg values", item);
                return false;
            }
        } else if (strcmp(item, "reg") == 0) {
            p->modes = 2;
            has_mode = true;
        } else if (strcmp(item, "mem") == 0) {
            p->modes = 1;
            has_mode = true;
        } else if (strcmp(item, "any") == 0) {
            has_mode = true;
        } else if (strcmp(item, "cr") == 0) {
            p->mod_ignored = has_mode = true;
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
            complain(g, "column 'opcodes': '%s' is not one of its words", item);
            return false;
        }
    }
    if ((p->regs != 0) != has_mode) {
        complain(g, "column 'opcodes': /reg goes together with one of reg, mem, any, cr");
        return false;
    }
    return true;
}

/* Returns whether the byte is a prefix or the escape 0Fh, so that it cannot be an opcode. */
static bool is_prefix(unsigned opcode)
{
    return opcode == 0x26 || opcode == 0x2e || opcode == 0x36 || opcode == 0x3e ||
           (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 || opcode == 0xf2 || opcode == 0xf3 ||
           opcode == 0x0f;
}

/* Assigns one encoding. Returns false after an error if a row has claimed it already. */
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

/* Assigns all encodings of a pattern to form number `form`. `size` is the size column: "bv" or a size word. */
static void claim_pattern(generator *g, const pattern *p, unsigned form, const char *size)
{
    for (unsigned byte = p->low; byte <= p->high; byte++) {
        uint32_t bytes = 0;
        if (strcmp(size, "bv") == 0)
            bytes = byte & 1 ? ISA_BY_OPERAND_SIZE : 1;
        else
            find_word(size_words, size, &bytes);
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

/* Checks rules between the pattern and the other columns, which detect typing mistakes. */
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

void opcodes_claim(generator *g, char *patterns, unsigned index, const char *size)
{
    char *item;
    uint32_t bytes;
    if (strcmp(size, "bv") != 0 && !find_word(size_words, size, &bytes))
        complain(g, "column 'size': '%s' is not one of its words", size);
    while ((item = text_field(&patterns, ';')) != NULL) {
        pattern p;
        if (!parse_pattern(g, item, &p))
            continue;
        if (index != 0)
            check_pattern(g, &p, &g->forms[index]);
        claim_pattern(g, &p, index, size);
    }
}

void opcodes_check_gaps(generator *g)
{
    g->line = 0;
    for (unsigned escape = 0; escape < OPCODE_MAPS; escape++) {
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

/* Appends `count` cells to isa_cells unless they are there already, one after another. Returns the index of the first. */
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

/* Compresses the map and writes it: an opcode whose variants are all equal gets one cell, and equal cells are shared. */
void opcodes_write(generator *g, FILE *out)
{
    static isa_opcode opcodes[OPCODE_MAPS][256];
    static uint16_t x87[8][64];
    for (unsigned escape = 0; escape < OPCODE_MAPS; escape++) {
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
    for (unsigned escape = 0; escape < OPCODE_MAPS; escape++) {
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
