/* Texts of instructions (insn_text.h). A text is kept for as long as the guest's memory holds the same code. */
#include "report/insn_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "p5scope/observe.h"

enum { ENTRIES = 4096, TEXT_BYTES = 80, CODE_BYTES = ISA_LONGEST };

typedef struct cached_text {
    uint32_t address; /* linear */
    size_t size;      /* valid bytes of `code`: those before the next page if that page is not present */
    uint8_t code[CODE_BYTES]; /* the memory at `address`, to notice when the guest changes it */
    bool code32;              /* it is 32-bit code */
    char text[TEXT_BYTES];    /* "": the entry is empty */
} cached_text;

struct insn_text {
    const p5_machine *machine;
    isa_decoder *decoder;
    cached_text entries[ENTRIES]; /* direct-mapped: address modulo ENTRIES */
};

insn_text *insn_text_open(const p5_machine *machine)
{
    insn_text *texts = calloc(1, sizeof *texts);
    if (texts == NULL)
        return NULL;
    texts->machine = machine;
    texts->decoder = isa_decoder_open(ISA_P54C | ISA_P55C | ISA_P6); /* all that any machine executes */
    if (texts->decoder == NULL) {
        free(texts);
        return NULL;
    }
    return texts;
}

void insn_text_close(insn_text *texts)
{
    if (texts == NULL)
        return;
    isa_decoder_close(texts->decoder);
    free(texts);
}

const char *insn_text_at(insn_text *texts, uint32_t address)
{
    cached_text *entry = &texts->entries[address % ENTRIES];
    uint8_t code[CODE_BYTES] = {0};
    bool code32 = true;
    size_t size = p5_machine_read_code(texts->machine, address, code, sizeof code, &code32);
    if (entry->text[0] != '\0' && entry->address == address && entry->size == size &&
        entry->code32 == code32 && memcmp(entry->code, code, size) == 0)
        return entry->text;
    entry->address = address;
    entry->size = size;
    entry->code32 = code32;
    memcpy(entry->code, code, sizeof code);
    if (size == 0 || isa_disassemble(texts->decoder, &(isa_code){code, size, address, code32}, entry->text,
                                     sizeof entry->text) == 0)
        snprintf(entry->text, sizeof entry->text, "?");
    return entry->text;
}
