/* The operand values (isa_value_kind) that the engine reports for instructions whose clocks or events depend on them. */
#include "guest.h"

/* BSF and BSR report only the source's bit that they find, on which their clocks depend. RCL and RCR by CL report CL, and
 * CPUID and RDMSR the register that selects their function. Other instructions report nothing. */
GUEST_TEST(integer,
           "mov eax, 0x00012000\n bsf ebx, eax\n bsr ecx, eax\n xor eax, eax\n bsf edx, eax\n mov dword "
           "ptr [0x30000], 0x400\n"
           "bsf bx, word ptr [0x30000]\n mov cl, 37\n stc\n rcl eax, cl\n rcr dword ptr [0x30000], cl\n "
           "mov eax, 1\n cpuid\n mov ecx, 0x12\n rdmsr\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    static const struct {
        uint64_t a;
        uint8_t kind;
    } expected[] = {{0x2000, ISA_VALUE_SOURCE}, {0x10000, ISA_VALUE_SOURCE}, {0, ISA_VALUE_SOURCE},
                    {0x400, ISA_VALUE_SOURCE},  {37, ISA_VALUE_COUNT},       {37, ISA_VALUE_COUNT},
                    {1, ISA_VALUE_SOURCE},      {0x12, ISA_VALUE_SOURCE}};
    assert_int_equal(g->value_count, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(g->values[i].kind, expected[i].kind);
        assert_int_equal(g->values[i].a, expected[i].a);
    }
    assert_int_equal(guest_peek32(g, 0x30000), 0x400 >> 5);
}

/* Eight saturating instructions, each with MM2 = MM0 as destination and MM1 as source. */
GUEST(mmx, "movq mm0, [0x30000]\n movq mm1, [0x30008]\n movq mm2, mm0\n paddsb mm2, mm1\n movq mm2, mm0\n "
           "paddusb mm2, mm1\n movq mm2, mm0\n psubusw mm2, mm1\n"
           "movq mm2, mm0\n packsswb mm2, mm1\n movq mm2, mm0\n packssdw mm2, mm1\n movq mm2, mm0\n psubsw "
           "mm2, mm1\n movq mm2, mm0\n packuswb mm2, mm1\n"
           "movq mm2, mm0\n paddsw mm2, [0x30008]\n hlt");

/* Runs `mmx` with MM0 = a and MM1 = b. `clipped` has a digit per instruction: 1 if it clips an element. */
static void saturation(uint64_t a, uint64_t b, const char *clipped)
{
    OPEN_GUEST_OF(g, mmx);
    memcpy(engine_ram(g.e, 0x30000, 8), &a, 8);
    memcpy(engine_ram(g.e, 0x30008, 8), &b, 8);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(g.value_count, strlen(clipped));
    for (unsigned i = 0; clipped[i]; i++) {
        if (g.values[i].a != (uint64_t)(clipped[i] == '1') || g.values[i].kind != ISA_VALUE_SATURATED)
            fail_msg("%016llx, %016llx: instruction %u clipped %u, expected %c", (unsigned long long)a,
                     (unsigned long long)b, i, (unsigned)g.values[i].a, clipped[i]);
    }
}

TEST(saturating_instructions_report_whether_they_clip)
{
    /* In order: PADDSB PADDUSB PSUBUSW PACKSSWB PACKSSDW PSUBSW PACKUSWB PADDSW. */
    saturation(0, 0, "00000000");
    saturation(0x7f, 1, "10000000");   /* 127 + 1 is no signed byte */
    saturation(0xff, 1, "01010000");   /* 255 + 1 is no unsigned byte; 255 is no signed byte */
    saturation(1, 2, "00100000");      /* 1 - 2 is no unsigned word */
    saturation(0x8000, 1, "00011110"); /* word -32768: no signed or unsigned byte, and - 1 no signed word;
                                          dword 32768: no signed word */
    saturation(0x7fff, 1, "01010011"); /* byte 255 + 1: no unsigned byte; word 32767: no signed or unsigned
                                          byte, and + 1 no signed word */
}
