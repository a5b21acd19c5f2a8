/* The x87 computes with the precision and rounding of its control word, however the word came to be there. */
#include "guest.h"

/* 1 + 2^-60 needs all 64 bits of the significand; what is left of it after taking 1 away tells the precision.
 */
GUEST(precision, "mov dword ptr [0x30000], 1\n fild dword ptr [0x30000]\n fld st(0)\n"
                 "mov dword ptr [0x30004], -60\n fild dword ptr [0x30004]\n fxch\n fscale\n fstp st(1)\n"
                 "fadd st, st(1)\n fsub st, st(1)\n fstp qword ptr [0x30010]\n fstp st(0)\n hlt");

static double sum_minus_one(guest *g)
{
    double result;
    uint32_t words[2] = {guest_peek32(g, 0x30010), guest_peek32(g, 0x30014)};
    memcpy(&result, words, sizeof result);
    return result;
}

static double run_with(uint16_t control)
{
    uint8_t image[108];
    OPEN_GUEST_OF(g, precision);
    engine_get_x87(g.e, image);
    memcpy(image, &control, sizeof control);
    memset(image + 8, 0xff, 2); /* all registers empty */
    engine_set_x87(g.e, image);
    guest_run(&g, ENGINE_HALTED);
    double result = sum_minus_one(&g);
    return result;
}

TEST(test_precision_and_rounding)
{
    enum { EXTENDED = 0x37f, DOUBLE = 0x27f, DOUBLE_UPWARDS = 0xa7f };
    assert_true(run_with(EXTENDED) == 0x1p-60);
    assert_true(run_with(DOUBLE) == 0);
    assert_true(run_with(DOUBLE_UPWARDS) == 0x1p-52);
}

/* RESET leaves 40h in the control word: single precision. */
TEST_OF_GUEST(test_reset, precision)
{
    guest_run(g, ENGINE_HALTED);
    assert_true(sum_minus_one(g) == 0);
}
