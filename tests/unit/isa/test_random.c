/* Laws for any bytes: decoding never crashes, gives the same result again, and depends on exactly the bytes of the
 * instruction. */
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "isa/isa.h"

enum { DECODES = 1000000, MAX_LENGTH = 15 };

static uint64_t seed = 0x5eed;

static uint8_t random_byte(void)
{
    return (uint8_t)(unit_random(&seed) >> 23);
}

/* Every other time the first bytes are prefixes, so that lengths near 15 occur. */
static void random_bytes(uint8_t bytes[16])
{
    static const uint8_t prefixes[] = {0x26, 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x0f, 0x66};
    unsigned count = random_byte() & 1 ? random_byte() & 15 : 0;
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = i < count ? prefixes[random_byte() & 7] : random_byte();
}

static bool same_insn(const isa_insn *a, const isa_insn *b)
{
    return a->length == b->length && a->form == b->form && a->flags == b->flags && a->target == b->target &&
           a->prefixes == b->prefixes && a->read_gpr == b->read_gpr && a->write_gpr == b->write_gpr &&
           a->address_gpr == b->address_gpr && a->imm16 == b->imm16 && a->accesses == b->accesses;
}

static void fail_bytes(const uint8_t bytes[16], const char *what, unsigned number)
{
    char hex[64] = "";
    for (unsigned i = 0; i < 16; i++)
        snprintf(hex + 3 * i, sizeof hex - 3 * i, "%02x ", bytes[i]);
    fail_msg("%s: %s %u", hex, what, number);
}

TEST(test_random)
{
    isa_decoder *decoder = isa_decoder_open(ISA_P55C | ISA_P6);
    assert_non_null(decoder);
    unsigned longest = 0;
    for (unsigned n = 0; n < DECODES; n++) {
        uint8_t bytes[16], exact[MAX_LENGTH];
        isa_insn insn, again;
        random_bytes(bytes);
        bool code32 = n & 1;
        if (!isa_decode(decoder, bytes, sizeof bytes, n, code32, &insn))
            fail_bytes(bytes, "16 bytes are not enough; instruction", n);
        if (insn.length == 0 || insn.length > MAX_LENGTH || insn.prefixes > insn.length ||
            insn.form >= isa_form_count)
            fail_bytes(bytes, "length", insn.length);
        if ((insn.form == 0) != ((insn.flags & ISA_UNDEFINED) != 0))
            fail_bytes(bytes, "form and ISA_UNDEFINED disagree, form", insn.form);
        longest = insn.length > longest ? insn.length : longest;
        /* A copy of exactly these bytes, so that a sanitizer sees a read after them. */
        memcpy(exact, bytes, insn.length);
        if (insn.length < MAX_LENGTH || !(insn.flags & ISA_UNDEFINED)) {
            if (!isa_decode(decoder, exact, insn.length, n, code32, &again) || !same_insn(&insn, &again))
                fail_bytes(bytes, "another answer from exactly as many bytes", insn.length);
        }
        for (unsigned less = 0; less < insn.length; less++) {
            if (isa_decode(decoder, exact, less, n, code32, &again))
                fail_bytes(bytes, "answered from too few bytes", less);
        }
    }
    assert_int_equal(longest, MAX_LENGTH);
    isa_decoder_close(decoder);
}

/* Sixteen bytes are #UD whatever they say; fifteen are not. */
TEST(test_longest)
{
    isa_decoder *decoder = isa_decoder_open(ISA_P55C);
    assert_non_null(decoder);
    uint8_t bytes[16];
    isa_insn insn;
    memset(bytes, 0x66, sizeof bytes);
    bytes[14] = 0x90;
    assert_true(isa_decode(decoder, bytes, sizeof bytes, 0, true, &insn));
    assert_int_equal(insn.length, 15);
    assert_int_equal(insn.size_prefixes, 14);
    assert_string_equal(isa_forms[insn.form].mnemonic, "NOP");
    bytes[14] = 0x66;
    bytes[15] = 0x90;
    assert_true(isa_decode(decoder, bytes, sizeof bytes, 0, true, &insn));
    assert_true(insn.flags & ISA_UNDEFINED);
    assert_int_equal(insn.length, 15);
    assert_true(isa_decode(decoder, bytes, 15, 0, true, &insn));
    assert_true(insn.flags & ISA_UNDEFINED);
    assert_false(isa_decode(decoder, bytes, 14, 0, true, &insn));
    /* The immediate is what makes it too long: ADD EAX,imm32 with 11 prefixes. */
    bytes[11] = 0x05;
    memset(bytes, 0x2e, 11);
    assert_true(isa_decode(decoder, bytes, sizeof bytes, 0, true, &insn));
    assert_true(insn.flags & ISA_UNDEFINED);
    isa_decoder_close(decoder);
}
