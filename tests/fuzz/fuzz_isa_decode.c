/* Decodes any bytes. The result is consistent. */
#include <string.h>

#include "fuzz.h"
#include "isa/isa.h"

enum { LONGEST = 15 };

static void decode(isa_decoder *decoder, const uint8_t *data, size_t size, bool code32)
{
    isa_insn insn, again;
    char text[96];
    memset(&insn, 0, sizeof insn);
    memset(&again, 0, sizeof again);
    if (!isa_decode(decoder, data, size, 0x1000, code32, &insn)) {
        LAW(size < LONGEST);
        return;
    }
    LAW(insn.length >= 1 && insn.length <= LONGEST && insn.length <= size);
    LAW(insn.prefixes < insn.length || (insn.flags & ISA_UNDEFINED));
    LAW(insn.form < isa_form_count);
    LAW(isa_disassemble(decoder, &(isa_code){data, size, 0x1000, code32}, text, sizeof text) == insn.length);
    LAW(memchr(text, 0, sizeof text) != NULL);
    /* An instruction does not depend on the bytes after it, and needs all of its own. */
    LAW(isa_decode(decoder, data, insn.length, 0x1000, code32, &again));
    LAW(memcmp(&insn, &again, sizeof insn) == 0);
    LAW(!isa_decode(decoder, data, insn.length - 1u, 0x1000, code32, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static isa_decoder *decoders[3];
    static const unsigned models[3] = {ISA_P54C, ISA_P55C, ISA_P55C | ISA_P6};
    if (size == 0)
        return 0;
    for (int i = 0; i < 3; i++) {
        if (decoders[i] == NULL && (decoders[i] = isa_decoder_open(models[i])) == NULL)
            return 0;
        decode(decoders[i], data, size, true);
        decode(decoders[i], data, size, false);
    }
    return 0;
}
