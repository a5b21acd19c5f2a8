/* Instruction text in Intel or AT&T syntax. This is the only file that uses Capstone (versions 4 and 5, which write
 * some rare encodings differently; counts do not depend on it). */
#include <capstone/capstone.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/decoder.h"

const char *const isa_gpr_names[9] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", NULL};

typedef struct isa_text {
    csh handle[2]; /* Capstone's, by isa_code.code32: 16-bit, 32-bit code */
    cs_insn *insn; /* space for one instruction */
    bool att;      /* AT&T's syntax, not Intel's */
} isa_text;

isa_decoder *isa_decoder_open(unsigned models)
{
    isa_decoder *decoder = calloc(1, sizeof *decoder);
    isa_text *text = calloc(1, sizeof *text);
    if (decoder == NULL || text == NULL || cs_version(NULL, NULL) >> 8 != CS_API_MAJOR) {
        free(decoder);
        free(text);
        return NULL;
    }
    decoder->models = models;
    decoder->text = text;
    if (cs_open(CS_ARCH_X86, CS_MODE_16, &text->handle[0]) != CS_ERR_OK ||
        cs_open(CS_ARCH_X86, CS_MODE_32, &text->handle[1]) != CS_ERR_OK ||
        (text->insn = cs_malloc(text->handle[1])) == NULL) {
        isa_decoder_close(decoder);
        return NULL;
    }
    return decoder;
}

void isa_decoder_close(isa_decoder *decoder)
{
    if (decoder == NULL)
        return;
    isa_text *text = decoder->text;
    if (text->insn != NULL)
        cs_free(text->insn, 1);
    for (unsigned i = 0; i < 2; i++) {
        if (text->handle[i] != 0)
            cs_close(&text->handle[i]);
    }
    free(text);
    free(decoder);
}

void isa_decoder_set_att(isa_decoder *decoder, bool att)
{
    isa_text *text = decoder->text;
    text->att = att;
    for (unsigned i = 0; i < 2; i++)
        cs_option(text->handle[i], CS_OPT_SYNTAX, att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
}

/* Capstone's names and those to be written instead. Some of Capstone's are a later processor's meaning of bytes that this
 * processor decodes differently, others are not Intel's. "": nothing is written. */
static const char *const renamed[][2] = {
    {"tzcnt", "bsf"},     {"lzcnt", "bsr"},         {"pause", "nop"},
    {"bnd", "repne"},     {"xacquire", "repne"},    {"xrelease", "rep"},
    {"wait", "fwait"},    {"fstpnce", "fstp"},      {"popal", "popad"},
    {"popaw", "popa"},    {"pushal", "pushad"},     {"pushaw", "pusha"},
    {"sal", "shl"},       {"feni8087_nop", "feni"}, {"fdisi8087_nop", "fdisi"},
    {"fcompi", "fcomip"}, {"fucompi", "fucomip"},   {"notrack", ""},
    {"repz", ""}};

/* Returns whether the instruction is FCOM, FCOMP, FXCH or FSTP by an undocumented alias of its opcode (DC D0+i, DC D8+i,
 * DD C8+i, DF D0+i, DF D8+i). Capstone 5 writes these without the register. `opcode`: the bytes after the prefixes. */
static bool is_x87_alias(const isa_insn *insn, const uint8_t *opcode)
{
    if (insn->length != insn->prefixes + 2)
        return false;
    const unsigned kind = opcode[1] & 0xf8;
    return (opcode[0] == 0xdc && (kind == 0xd0 || kind == 0xd8)) || (opcode[0] == 0xdd && kind == 0xc8) ||
           (opcode[0] == 0xdf && (kind == 0xd0 || kind == 0xd8));
}

/* Writes Capstone's text with its first word (the mnemonic, or a prefix before it) replaced as in `renamed`. */
static void write_text(const cs_insn *insn, char *text, size_t text_size)
{
    const char *first = insn->mnemonic;
    size_t length = strcspn(first, " ");
    const char *rest = first + length;
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strlen(renamed[i][0]) == length && memcmp(renamed[i][0], first, length) == 0) {
            first = renamed[i][1];
            length = strlen(first);
            break;
        }
    }
    if (length == 0 && *rest == ' ')
        rest++;
    snprintf(text, text_size, "%.*s%s%s%s", (int)length, first, rest, insn->op_str[0] == '\0' ? "" : " ",
             insn->op_str);
}

/* Writes the form's own mnemonic and operand kinds, for encodings that Capstone refuses or gives a different
 * length. */
static void write_form(const isa_form *form, char *text, size_t text_size)
{
    snprintf(text, text_size, "%s%s%s", form->mnemonic, form->operands[0] == '\0' ? "" : " ", form->operands);
    for (size_t i = 0; i < text_size && text[i] != '\0'; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
}

unsigned isa_disassemble(isa_decoder *decoder, const isa_code *code, char *text, size_t text_size)
{
    isa_insn insn;
    if (text_size != 0)
        text[0] = '\0';
    if (!isa_decode(decoder, code->bytes, code->size, code->linear, code->code32, &insn))
        return 0;
    /* An instruction that raises #UD here may exist on later processors and is shown by that name, whose
     * length may differ from ours. */
    bool undefined = insn.flags & ISA_UNDEFINED;
    const uint8_t *rest = code->bytes;
    size_t left = undefined ? code->size : insn.length;
    uint64_t at = code->linear;
    cs_insn *found = decoder->text->insn;
    const uint8_t *opcode = code->bytes + insn.prefixes;
    if (!undefined && is_x87_alias(&insn, opcode))
        snprintf(text, text_size, decoder->text->att ? "%s %%st(%d)" : "%s st(%d)",
                 opcode[0] == 0xdd            ? "fxch"
                 : opcode[0] == 0xdf          ? "fstp"
                 : (opcode[1] & 0xf8) == 0xd8 ? "fcomp"
                                              : "fcom",
                 opcode[1] & 7);
    else if (cs_disasm_iter(decoder->text->handle[code->code32], &rest, &left, &at, found) &&
             (undefined || found->size == insn.length))
        write_text(found, text, text_size);
    else
        write_form(&isa_forms[insn.form], text, text_size);
    return insn.length;
}
