/* Which instructions exist: every one- and two-byte opcode with every ModRM byte, on both processors, against
 * a statement of its own (the opcode maps of the manuals and what is known of undocumented encodings). */
#include <string.h>

#include "../unit.h"
#include "isa/isa.h"

/* Opcodes first..last exist with ModRM.reg in `memory` (mod 0-2) or in `registers` (mod 3), one bit for each
 * value. Opcodes without ModRM exist whatever follows: ANY, ANY. */
typedef struct opcode_range {
    uint8_t first, last, memory, registers;
} opcode_range;

enum { ANY = 0xff, NONE = 0 };

static const opcode_range one_byte[] = {
    {0x00, 0x0e, ANY, ANY},   /* ADD OR, PUSH/POP ES, PUSH CS */
    {0x10, 0x25, ANY, ANY},   /* ADC SBB AND */
    {0x27, 0x2d, ANY, ANY},   /* DAA SUB */
    {0x2f, 0x35, ANY, ANY},   /* DAS XOR */
    {0x37, 0x3d, ANY, ANY},   /* AAA CMP */
    {0x3f, 0x61, ANY, ANY},   /* AAS INC DEC PUSH POP PUSHA POPA */
    {0x62, 0x62, ANY, NONE},  /* BOUND */
    {0x63, 0x63, ANY, ANY},   /* ARPL */
    {0x68, 0x8b, ANY, ANY},   /* PUSH imm, IMUL, INS OUTS, Jcc, groups 1 with its alias 82h, TEST XCHG MOV */
    {0x8c, 0x8c, 0x3f, 0x3f}, /* MOV from ES CS SS DS FS GS */
    {0x8d, 0x8d, ANY, NONE},  /* LEA */
    {0x8e, 0x8e, 0x3d, 0x3d}, /* MOV to a segment register, not CS */
    {0x8f, 0x8f, 0x01, 0x01}, /* POP */
    {0x90, 0xc3, ANY, ANY},   /* XCHG ... MOV moffs, strings, MOV imm, shifts (with /6), RET */
    {0xc4, 0xc5, ANY, NONE},  /* LES LDS */
    {0xc6, 0xc7, 0x01, 0x01}, /* MOV imm */
    {0xc8, 0xd7, ANY, ANY},   /* ENTER LEAVE RETF INT IRET, shifts, AAM AAD SALC XLAT */
    {0xd8, 0xd8, ANY, NONE},  /* x87 with memory; mod 3 below */
    {0xd9, 0xd9, 0xfd, NONE}, /* no /1 */
    {0xda, 0xda, ANY, NONE},  {0xdb, 0xdb, 0xad, NONE}, {0xdc, 0xdc, ANY, NONE}, {0xdd, 0xdd, 0xdd, NONE},
    {0xde, 0xde, ANY, NONE},  {0xdf, 0xdf, 0xfd, NONE}, {0xe0, 0xef, ANY, ANY}, /* LOOP JCXZ IN OUT CALL JMP
                                                                                 */
    {0xf1, 0xf1, ANY, ANY},                                                     /* ICEBP */
    {0xf4, 0xfd, ANY, ANY},   /* HLT CMC, group 3 (with /1), flags */
    {0xfe, 0xfe, 0x03, 0x03}, /* INC DEC */
    {0xff, 0xff, 0x7f, 0x57}, /* INC DEC CALL CALLF JMP JMPF PUSH; the far ones from memory only */
};

/* x87 with mod 3: the ModRM bytes that exist. */
static const struct {
    uint8_t opcode, first, last;
} x87[] = {
    {0xd8, 0xc0, 0xff}, /* arithmetic */
    {0xd9, 0xc0, 0xd0}, {0xd9, 0xd8, 0xe1},
    {0xd9, 0xe4, 0xe5}, {0xd9, 0xe8, 0xee}, /* FLD FXCH FNOP, alias FSTP, FCHS FABS ... */
    {0xd9, 0xf0, 0xff}, {0xda, 0xe9, 0xe9}, /* FUCOMPP */
    {0xdb, 0xe0, 0xe4},                     /* FENI FDISI FNCLEX FNINIT FSETPM */
    {0xdc, 0xc0, 0xff}, {0xdd, 0xc0, 0xef}, /* FFREE, aliases, FST, FUCOM */
    {0xde, 0xc0, 0xd7}, {0xde, 0xd9, 0xd9},
    {0xde, 0xe0, 0xff}, {0xdf, 0xc0, 0xe0}, /* aliases, FNSTSW AX */
};

static const opcode_range two_byte[] = {
    {0x00, 0x00, 0x3f, 0x3f}, /* SLDT STR LLDT LTR VERR VERW */
    {0x01, 0x01, 0xdf, 0x50}, /* SGDT SIDT LGDT LIDT SMSW LMSW INVLPG */
    {0x02, 0x03, ANY, ANY},   /* LAR LSL */
    {0x06, 0x06, ANY, ANY},   /* CLTS */
    {0x08, 0x09, ANY, ANY},   /* INVD WBINVD */
    {0x20, 0x20, 0x1d, 0x1d}, /* MOV from CR0 CR2 CR3 CR4 */
    {0x21, 0x21, ANY, ANY},   /* MOV from DR */
    {0x22, 0x22, 0x1d, 0x1d}, {0x23, 0x23, ANY, ANY}, {0x30, 0x32, ANY, ANY}, /* WRMSR RDTSC RDMSR */
    {0x80, 0xa5, ANY, ANY},   /* Jcc SETcc PUSH/POP FS CPUID BT SHLD */
    {0xa8, 0xad, ANY, ANY},   /* PUSH/POP GS RSM BTS SHRD */
    {0xaf, 0xb1, ANY, ANY},   /* IMUL CMPXCHG */
    {0xb2, 0xb2, ANY, NONE},  /* LSS */
    {0xb3, 0xb3, ANY, ANY},   /* BTR */
    {0xb4, 0xb5, ANY, NONE},  /* LFS LGS */
    {0xb6, 0xb7, ANY, ANY},   /* MOVZX */
    {0xba, 0xba, 0xf0, 0xf0}, /* BT group */
    {0xbb, 0xc1, ANY, ANY},   /* BTC BSF BSR MOVSX XADD */
    {0xc7, 0xc7, 0x02, NONE}, /* CMPXCHG8B */
    {0xc8, 0xcf, ANY, ANY},   /* BSWAP */
};

/* What P55C has in addition: RDPMC and the 57 MMX instructions of 1997. */
static const opcode_range two_byte_p55c[] = {
    {0x33, 0x33, ANY, ANY},   /* RDPMC */
    {0x60, 0x6b, ANY, ANY},   /* PUNPCKL PACKSSWB PCMPGT PACKUSWB PUNPCKH PACKSSDW */
    {0x6e, 0x6f, ANY, ANY},   /* MOVD MOVQ */
    {0x71, 0x72, NONE, 0x54}, /* shifts of words and doublewords by an immediate */
    {0x73, 0x73, NONE, 0x44}, /* of quadwords: no arithmetic one */
    {0x74, 0x77, ANY, ANY},   /* PCMPEQ EMMS */
    {0x7e, 0x7f, ANY, ANY},   /* MOVD MOVQ */
    {0xd1, 0xd3, ANY, ANY},   {0xd5, 0xd5, ANY, ANY}, {0xd8, 0xd9, ANY, ANY}, {0xdb, 0xdd, ANY, ANY},
    {0xdf, 0xdf, ANY, ANY},   {0xe1, 0xe2, ANY, ANY}, {0xe5, 0xe5, ANY, ANY}, {0xe8, 0xe9, ANY, ANY},
    {0xeb, 0xed, ANY, ANY},   {0xef, 0xef, ANY, ANY}, {0xf1, 0xf3, ANY, ANY}, {0xf5, 0xf5, ANY, ANY},
    {0xf8, 0xfa, ANY, ANY},   {0xfc, 0xfe, ANY, ANY},
};

static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};

static bool in_ranges(const opcode_range *ranges, size_t count, uint8_t opcode, uint8_t modrm)
{
    for (size_t i = 0; i < count; i++) {
        if (opcode >= ranges[i].first && opcode <= ranges[i].last)
            return (modrm >= 0xc0 ? ranges[i].registers : ranges[i].memory) >> (modrm >> 3 & 7) & 1;
    }
    return false;
}

#define IN_RANGES(RANGES, OPCODE, MODRM) in_ranges(RANGES, sizeof(RANGES) / sizeof(RANGES)[0], OPCODE, MODRM)

/* 66h, F2h and F3h before an MMX opcode make instructions of SSE elsewhere; here there is none. */
static bool exists(unsigned model, uint8_t prefix, bool escape, uint8_t opcode, uint8_t modrm)
{
    const bool spoils = opcode != 0x33 && (prefix == 0x66 || prefix == 0xf2 || prefix == 0xf3);
    if (escape)
        return IN_RANGES(two_byte, opcode, modrm) ||
               (model == ISA_P55C && !spoils && IN_RANGES(two_byte_p55c, opcode, modrm));
    for (size_t i = 0; i < sizeof x87 / sizeof x87[0]; i++) {
        if (opcode == x87[i].opcode && modrm >= x87[i].first && modrm <= x87[i].last)
            return true;
    }
    return IN_RANGES(one_byte, opcode, modrm);
}

static bool is_prefix(uint8_t byte)
{
    return memchr(prefixes, byte, sizeof prefixes) != NULL;
}

/* Decodes prefix (if not 0), 0Fh (if escape), opcode, modrm and zeros. */
static isa_insn decode(isa_decoder *decoder, uint8_t prefix, bool escape, uint8_t opcode, uint8_t modrm,
                       bool code32)
{
    uint8_t bytes[16] = {0};
    unsigned at = 0;
    isa_insn insn;
    if (prefix != 0)
        bytes[at++] = prefix;
    if (escape)
        bytes[at++] = 0x0f;
    bytes[at++] = opcode;
    bytes[at] = modrm;
    if (!isa_decode(decoder, bytes, sizeof bytes, 0, code32, &insn))
        fail_msg("%s%02x %02x: more than 16 bytes wanted", escape ? "0f " : "", opcode, modrm);
    return insn;
}

static void walk(unsigned model, bool code32, uint8_t prefix)
{
    isa_decoder *decoder = isa_decoder_open(model);
    assert_non_null(decoder);
    for (unsigned escape = 0; escape < 2; escape++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            if (!escape && (is_prefix((uint8_t)opcode) || opcode == 0x0f))
                continue;
            for (unsigned modrm = 0; modrm < 256; modrm++) {
                isa_insn insn = decode(decoder, prefix, escape, (uint8_t)opcode, (uint8_t)modrm, code32);
                bool expected = exists(model, prefix, escape, (uint8_t)opcode, (uint8_t)modrm);
                if (expected != !(insn.flags & ISA_UNDEFINED))
                    fail_msg("%s%02x %02x on model %u, %d-bit code, prefix %02x: expected %s, is %s",
                             escape ? "0f " : "", opcode, modrm, model, code32 ? 32 : 16, prefix,
                             expected ? "defined" : "#UD", isa_forms[insn.form].mnemonic);
                if (expected && !(isa_forms[insn.form].models & model))
                    fail_msg("%s%02x %02x: form of another processor", escape ? "0f " : "", opcode, modrm);
            }
        }
    }
    isa_decoder_close(decoder);
}

TEST(test_instruction_set_of_each_model)
{
    static const uint8_t before[] = {0, 0x66, 0x67, 0x3e, 0xf2, 0xf3};
    for (unsigned i = 0; i < 2 * sizeof before; i++) {
        walk(ISA_P54C, i % 2, before[i / 2]);
        walk(ISA_P55C, i % 2, before[i / 2]);
    }
}

/* LOCK: ADD OR ADC SBB AND SUB XOR (00-33h and group 1), INC DEC NOT NEG, XCHG, BTS BTR BTC, XADD, CMPXCHG,
 * CMPXCHG8B, with memory as destination. Manual: LOCK prefix. */
static bool lockable(bool escape, uint8_t opcode, uint8_t modrm)
{
    unsigned reg = modrm >> 3 & 7;
    if (modrm >= 0xc0)
        return false;
    if (escape)
        return opcode == 0xab || opcode == 0xb3 || opcode == 0xbb || (opcode == 0xba && reg >= 5) ||
               (opcode >= 0xb0 && opcode <= 0xb1) || (opcode >= 0xc0 && opcode <= 0xc1) ||
               (opcode == 0xc7 && reg == 1);
    return (opcode < 0x38 && (opcode & 7) < 2) || (opcode >= 0x80 && opcode <= 0x83 && reg != 7) ||
           (opcode >= 0x86 && opcode <= 0x87) ||
           (opcode >= 0xf6 && opcode <= 0xf7 && (reg == 2 || reg == 3)) || (opcode >= 0xfe && reg < 2);
}

TEST(test_lock_prefix)
{
    isa_decoder *decoder = isa_decoder_open(ISA_P55C);
    assert_non_null(decoder);
    for (unsigned escape = 0; escape < 2; escape++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            if (!escape && (is_prefix((uint8_t)opcode) || opcode == 0x0f))
                continue;
            for (unsigned modrm = 0; modrm < 256; modrm++) {
                isa_insn insn = decode(decoder, 0xf0, escape, (uint8_t)opcode, (uint8_t)modrm, true);
                bool expected = lockable(escape, (uint8_t)opcode, (uint8_t)modrm);
                if (expected != !(insn.flags & ISA_UNDEFINED))
                    fail_msg("lock %s%02x %02x: expected %s", escape ? "0f " : "", opcode, modrm,
                             expected ? "defined" : "#UD");
                if (expected && !insn.lock)
                    fail_msg("lock %s%02x %02x: lock not reported", escape ? "0f " : "", opcode, modrm);
            }
        }
    }
    isa_decoder_close(decoder);
}

/* Later instructions decode in permissive mode, with their length, and only there. */
TEST(test_permissive)
{
    static const struct {
        uint8_t bytes[8], length;
    } later[] = {
        {{0x0f, 0x45, 0xc1}, 3},                   /* CMOVNE EAX,ECX */
        {{0x0f, 0x44, 0x40, 0x04}, 4},             /* CMOVE EAX,[EAX+4] */
        {{0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0}, 8}, /* long NOP */
        {{0xf3, 0x0f, 0x1e, 0xfb}, 4},             /* ENDBR32 */
        {{0xdb, 0xf1}, 2},                         /* FCOMI */
        {{0xda, 0xc1}, 2},                         /* FCMOVB */
    };
    isa_decoder *strict = isa_decoder_open(ISA_P55C), *permissive = isa_decoder_open(ISA_P55C | ISA_P6);
    assert_non_null(strict);
    assert_non_null(permissive);
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        isa_insn insn;
        assert_true(isa_decode(strict, later[i].bytes, 8, 0, true, &insn));
        assert_true(insn.flags & ISA_UNDEFINED);
        assert_true(isa_decode(permissive, later[i].bytes, 8, 0, true, &insn));
        assert_false(insn.flags & ISA_UNDEFINED);
        assert_int_equal(insn.length, later[i].length);
        assert_int_equal(isa_forms[insn.form].models, ISA_P6);
    }
    isa_decoder_close(strict);
    isa_decoder_close(permissive);
}
