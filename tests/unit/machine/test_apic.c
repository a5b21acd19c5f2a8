/* The local APIC and the I/O APIC by Intel's manual and the 82093AA data sheet: what guests cannot see exactly. */
#include "../unit.h"
#include "machine/board/io_apic.h"
#include "machine/board/local_apic.h"

enum {
    TPR = 0x80,
    APR = 0x90,
    EOI = 0xb0,
    SVR = 0xf0,
    ICR = 0x300,
    LVT_TIMER_AT = 0x320,
    LVT_LINT0_AT = 0x350,
    INITIAL = 0x380,
    CURRENT = 0x390,
    DIVIDE = 0x3e0,
    SELF = 0x40000,
    PERIODIC = 0x20000,
    MASKED = 0x10000,
    LEVEL = 0x8000
};

static local_apic enabled(void)
{
    local_apic a = {0};
    local_apic_reset(&a, false);
    local_apic_write(&a, SVR, 0x1ff, 0);
    return a;
}

/* One count takes 2, 4, 8, 16, 32, 64, 128 or 1 bus clocks: bits 0, 1 and 3 of the divide register. */
TEST(test_divide)
{
    static const uint8_t codes[8] = {0, 1, 2, 3, 8, 9, 10, 11};
    static const unsigned clocks[8] = {2, 4, 8, 16, 32, 64, 128, 1};
    for (unsigned i = 0; i < 8; i++) {
        local_apic a = enabled();
        local_apic_write(&a, DIVIDE, codes[i], 7);
        local_apic_write(&a, LVT_TIMER_AT, 0x40, 7);
        local_apic_write(&a, INITIAL, 100, 7);
        assert_int_equal(7 + 100 * clocks[i], local_apic_deadline(&a));
        assert_int_equal(100, local_apic_read(&a, CURRENT, 7 + clocks[i] - 1));
        assert_int_equal(99, local_apic_read(&a, CURRENT, 7 + clocks[i]));
        local_apic_advance(&a, 7 + 100 * clocks[i] - 1);
        assert_false(local_apic_pending(&a));
        local_apic_advance(&a, 7 + 100 * clocks[i]);
        assert_true(local_apic_pending(&a));
        assert_int_equal(0, local_apic_read(&a, CURRENT, 1000000));
        assert_true(local_apic_deadline(&a) == UINT64_MAX);
    }
}

/* A periodic timer keeps its phase, however late it is looked at. */
TEST(test_periodic)
{
    local_apic a = enabled();
    local_apic_write(&a, DIVIDE, 0, 0);
    local_apic_write(&a, LVT_TIMER_AT, PERIODIC | 0x40, 0);
    local_apic_write(&a, INITIAL, 10, 0);
    assert_int_equal(20, local_apic_deadline(&a));
    local_apic_advance(&a, 20);
    assert_int_equal(40, local_apic_deadline(&a));
    local_apic_advance(&a, 105); /* at 100 */
    assert_int_equal(8, local_apic_read(&a, CURRENT, 105));
    assert_int_equal(120, local_apic_deadline(&a));
    local_apic_write(&a, LVT_TIMER_AT, MASKED | PERIODIC | 0x40, 105);
    assert_true(local_apic_deadline(&a) == UINT64_MAX);
    local_apic_write(&a, DIVIDE, 3, 105); /* 16: the count goes on */
    assert_int_equal(8, local_apic_read(&a, CURRENT, 105 + 15));
    assert_int_equal(7, local_apic_read(&a, CURRENT, 105 + 16));
}

/* Without a request above the processor's priority, an acknowledge yields the spurious vector, which is not in
 * service. */
TEST(test_spurious)
{
    local_apic a = enabled();
    local_apic_write(&a, SVR, 0x1a0, 0); /* the lowest four bits are always ones */
    local_apic_write(&a, ICR, SELF | 0x51, 0);
    local_apic_write(&a, TPR, 0x50, 0);
    assert_false(local_apic_pending(&a));
    assert_int_equal(0xaf, local_apic_acknowledge(&a));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(0, local_apic_read(&a, 0x100 + 16 * i, 0));
    local_apic_write(&a, TPR, 0x4f, 0);
    assert_int_equal(0x51, local_apic_acknowledge(&a));
    assert_int_equal(1 << 17, local_apic_read(&a, 0x120, 0));
}

/* The arbitration priority: the task's if it is above what is requested and served, else the highest class. */
TEST(test_arbitration)
{
    local_apic a = enabled();
    local_apic_write(&a, TPR, 0x23, 0);
    assert_int_equal(0x23, local_apic_read(&a, APR, 0));
    local_apic_write(&a, ICR, SELF | 0x51, 0);
    assert_int_equal(0x50, local_apic_read(&a, APR, 0));
    local_apic_acknowledge(&a);
    local_apic_write(&a, ICR, SELF | 0x43, 0);
    assert_int_equal(0x50, local_apic_read(&a, APR, 0));
}

/* A level at LINT0 comes once until its end, and again if it is still there. */
TEST(test_lint0_level)
{
    local_apic a = enabled();
    local_apic_write(&a, LVT_LINT0_AT, LEVEL | 0x61, 0);
    local_apic_set_lint0(&a, true);
    assert_int_equal(0x61, local_apic_acknowledge(&a));
    assert_int_equal(LEVEL | 1 << 14 | 0x61, local_apic_read(&a, LVT_LINT0_AT, 0));
    assert_false(local_apic_pending(&a));
    local_apic_write(&a, EOI, 0, 0);
    assert_int_equal(0x61, local_apic_acknowledge(&a));
    local_apic_set_lint0(&a, false);
    local_apic_write(&a, EOI, 0, 0);
    assert_false(local_apic_pending(&a));
    assert_int_equal(LEVEL | 0x61, local_apic_read(&a, LVT_LINT0_AT, 0));
}

static void set_entry(io_apic *a, unsigned input, uint32_t low)
{
    io_apic_write(a, 0, 0x10 + 2 * input);
    io_apic_write(a, 0x10, low);
}

/* Inputs of low polarity, and two inputs with one vector: the end of interrupt reaches both. */
TEST(test_io_levels)
{
    local_apic local = enabled();
    io_apic a;
    io_apic_reset(&a, &local);
    io_apic_set_line(&a, 9, true);
    set_entry(&a, 9, LEVEL | 0x2000 | 0x71);
    assert_false(local_apic_pending(&local));
    io_apic_set_line(&a, 9, false);
    assert_true(local_apic_pending(&local));
    set_entry(&a, 10, LEVEL | 0x71);
    io_apic_set_line(&a, 10, true);
    assert_int_equal(0x71, local_apic_acknowledge(&local));
    assert_false(local_apic_pending(&local));
    io_apic_set_line(&a, 9, true);
    local_apic_write(&local, EOI, 0, 0);
    assert_int_equal(LOCAL_APIC_EOI, local.wants);
    io_apic_end(&a, local.eoi_vector);
    assert_int_equal(0x71, local_apic_acknowledge(&local)); /* of input 10 */
    io_apic_set_line(&a, 10, false);
    local_apic_write(&local, EOI, 0, 0);
    io_apic_end(&a, local.eoi_vector);
    assert_false(local_apic_pending(&local));
}
