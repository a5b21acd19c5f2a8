/* CESR: fields at the manual's bit positions, and words to bits and back. */
#include "fake_source.h"

#include "pmu/cesr.h"

/* The manual's Figure 26-6, by bit number. */
static uint32_t by_position(const p5_counter_select s[2])
{
    uint32_t cesr = 0;
    cesr |= (uint32_t)s[0].code << 0 | (uint32_t)s[1].code << 16;
    cesr |= (uint32_t)s[0].system << 6 | (uint32_t)s[1].system << 22;
    cesr |= (uint32_t)s[0].user << 7 | (uint32_t)s[1].user << 23;
    cesr |= (uint32_t)s[0].clocks << 8 | (uint32_t)s[1].clocks << 24;
    cesr |= (uint32_t)s[0].overflow_pin << 9 | (uint32_t)s[1].overflow_pin << 25;
    return cesr;
}

static void same_select(const p5_counter_select *a, const p5_counter_select *b)
{
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->system, b->system);
    assert_int_equal(a->user, b->user);
    assert_int_equal(a->clocks, b->clocks);
    assert_int_equal(a->overflow_pin, b->overflow_pin);
}

/* Every half on either counter, with the other half all 0 and all 1. Reserved bits mean nothing. */
TEST(every_half)
{
    for (unsigned half = 0; half < 1024; half++)
        for (unsigned counter = 0; counter < 2; counter++)
            for (unsigned filler = 0; filler < 2; filler++) {
                p5_counter_select s[2] = {{0}};
                p5_counter_select one = {.code = half & 63,
                                         .system = half >> 6 & 1,
                                         .user = half >> 7 & 1,
                                         .clocks = half >> 8 & 1,
                                         .overflow_pin = half >> 9 & 1};
                p5_counter_select ones = {
                    .code = 63, .system = true, .user = true, .clocks = true, .overflow_pin = true};
                s[counter] = one;
                if (filler == 1)
                    s[1 - counter] = ones;
                uint32_t cesr = p5_cesr_encode(s);
                if (cesr != by_position(s))
                    fail_msg("half %03Xh on counter %u: expected %08Xh, got %08Xh", half, counter,
                             by_position(s), cesr);
                p5_counter_select back[2];
                p5_cesr_decode(cesr | (filler == 1 ? 0xfc00fc00 : 0), back);
                same_select(&back[0], &s[0]);
                same_select(&back[1], &s[1]);
            }
}
