/* The register tables: masks and fields by family, reading and writing through RDMSR and WRMSR, numbers that
 * alias. */
#include "fake_source.h"
#include "p5scope/observe.h"

static const unsigned families[] = {P5_FAMILY_P54C, P5_FAMILY_P55C};

static const p5_register *find(unsigned family, const char *name)
{
    for (const p5_register *r = p5_registers(family); r->name != NULL; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static uint64_t field_mask(const p5_register_field *f)
{
    return (UINT64_MAX >> (63 - (f->high - f->low))) << f->low;
}

/* Fields run from high to low, do not overlap, and are what can be read or written. */
TEST(fields_fit_masks)
{
    static const unsigned maps[] = {P5_FAMILY_P54C, P5_FAMILY_P55C, P5_FAMILY_P55C | P5_MONITOR_P6,
                                    P5_FAMILY_P55C | P5_MONITOR_ARCH3};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        for (const p5_register *r = p5_registers(maps[i]); r->name != NULL; r++) {
            uint64_t covered = 0;
            assert_true(r->field_count > 0);
            for (unsigned f = 0; f < r->field_count; f++) {
                const p5_register_field *field = &r->fields[f];
                assert_true(field->high >= field->low);
                assert_true(strlen(field->name) > 0 && strlen(field->meaning) > 0);
                uint64_t mask = field_mask(field);
                if ((covered & mask) != 0 || (f > 0 && field->high >= r->fields[f - 1].low))
                    fail_msg("%s.%s overlaps or is out of order", r->name, field->name);
                covered |= mask;
            }
            uint64_t reach = r->read_mask | r->write_mask;
            if (strcmp(r->name, "tr4") == 0) /* bits 31-28 keep what is written, and mean nothing */
                reach &= 0x0fffffff;
            if (strncmp(r->name, "perfevtsel", 10) == 0) /* E is explained, although it is refused */
                reach |= 1U << 18;
            else if (maps[i] > P5_FAMILY_P55C) /* WRMSR takes more bits of later counters than there are */
                covered |= reach;
            if (covered != reach)
                fail_msg("family %u %s: fields cover %llX, masks %llX", maps[i], r->name,
                         (unsigned long long)covered, (unsigned long long)reach);
        }
}

/* What the manual's figures and tables let be read of each register after all ones were written. */
TEST(registers_keep_their_formats)
{
    static const struct {
        unsigned family;
        uint32_t msr, reads_back;
    } rows[] = {
        {P5_FAMILY_P54C, 0x02, 0x00000001},
        {P5_FAMILY_P55C, 0x02, 0x00000001}, /* TR1: only PES can be read */
        {P5_FAMILY_P54C, 0x04, 0x0000000f}, /* TR2: four end bits */
        {P5_FAMILY_P54C, 0x05, 0xffffffff},
        {P5_FAMILY_P55C, 0x05, 0xffffffff},
        {P5_FAMILY_P54C, 0x06, 0xffffff07},
        {P5_FAMILY_P55C, 0x06, 0xffffff1f}, /* TR4: one or three LRU bits */
        {P5_FAMILY_P54C, 0x07, 0x00000000},
        {P5_FAMILY_P55C, 0x07, 0x00000000}, /* TR5: write-only */
        {P5_FAMILY_P54C, 0x08, 0xffffff07},
        {P5_FAMILY_P55C, 0x08, 0xffffff07},
        {P5_FAMILY_P54C, 0x09, 0xffffff9c},
        {P5_FAMILY_P55C, 0x09, 0xfffffc7f}, /* TR7: LRU, or six entry bits */
        {P5_FAMILY_P54C, 0x0b, 0xffffffc3},
        {P5_FAMILY_P55C, 0x0b, 0xffffffff},
        {P5_FAMILY_P54C, 0x0c, 0xffffffff},
        {P5_FAMILY_P55C, 0x0c, 0xffffffff},
        {P5_FAMILY_P54C, 0x0d, 0x00000fcf},
        {P5_FAMILY_P55C, 0x0d, 0x03001fcf},
        {P5_FAMILY_P54C, 0x0e, 0x00000000},
        {P5_FAMILY_P55C, 0x0e, 0x00000000}, /* TR12: write-only */
        {P5_FAMILY_P54C, 0x11, 0x03ff03ff},
        {P5_FAMILY_P55C, 0x11, 0x03ff03ff}, /* CESR */
        {P5_FAMILY_P54C, 0x00, 0x00000000},
        {P5_FAMILY_P55C, 0x01, 0x00000000}, /* machine check: read-only */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FAKE_PMU(fake, pmu, rows[i].family);
        fake_write(pmu, rows[i].msr, UINT64_MAX);
        uint64_t is = fake_read(pmu, rows[i].msr);
        if (is != rows[i].reads_back)
            fail_msg("family %u MSR %02Xh: expected %08X, got %llX", rows[i].family, rows[i].msr,
                     rows[i].reads_back, (unsigned long long)is);
    }
}

/* TR12's bits reach the core, the P55C's two further ones only there. */
TEST(tr12_controls_the_core)
{
    enum { NBP = 1 << 0, SE = 1 << 2, CI = 1 << 3, CCI = 1 << 19, DCI = 1 << 20 };
    static const uint32_t values[] = {0,   NBP,      SE,        CI,         CCI,
                                      DCI, NBP | SE, CCI | DCI, 0xffffffff, ~(uint32_t)CI};
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            FAKE_PMU(fake, pmu, families[f]);
            uint32_t v = values[i];
            fake_write(pmu, P5_MSR_TR12, v);
            p5_control control = {.size = sizeof control, .paging = true, .cache_disable = true};
            p5_pmu_control(pmu, &control);
            bool mmx = families[f] == P5_FAMILY_P55C;
            assert_int_equal(control.no_branch_allocation, (v & NBP) != 0);
            assert_int_equal(control.single_pipe, (v & SE) != 0);
            assert_int_equal(control.code_cache_inhibit, (v & CI) != 0 || (mmx && (v & CCI) != 0));
            assert_int_equal(control.data_cache_inhibit, (v & CI) != 0 || (mmx && (v & DCI) != 0));
            assert_true(control.paging && control.cache_disable); /* not TR12's: left alone */
        }
}

/* Erratum 33: on a P54C a negative number reaches the register of its low five bits. */
TEST(negative_numbers_alias_on_p54c)
{
    FAKE_PMU_AT(fake, pmu, P5_FAMILY_P54C, 40);
    fake_write(pmu, 0x80000011, 0x00960096);
    assert_int_equal(fake_read(pmu, P5_MSR_CESR), 0x00960096);
    fake_write(pmu, P5_MSR_CTR1, 123);
    assert_int_equal(fake_read(pmu, 0xffffff13), 123 + 0); /* bits 30-5 do not matter */
    fake.clock = 45;
    assert_int_equal(fake_read(pmu, 0x80000010), 5);
    /* What is not there reads as 0 and keeps nothing; three undocumented registers are there. */
    static const uint32_t absent[] = {0x03, 0x0a, 0x0f, 0x14, 0x15, 0x16, 0x17};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        fake_write(pmu, 0x80000000 | absent[i], 0xffffffff);
        assert_int_equal(fake_read(pmu, 0x80000000 | absent[i]), 0);
    }
    fake_write(pmu, 0x8000001c, 0);
    assert_int_equal(fake_read(pmu, 0x8000001c), 4);
    fake_write(pmu, 0x8000001e, UINT64_C(0x1111111122222222));
    fake_write(pmu, 0x8000001f, 0x33333333);
    assert_int_equal(fake_read(pmu, 0x8000001e), 0x22222222);
    assert_int_equal(fake_read(pmu, 0x8000001f), 0x33333333);
}

/* MCA and MCT keep the first failed bus cycle until MCT is read; CHK says whether one is latched. */
TEST(the_first_bus_check_is_latched)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    for (unsigned type = 0; type < 32; type += 2) { /* W/R#, D/C#, M/IO# and LOCK# are bits 1 to 4 */
        uint32_t address = 0xfedc0000 + type;
        assert_true(p5_pmu_bus_check(pmu, address, type));
        assert_false(p5_pmu_bus_check(pmu, 0x1234, 30 - type));
        assert_int_equal(p5_pmu_peek(pmu, P5_MSR_MCT), type | 1);
        assert_int_equal(fake_read(pmu, P5_MSR_MCA), address);
        assert_int_equal(fake_read(pmu, P5_MSR_MCT), type | 1);
        assert_int_equal(fake_read(pmu, P5_MSR_MCT), type);
        assert_int_equal(fake_read(pmu, P5_MSR_MCA), address);
    }
    p5_pmu_bus_check(pmu, 0, UINT32_MAX);
    assert_int_equal(fake_read(pmu, P5_MSR_MCT), 0x1f);
}

/* The monitor's own registers, in the order of their numbers, and which of them count. */
TEST(the_monitors_registers)
{
    static const struct {
        unsigned family;
        const char *names; /* counters have a plus sign */
    } rows[] = {
        {P5_FAMILY_P54C, "cesr ctr0+ ctr1+ "},
        {P5_FAMILY_P55C, "cesr ctr0+ ctr1+ "},
        {P5_FAMILY_P55C | P5_MONITOR_P6, "pmc0+ pmc1+ perfevtsel0 perfevtsel1 "},
        {P5_FAMILY_P55C | P5_MONITOR_ARCH3,
         "pmc0+ pmc1+ pmc2+ pmc3+ perfevtsel0 perfevtsel1 perfevtsel2 perfevtsel3 "
         "fixed_ctr0+ fixed_ctr1+ fixed_ctr2+ fixed_ctr_ctrl global_status global_ctrl "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FAKE_PMU(fake, pmu, rows[i].family);
        char names[400] = "";
        size_t count;
        const p5_register *r = p5_pmu_monitor_registers(pmu, &count);
        for (size_t n = 0; n < count; n++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s ", r[n].name,
                     p5_register_counts(&r[n]) ? "+" : "");
        assert_string_equal(names, rows[i].names);
    }
    assert_false(p5_register_counts(find(P5_FAMILY_P55C, "tsc")));
}

TEST(tables_by_family)
{
    assert_non_null(find(P5_FAMILY_P54C, "tr2"));
    assert_null(find(P5_FAMILY_P55C, "tr2"));
    assert_int_equal(find(P5_FAMILY_P55C, "cesr")->msr, 0x11);
    assert_null(p5_registers(8)->name);
}
