/* Internals of a decoder, shared by decode.c and disassemble.c only. */
#ifndef ISA_DECODER_H
#define ISA_DECODER_H

#include "isa/isa.h"

struct isa_decoder {
    unsigned models;       /* accepted models: ISA_P54C | ISA_P55C | ISA_P6 */
    struct isa_text *text; /* Capstone's handles and the syntax; defined in disassemble.c */
};

#endif
