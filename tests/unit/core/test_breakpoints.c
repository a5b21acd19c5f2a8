/* The breakpoint comparators against a second statement of the rules: DR7 as in the manual's figure (R/W and LEN
 * from bit 16, L and G from bit 0), matches byte by byte. */
#include "../unit.h"
#include "core/pipe/breakpoints.h"

/* Addresses are close together, so that breakpoints, instructions and references meet often. */
static p5_debug random_debug(uint64_t *seed)
{
    p5_debug debug = {.size = sizeof debug, .extensions = unit_random(seed) & 1};
    for (unsigned n = 0; n < 4; n++) {
        debug.dr[n] = 0x1000 + unit_random(seed) % 16;
        uint32_t length = unit_random(seed) % 3, length_field = length == 2 ? 3 : length;
        debug.dr7 |= (unit_random(seed) & 3) << (16 + 4 * n) | length_field << (18 + 4 * n);
        debug.dr7 |= (unit_random(seed) & 3) << 2 * n;
    }
    return debug;
}

static unsigned kind_of(const p5_debug *d, unsigned n)
{
    return d->dr7 >> (16 + 4 * n) & 3;
}

static bool covers(const p5_debug *d, unsigned n, uint32_t address)
{
    static const uint32_t bytes[] = {1, 2, 0, 4};
    uint32_t length = bytes[d->dr7 >> (18 + 4 * n) & 3];
    return address / length == d->dr[n] / length;
}

static bool enabled(const p5_debug *d, unsigned n)
{
    return d->dr7 >> 2 * n & 3;
}

static unsigned of_access(const p5_debug *d, const p5_access *a)
{
    unsigned matches = 0;
    for (unsigned n = 0; n < 4; n++)
        for (uint32_t byte = a->linear; byte < a->linear + a->size; byte++) {
            bool port = a->flags & P5_ACCESS_IO, write = a->flags & P5_ACCESS_WRITE;
            bool kind = port ? kind_of(d, n) == 2 && d->extensions
                             : kind_of(d, n) == 3 || (kind_of(d, n) == 1 && write);
            if (kind && covers(d, n, byte))
                matches |= 1u << n;
        }
    return matches;
}

TEST(matches_by_the_rules)
{
    uint64_t seed = 5;
    for (unsigned i = 0; i < 20000; i++) {
        p5_debug debug = random_debug(&seed);
        breakpoints b = {0};
        breakpoints_set(&b, &debug);
        unsigned on = 0;
        bool only_code = true;
        for (unsigned n = 0; n < 4; n++) {
            on |= (unsigned)enabled(&debug, n) << n;
            only_code &= kind_of(&debug, n) == 0;
        }
        assert_int_equal(breakpoints_enabled(&b), on);
        assert_int_equal(breakpoints_count_only(&b), on == 0 && only_code);
        for (uint32_t at = 0xffc; at < 0x1018; at++) {
            unsigned in_u = 0;
            for (unsigned n = 0; n < 4; n++) /* an instruction's LEN is that of its first byte */
                in_u |= (unsigned)(kind_of(&debug, n) == 0 && (debug.dr7 >> (18 + 4 * n) & 3) == 0 &&
                                   debug.dr[n] == at)
                        << n;
            unsigned wide = 0;
            for (unsigned n = 0; n < 4; n++)
                wide |= (unsigned)(kind_of(&debug, n) == 0 && (debug.dr7 >> (18 + 4 * n) & 3) != 0) << n;
            assert_int_equal(breakpoints_code(&b, at, false) & ~wide, in_u);
            assert_int_equal(breakpoints_code(&b, at, true), breakpoints_code(&b, at, false) & on);
        }
        uint32_t from = 0xff8 + unit_random(&seed) % 32, bytes = unit_random(&seed) % 8;
        bool within = false;
        for (uint32_t at = from; at < from + bytes; at++)
            within |= breakpoints_code(&b, at, false) != 0;
        assert_int_equal(breakpoints_within(&b, from, bytes), within);
        for (unsigned j = 0; j < 10; j++) {
            static const uint8_t sizes[] = {1, 2, 4, 8};
            p5_access a = {.linear = 0xff8 + unit_random(&seed) % 32,
                           .size = sizes[unit_random(&seed) % 4],
                           .flags = (uint8_t)((unit_random(&seed) & 1 ? P5_ACCESS_WRITE : 0) |
                                              (unit_random(&seed) % 4 == 0 ? P5_ACCESS_IO : 0))};
            assert_int_equal(breakpoints_access(&b, &a), of_access(&debug, &a));
        }
    }
}

/* breakpoints_set returns whether an address got a code breakpoint that had none before; at the first call it returns true. */
TEST(a_new_code_breakpoint)
{
    breakpoints b = {0};
    assert_false(breakpoints_within(&b, 0, 16)); /* nothing is compared before the first write */
    assert_true(
        breakpoints_set(&b, &(p5_debug){.size = sizeof(p5_debug), .dr = {0x1000, 0x2000, 0x3000, 0x4000}}));
    assert_false(
        breakpoints_set(&b, &(p5_debug){.size = sizeof(p5_debug), .dr = {0x1000, 0x2000, 0x3000, 0x4000}}));
    assert_false(
        breakpoints_set(&b, &(p5_debug){.size = sizeof(p5_debug), .dr = {0x4000, 0x3000, 0x2000, 0x1000}}));
    for (unsigned n = 0; n < 4; n++) {
        p5_debug d = {.size = sizeof d, .dr = {0x4000, 0x3000, 0x2000, 0x1000}};
        breakpoints other = b;
        d.dr[n]++;
        assert_true(breakpoints_set(&other, &d));
        other = b;
        d.dr7 = 1u << (16 + 4 * n); /* for writes: no code breakpoint */
        assert_false(breakpoints_set(&other, &d));
    }
}
