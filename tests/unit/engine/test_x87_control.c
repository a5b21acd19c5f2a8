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

static void control_word(guest *g, uint16_t control)
{
    uint8_t image[108];
    engine_get_x87(g->e, image);
    memcpy(image, &control, sizeof control);
    memset(image + 8, 0xff, 2); /* all registers empty */
    engine_set_x87(g->e, image);
}

TEST(test_extended)
{
    guest g;
    GUEST_OPEN(&g, precision);
    control_word(&g, 0x37f);
    guest_run(&g, ENGINE_HALTED);
    assert_true(sum_minus_one(&g) == 0x1p-60);
    guest_close(&g);
}

TEST(test_double)
{
    guest g;
    GUEST_OPEN(&g, precision);
    control_word(&g, 0x27f);
    guest_run(&g, ENGINE_HALTED);
    assert_true(sum_minus_one(&g) == 0);
    guest_close(&g);
}

/* Rounding towards plus infinity, and as RESET leaves it (40h: to nearest, single precision). */
TEST(test_rounding)
{
    guest g;
    GUEST_OPEN(&g, precision);
    control_word(&g, 0xa7f);
    guest_run(&g, ENGINE_HALTED);
    assert_true(sum_minus_one(&g) == 0x1p-52);
    guest_close(&g);
    GUEST_OPEN(&g, precision);
    guest_run(&g, ENGINE_HALTED);
    assert_true(sum_minus_one(&g) == 0);
    guest_close(&g);
}
