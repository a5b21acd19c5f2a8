/* Instruction text in Intel syntax. The only file that knows Capstone (version 4). */
#include <capstone/capstone.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/decoder.h"

typedef struct isa_text {
    csh handle[2]; /* 16-bit, 32-bit code */
    cs_insn *insn; /* room for one */
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

unsigned isa_disassemble(isa_decoder *decoder, const uint8_t *bytes, size_t size, uint32_t address,
                         bool code32, char *text, size_t text_size)
{
    isa_insn insn;
    if (text_size != 0)
        text[0] = '\0';
    if (!isa_decode(decoder, bytes, size, address, code32, &insn))
        return 0;
    const uint8_t *code = bytes;
    size_t left = insn.length;
    uint64_t at = address;
    cs_insn *found = decoder->text->insn;
    if (cs_disasm_iter(decoder->text->handle[code32], &code, &left, &at, found) &&
        found->size == insn.length) {
        snprintf(text, text_size, "%s%s%s", found->mnemonic, found->op_str[0] == '\0' ? "" : " ",
                 found->op_str);
        return insn.length;
    }
    const isa_form *form = &isa_forms[insn.form];
    int used = snprintf(text, text_size, "%s%s%s", form->mnemonic, form->operands[0] == '\0' ? "" : " ",
                        form->operands);
    for (int i = 0; i < used && (size_t)i < text_size; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
    return insn.length;
}
