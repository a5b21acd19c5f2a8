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

/* Every half on either counter, with the other half all 0 and all 1. */
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
                p5_cesr_decode(cesr, back);
                same_select(&back[0], &s[0]);
                same_select(&back[1], &s[1]);
            }
}

/* 2^26 values sampled: decode and encode are inverse on the defined bits, and reserved bits decode to
 * nothing. */
TEST(sampled_values)
{
    uint64_t seed = 12345;
    for (unsigned i = 0; i < 300000; i++) {
        const uint32_t high = unit_random(&seed), cesr = high << 16 ^ unit_random(&seed);
        p5_counter_select s[2];
        p5_cesr_decode(cesr, s);
        uint32_t back = p5_cesr_encode(s);
        if (back != (cesr & 0x03ff03ff))
            fail_msg("CESR %08Xh: expected %08Xh back, got %08Xh", cesr, cesr & 0x03ff03ffU, back);
    }
}

TEST(example)
{
    /* Instructions at CPL 3 on counter 0; clocks of data read misses everywhere on counter 1, its pin on
     * overflow. */
    p5_counter_select s[2];
    p5_cesr_decode(0x03c30096, s);
    same_select(&s[0], &(p5_counter_select){.code = 0x16, .user = true});
    same_select(&s[1], &(p5_counter_select){
                           .code = 0x03, .system = true, .user = true, .clocks = true, .overflow_pin = true});
}

TEST(register_keeps_defined_bits)
{
    fake_source fake = {0};
    p5_pmu *pmu = fake_open(&fake, P5_FAMILY_P55C);
    assert_int_equal(fake_read(pmu, P5_MSR_CESR), 0);
    fake_write(pmu, P5_MSR_CESR, UINT64_MAX);
    assert_int_equal(fake_read(pmu, P5_MSR_CESR), 0x03ff03ff);
    fake_write(pmu, P5_MSR_CESR, 0x01234567);
    assert_int_equal(fake_read(pmu, P5_MSR_CESR), 0x01230167);
    p5_pmu_close(pmu);
}
