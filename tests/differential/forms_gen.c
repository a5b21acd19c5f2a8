/* Build-time tool: writes a table for snippets.c with every encoding of the instruction table that a Linux program may
 * execute, found by decoding all opcodes. The system-mode images test what a program at CPL 3 cannot compare with
 * another processor: selectors of its operating system, time, identification.
 *   forms_gen OUT.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "form_kinds.h"
#include "isa/isa.h"

enum { CF = 1, PF = 4, AF = 16, ZF = 64, SF = 128, OF = 0x800, ALL = CF | PF | AF | ZF | SF | OF };

/* Flags that an instruction reads, gives a value, and leaves undefined. Manual: EFLAGS cross-reference. What
 * is not here reads none and leaves them alone. */
static const struct {
    const char *mnemonic;
    unsigned reads, defines, undefined;
} effects[] = {
    {"ADD", 0, ALL, 0},
    {"SUB", 0, ALL, 0},
    {"CMP", 0, ALL, 0},
    {"NEG", 0, ALL, 0},
    {"XADD", 0, ALL, 0},
    {"CMPXCHG", 0, ALL, 0},
    {"CMPS", 0, 0, 0},
    {"SCAS", 0, 0, 0},
    {"ADC", CF, ALL, 0},
    {"SBB", CF, ALL, 0},
    {"INC", 0, ALL & ~CF, 0},
    {"DEC", 0, ALL & ~CF, 0},
    {"AND", 0, ALL & ~AF, AF},
    {"OR", 0, ALL & ~AF, AF},
    {"XOR", 0, ALL & ~AF, AF},
    {"TEST", 0, ALL & ~AF, AF},
    {"MUL", 0, CF | OF, SF | ZF | AF | PF},
    {"IMUL", 0, CF | OF, SF | ZF | AF | PF},
    {"DIV", 0, 0, ALL},
    {"IDIV", 0, 0, ALL},
    {"AAM", 0, SF | ZF | PF, OF | AF | CF},
    {"AAD", 0, SF | ZF | PF, OF | AF | CF},
    {"AAA", AF, CF | AF, OF | SF | ZF | PF},
    {"AAS", AF, CF | AF, OF | SF | ZF | PF},
    {"DAA", AF | CF, CF | AF | SF | ZF | PF, OF},
    {"DAS", AF | CF, CF | AF | SF | ZF | PF, OF},
    {"BT", 0, CF, OF | SF | ZF | AF | PF},
    {"BTS", 0, CF, OF | SF | ZF | AF | PF},
    {"BTR", 0, CF, OF | SF | ZF | AF | PF},
    {"BTC", 0, CF, OF | SF | ZF | AF | PF},
    {"BSF", 0, ZF, CF | OF | SF | AF | PF},
    {"BSR", 0, ZF, CF | OF | SF | AF | PF},
    {"ROL", 0, 0, OF},
    {"ROR", 0, 0, OF},
    {"RCL", CF, 0, OF},
    {"RCR", CF, 0, OF},
    {"SHL", 0, 0, OF | AF | CF},
    {"SHR", 0, 0, OF | AF | CF},
    {"SAR", 0, 0, OF | AF | CF},
    {"SHLD", 0, 0, OF | AF | CF},
    {"SHRD", 0, 0, OF | AF | CF},
    {"LAHF", SF | ZF | AF | PF | CF, 0, 0},
    {"SAHF", 0, SF | ZF | AF | PF | CF, 0},
    {"CMC", CF, CF, 0},
    {"CLC", 0, CF, 0},
    {"STC", 0, CF, 0},
    {"SALC", CF, 0, 0},
    {"INTO", OF, 0, 0},
    {"LOOPcc", ZF, 0, 0},
    {"PUSHF", ALL, 0, 0},
    {"POPF", 0, ALL, 0},
    {"CMPXCHG8B", 0, ZF, 0},
    {"ARPL", 0, ZF, 0},
};
static const unsigned conditions[8] = {OF, CF, ZF, CF | ZF, SF, PF, SF | OF, SF | OF | ZF};

/* What a program sees of its operating system or of this very processor. */
static const char *const left_out[] = {"CPUID", "RDTSC", "RDPMC",     "SGDT/SIDT", "SLDT", "STR", "SMSW",
                                       "LAR",   "LSL",   "VERR/VERW", "LDS",       "LES",  "LSS", "LFS",
                                       "LGS",   "RETF",  "IRET",      "ICEBP",     NULL};

/* Forms that end a snippet, that may run for long, and that often end one. */
static const char *const stops[] = {
    "IN",     "OUT",  "INS",      "OUTS",     "REP INS",  "REP OUTS", "LMSW",     "WRMSR", "RDMSR",
    "WBINVD", "INVD", "RSM",      "STI",      "CLI",      "INVLPG",   "HLT",      "CLTS",  "INT",
    "INT3",   "POPF", "REP MOVS", "REP STOS", "REP LODS", "REP CMPS", "REP SCAS", NULL};
static const char *const may_stop[] = {"DIV",   "IDIV",  "AAM",   "BOUND",  "INTO",   "XLAT",    "ENTER",
                                       "LEAVE", "POPAD", "FLDCW", "FLDENV", "FRSTOR", "FNSTENV", "FNSAVE",
                                       "LODS",  "STOS",  "MOVS",  "SCAS",   "CMPS",   NULL};
static bool is_in(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name))
        list++;
    return *list != NULL;
}

static bool has_modrm(bool escape, unsigned op)
{
    if (!escape)
        return (op < 0x40 && (op & 7) < 4) || op == 0x62 || op == 0x63 || op == 0x69 || op == 0x6b ||
               (op >= 0x80 && op < 0x90) || (op & 0xfe) == 0xc0 || (op >= 0xc4 && op <= 0xc7) ||
               (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) || (op & 0xfe) == 0xf6 || op >= 0xfe;
    return op < 4 || (op >= 0x20 && op < 0x24) || (op >= 0x60 && op < 0x80 && op != 0x77) ||
           (op >= 0x90 && op < 0xa0) || (op >= 0xa3 && op <= 0xa5) || (op >= 0xab && op <= 0xad) ||
           op == 0xaf || (op >= 0xb0 && op < 0xc2) || op == 0xc7 || op >= 0xd0;
}

static bool reg_is_operand(bool escape, unsigned op)
{
    if (!escape)
        return op < 0x80 || (op >= 0x84 && op <= 0x8b) || op == 0x8d || op == 0xc4 || op == 0xc5;
    return !(op < 2 || (op >= 0x20 && op < 0x24) || (op >= 0x71 && op <= 0x73) || op == 0xba || op == 0xc7);
}

static bool is_prefix(unsigned op)
{
    return (op & 0xe7) == 0x26 || (op >= 0x64 && op <= 0x67) || op == 0xf0 || op == 0xf2 || op == 0xf3;
}

typedef struct encoding {
    uint8_t prefix, escape, opcode, modrm;
} encoding;

static isa_decoder *decoder;
static unsigned written;

static unsigned put(uint8_t *to, const encoding *c, bool modrm, bool narrow)
{
    unsigned n = 0;
    if (narrow)
        to[n++] = 0x66;
    if (c->prefix)
        to[n++] = c->prefix;
    if (c->escape)
        to[n++] = 0x0f;
    to[n++] = c->opcode;
    if (modrm)
        to[n++] = c->modrm;
    return n;
}

static unsigned kind_of(const isa_form *form, const isa_insn *insn, const encoding *c)
{
    const char *m = form->mnemonic;
    if (!strcmp(m, "ROL") || !strcmp(m, "ROR") || !strcmp(m, "RCL") || !strcmp(m, "RCR") ||
        !strcmp(m, "SHL") || !strcmp(m, "SHR") || !strcmp(m, "SAR") || !strcmp(m, "SHLD") ||
        !strcmp(m, "SHRD")) {
        bool by_cl = c->escape ? c->opcode & 1 : (c->opcode & 0xfe) == 0xd2;
        return by_cl ? SHIFT_CL : SHIFT;
    }
    switch (form->branch) {
    case ISA_JCC:
        return c->escape ? JUMP32 : JUMP8;
    case ISA_JMP:
        return c->opcode == 0xeb ? JUMP8 : JUMP32;
    case ISA_CALL:
        return CALL32;
    case ISA_RET:
        return insn->has_imm ? RET_IMM : RET;
    case ISA_JMP_INDIRECT:
        return JUMP_INDIRECT;
    case ISA_CALL_INDIRECT:
        return CALL_INDIRECT;
    case ISA_LOOP:
        return LOOP_8;
    case ISA_INT:
        return c->opcode == 0xcd ? INT_N : PLAIN;
    default:
        return c->opcode == 0xc8 && !c->escape ? ENTER : PLAIN;
    }
}

static bool excluded(const isa_form *form, const encoding *c)
{
    if (is_in(left_out, form->mnemonic))
        return true;
    bool selector = form->flags & ISA_SEGMENT_LOAD || (!c->escape && c->opcode == 0x8c) ||
                    (!c->escape && (c->opcode & 0xe7) == 0x06) || (c->escape && (c->opcode & 0xf7) == 0xa0);
    return selector || form->branch == ISA_FAR;
}

static void try(FILE *out, const encoding *c, bool modrm, unsigned extra)
{
    uint8_t bytes[16] = {0};
    isa_insn wide, narrow;
    unsigned n = put(bytes, c, modrm, false);
    if (!isa_decode(decoder, bytes, sizeof bytes, 0, true, &wide) || wide.flags & ISA_UNDEFINED)
        return;
    unsigned imm = wide.length - n;
    memset(bytes, 0, sizeof bytes);
    n = put(bytes, c, modrm, true);
    bool has_narrow =
        isa_decode(decoder, bytes, sizeof bytes, 0, true, &narrow) && !(narrow.flags & ISA_UNDEFINED);
    unsigned narrow_imm = has_narrow ? narrow.length - n : imm;
    const isa_form *form = &isa_forms[wide.form];
    if (excluded(form, c))
        return;
    unsigned flags = extra | (modrm ? MODRM : 0), reads = 0, defines = 0, undefined = 0;
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++) {
        if (strcmp(form->mnemonic, effects[i].mnemonic))
            continue;
        reads = effects[i].reads;
        defines = effects[i].defines;
        undefined = effects[i].undefined;
    }
    bool condition = form->branch == ISA_JCC || (c->escape && (c->opcode & 0xf0) == 0x90);
    if (condition)
        reads = conditions[c->opcode >> 1 & 7];
    bool mmx = form->flags & ISA_MMX;
    if (mmx || form->flags & ISA_X87)
        flags |= X87;
    if (form->fp == ISA_FP_TRANSCENDENTAL)
        flags |= LAST_BIT;
    bool scan = c->escape && (c->opcode & 0xfe) == 0xbc;
    if (mmx || !has_narrow)
        flags |= WIDE_ONLY;
    if (mmx || scan || c->prefix || (form->flags & ISA_STRING) ||
        (c->escape && (c->opcode == 0xc7 || c->opcode < 0x10)))
        flags |= NO_REP;
    if (form->flags & ISA_LOCKABLE)
        flags |= LOCKABLE;
    if (form->flags & ISA_STRING)
        flags |= STRING;
    if (is_in(stops, form->mnemonic) || (c->escape && (c->opcode & 0xfc) == 0x20)) /* MOV CR, DR */
        flags |= STOPS;
    if (is_in(may_stop, form->mnemonic))
        flags |= MAY_STOP;
    fprintf(out, "{0x%02x, %u, 0x%02x, 0x%02x, %u, %u, %u, 0x%x, 0x%x, 0x%x, 0x%x}, /* %s %s */\n", c->prefix,
            c->escape, c->opcode, c->modrm, imm, narrow_imm, kind_of(form, &wide, c), flags, reads, defines,
            undefined, form->mnemonic, form->operands);
    written++;
}

static void try_opcode(FILE *out, uint8_t prefix, bool escape, unsigned op)
{
    encoding c = {prefix, escape, (uint8_t)op, 0};
    if (!has_modrm(escape, op)) {
        try(out, &c, false, 0);
        return;
    }
    bool x87 = !escape && op >= 0xd8 && op <= 0xdf, any = reg_is_operand(escape, op);
    for (unsigned reg = 0; reg < (any ? 1u : 8u); reg++) {
        unsigned extra = any ? ANY_REG : 0;
        c.modrm = (uint8_t)(reg << 3 | 3);
        try(out, &c, true, extra | MEMORY);
        for (unsigned rm = 0; rm < (x87 ? 8u : 1u); rm++) {
            c.modrm = (uint8_t)(0xc0 | reg << 3 | rm);
            try(out, &c, true, extra | (x87 ? FIXED_MODRM : 0));
        }
    }
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    decoder = isa_decoder_open(ISA_P55C);
    if (!out || !decoder)
        return EXIT_FAILURE;
    for (unsigned escape = 0; escape < 2; escape++)
        for (unsigned op = 0; op < 256; op++)
            if (escape || (!is_prefix(op) && op != 0x0f))
                try_opcode(out, 0, escape, op);
    for (uint8_t prefix = 0xf2; prefix <= 0xf3; prefix++)
        for (unsigned op = 0x6c; op < 0xb0; op++)
            if (op < 0x70 || (op >= 0xa4 && op != 0xa8 && op != 0xa9))
                try_opcode(out, prefix, false, op);
    printf("%u encodings\n", written);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
