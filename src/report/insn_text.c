#include "report/insn_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "p5scope/observe.h"

enum { PLACES = 4096, TEXT_BYTES = 80, CODE_BYTES = 15 };

typedef struct cached_text {
    uint32_t address;
    size_t size;
    uint8_t code[CODE_BYTES];
    char text[TEXT_BYTES];
} cached_text;

struct insn_text {
    const p5_machine *machine;
    isa_decoder *decoder;
    cached_text places[PLACES];
};

insn_text *insn_text_open(const p5_machine *machine)
{
    insn_text *texts = calloc(1, sizeof *texts);
    if (texts == NULL)
        return NULL;
    texts->machine = machine;
    texts->decoder = isa_decoder_open(ISA_P54C | ISA_P55C | ISA_P6);
    if (texts->decoder != NULL)
        return texts;
    free(texts);
    return NULL;
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
    cached_text *place = &texts->places[address % PLACES];
    uint8_t code[CODE_BYTES] = {0};
    bool code32;
    size_t size = p5_machine_read_code(texts->machine, address, code, sizeof code, &code32);
    if (place->text[0] != '\0' && place->address == address && place->size == size &&
        memcmp(place->code, code, size) == 0)
        return place->text;
    place->address = address;
    place->size = size;
    memcpy(place->code, code, sizeof code);
    if (size == 0 || isa_disassemble(texts->decoder, &(isa_code){code, size, address, code32}, place->text,
                                     sizeof place->text) == 0)
        snprintf(place->text, sizeof place->text, "?");
    return place->text;
}
