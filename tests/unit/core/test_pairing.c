/* The pairing rules of D1 on encodings, each rule with a pair that it allows and one that it refuses. Rules:
 * Intel 242816 chapter 3 and appendix A, as measured by Agner Fog where the two differ. */
#include "../unit.h"
#include "model_timing.h"
#include "core/block.h"
#include "core/pipe/pairing.h"
#include "p5scope/event.h"

typedef struct pair_case {
    const char *what;
    uint8_t bytes[24];
    unsigned size;
    unpaired p54c, p55c;
} pair_case;

#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

static const pair_case cases[] = {
    {"mov eax,ebx; mov ecx,edx", BYTES(0x89, 0xd8, 0x89, 0xd1), PAIRED, PAIRED},
    /* P1: classes */
    {"shl eax,1 goes to U only", BYTES(0xd1, 0xe0, 0x89, 0xd1), PAIRED, PAIRED},
    {"shl eax,1 does not go to V", BYTES(0x89, 0xd1, 0xd1, 0xe0), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    {"not eax never pairs", BYTES(0xf7, 0xd0, 0x89, 0xd1), UNPAIRED_CLASS_U, UNPAIRED_CLASS_U},
    {"adc ecx,edx in V", BYTES(0x89, 0xd8, 0x11, 0xd1), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    /* P2: registers */
    {"read after write", BYTES(0x89, 0xd8, 0x01, 0xc1), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"write after write", BYTES(0x89, 0xd8, 0x89, 0xc8), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"write after read is fine", BYTES(0x89, 0xd8, 0x89, 0xcb), PAIRED, PAIRED},
    {"sub-registers are the whole: mov al,bl; mov ah,cl", BYTES(0x88, 0xd8, 0x88, 0xcc), UNPAIRED_REGISTER,
     UNPAIRED_REGISTER},
    {"address register written: lea eax,[ebx]; mov ecx,[eax]", BYTES(0x8d, 0x03, 0x8b, 0x08),
     UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"push; push", BYTES(0x50, 0x53), PAIRED, PAIRED},
    {"push; call", BYTES(0x50, 0xe8, 0, 0, 0, 0), PAIRED, PAIRED},
    {"pop; pop", BYTES(0x58, 0x5b), PAIRED, PAIRED},
    {"push; pop", BYTES(0x50, 0x5b), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"pop esp; pop eax", BYTES(0x5c, 0x58), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"mov eax,ebx; push eax", BYTES(0x89, 0xd8, 0x50), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"cmp; jcc: flags are excepted", BYTES(0x39, 0xd8, 0x74, 0x00), PAIRED, PAIRED},
    {"mov [moffs],eax; mov ebx,eax: the store pairs as if it wrote EAX", BYTES(0xa3, 0, 0, 1, 0, 0x89, 0xc3),
     UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    /* P3: length, prefixes not counted */
    {"add [eax+ebx*4+d32],imm8 is 8 bytes", BYTES(0x83, 0x84, 0x98, 0, 1, 0, 0, 1, 0x89, 0xd1),
     UNPAIRED_CLASS_U, PAIRED},
    {"mov ecx,edx; 7 bytes", BYTES(0x89, 0xd1, 0x8b, 0x84, 0x98, 0, 1, 0, 0), PAIRED, PAIRED},
    /* P4: displacement and immediate */
    {"mov dword [ebx+4],1 first", BYTES(0xc7, 0x43, 0x04, 1, 0, 0, 0, 0x89, 0xd1), UNPAIRED_CLASS_U, PAIRED},
    {"mov dword [ebx+4],1 second", BYTES(0x89, 0xd1, 0xc7, 0x43, 0x04, 1, 0, 0, 0), UNPAIRED_CLASS_V,
     UNPAIRED_CLASS_V},
    {"mov dword [ebx],1 second: no displacement", BYTES(0x89, 0xd1, 0xc7, 0x03, 1, 0, 0, 0), PAIRED, PAIRED},
    /* P5: prefixes */
    {"66h on the second", BYTES(0x89, 0xd1, 0x66, 0x89, 0xd8), UNPAIRED_PREFIX, PAIRED},
    {"cs: on the second", BYTES(0x89, 0xd1, 0x2e, 0x8b, 0x03), UNPAIRED_PREFIX, UNPAIRED_PREFIX},
    {"cs: on the first", BYTES(0x2e, 0x8b, 0x03, 0x89, 0xd1), PAIRED, PAIRED},
    {"near jcc: its 0Fh is none", BYTES(0x89, 0xd1, 0x0f, 0x84, 0, 0, 0, 0), PAIRED, PAIRED},
    /* x87 */
    {"fadd; fxch", BYTES(0xd8, 0xc1, 0xd9, 0xc9), PAIRED, PAIRED},
    {"fadd; mov", BYTES(0xd8, 0xc1, 0x89, 0xd1), UNPAIRED_FXCH, UNPAIRED_FXCH},
    {"mov; fxch", BYTES(0x89, 0xd1, 0xd9, 0xc9), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    {"fst st(2) does not take fxch", BYTES(0xdd, 0xd2, 0xd9, 0xc9), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
};

static const pair_case mmx_cases[] = {
    {"two additions", BYTES(0x0f, 0xfc, 0xc1, 0x0f, 0xfc, 0xd3), PAIRED, PAIRED},
    {"two multiplies", BYTES(0x0f, 0xd5, 0xc1, 0x0f, 0xd5, 0xd3), PAIRED, UNPAIRED_MMX_UNIT},
    {"shift and unpack share the shifter", BYTES(0x0f, 0xf1, 0xc1, 0x0f, 0x60, 0xd3), PAIRED,
     UNPAIRED_MMX_UNIT},
    {"memory in V", BYTES(0x0f, 0xfc, 0xc1, 0x0f, 0x6f, 0x13), PAIRED, UNPAIRED_CLASS_V},
    {"memory in U, integer in V", BYTES(0x0f, 0x6f, 0x03, 0x89, 0xd1), PAIRED, UNPAIRED_MMX_MEMORY},
    {"memory in U, MMX in V", BYTES(0x0f, 0x6f, 0x03, 0x0f, 0xfc, 0xd3), PAIRED, PAIRED},
    {"integer with MMX", BYTES(0x89, 0xd1, 0x0f, 0xfc, 0xd3), PAIRED, PAIRED},
    {"MMX with integer", BYTES(0x0f, 0xfc, 0xd3, 0x89, 0xd1), PAIRED, PAIRED},
    {"result needed", BYTES(0x0f, 0xfc, 0xc1, 0x0f, 0xfc, 0xd0), PAIRED, UNPAIRED_REGISTER},
    {"emms never pairs", BYTES(0x0f, 0x77, 0x0f, 0xfc, 0xd3), PAIRED, UNPAIRED_CLASS_U},
};

/* Every pair is legal whose second needs no result of the first; x87 instructions go to U, and what changes the
 * processor's state or makes many references stays alone. */
static const pair_case ideal_cases[] = {
    {"not eax; not ecx", BYTES(0xf7, 0xd0, 0xf7, 0xd1), PAIRED, PAIRED},
    {"not [esi]; mov ecx,edx: two references", BYTES(0xf7, 0x16, 0x89, 0xd1), PAIRED, PAIRED},
    {"pusha; mov ecx,edx: eight references", BYTES(0x60, 0x89, 0xd1), UNPAIRED_CLASS_U, UNPAIRED_CLASS_U},
    {"mov ecx,edx; pusha", BYTES(0x89, 0xd1, 0x60), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    {"lock not [esi]; mov ecx,edx", BYTES(0xf0, 0xf7, 0x16, 0x89, 0xd1), UNPAIRED_CLASS_U, UNPAIRED_CLASS_U},
    {"write after write", BYTES(0x89, 0xd8, 0x89, 0xc8), PAIRED, PAIRED},
    {"read after write", BYTES(0x89, 0xd8, 0x01, 0xc1), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"push eax; pop ebx: ESP", BYTES(0x50, 0x5b), UNPAIRED_REGISTER, UNPAIRED_REGISTER},
    {"not eax; call", BYTES(0xf7, 0xd0, 0xe8, 0, 0, 0, 0), PAIRED, PAIRED},
    {"push eax; call", BYTES(0x50, 0xe8, 0, 0, 0, 0), PAIRED, PAIRED},
    {"add eax,ebx; adc ecx,edx: the carry", BYTES(0x01, 0xd8, 0x11, 0xd1), UNPAIRED_REGISTER,
     UNPAIRED_REGISTER},
    {"add eax,ebx; sete cl: another flag", BYTES(0x01, 0xd8, 0x0f, 0x94, 0xc1), UNPAIRED_REGISTER,
     UNPAIRED_REGISTER},
    {"not eax; adc ecx,edx: NOT writes no flag", BYTES(0xf7, 0xd0, 0x11, 0xd1), PAIRED, PAIRED},
    {"neg eax; jz: a branch may use the flags", BYTES(0xf7, 0xd8, 0x74, 0x00), PAIRED, PAIRED},
    {"not eax; ret", BYTES(0xf7, 0xd0, 0xc3), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    {"fadd; mov ecx,edx", BYTES(0xd8, 0xc1, 0x89, 0xd1), PAIRED, PAIRED},
    {"mov ecx,edx; fadd", BYTES(0x89, 0xd1, 0xd8, 0xc1), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
    {"fst st(2); fxch", BYTES(0xdd, 0xd2, 0xd9, 0xc9), PAIRED, PAIRED},
    {"mov ecx,edx; fxch", BYTES(0x89, 0xd1, 0xd9, 0xc9), UNPAIRED_CLASS_V, UNPAIRED_CLASS_V},
};

static const pair_case ideal_mmx_cases[] = {
    {"two multiplies", BYTES(0x0f, 0xd5, 0xc1, 0x0f, 0xd5, 0xd3), PAIRED, PAIRED},
    {"result needed", BYTES(0x0f, 0xfc, 0xc1, 0x0f, 0xfc, 0xd0), PAIRED, UNPAIRED_REGISTER},
};

static void check(const pair_case *c, unsigned family, bool ideal)
{
    PREPARED(block, timing_of(family), c->bytes, c->size, 2);
    unpaired expected = family == P5_FAMILY_P54C ? c->p54c : c->p55c;
    unpaired why =
        ideal ? pairing_check_ideal(&block->ops[0], &block->ops[1]) : (unpaired)block->ops[0].next_unpaired;
    if (block->count != 2 || why != expected)
        fail_msg("%s, family %u: expected \"%s\", got \"%s\" (%u instructions)", c->what, family,
                 p5_unpaired_text(expected), p5_unpaired_text(why), block->count);
}

TEST(integer_and_x87)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(&cases[i], P5_FAMILY_P54C, false);
        check(&cases[i], P5_FAMILY_P55C, false);
    }
}

TEST(mmx)
{
    for (size_t i = 0; i < sizeof mmx_cases / sizeof mmx_cases[0]; i++)
        check(&mmx_cases[i], P5_FAMILY_P55C, false);
}

TEST(ideal)
{
    for (size_t i = 0; i < sizeof ideal_cases / sizeof ideal_cases[0]; i++) {
        check(&ideal_cases[i], P5_FAMILY_P54C, true);
        check(&ideal_cases[i], P5_FAMILY_P55C, true);
    }
    for (size_t i = 0; i < sizeof ideal_mmx_cases / sizeof ideal_mmx_cases[0]; i++)
        check(&ideal_mmx_cases[i], P5_FAMILY_P55C, true);
}
