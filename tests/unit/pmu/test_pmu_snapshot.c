/* The performance monitor in snapshots: a loaded monitor has the registers of the saved one and counts on like it. */
#include "../base/snapshot_bytes.h"
#include "fake_source.h"
#include "pmu/pmu_snapshot.h"

typedef struct write {
    uint32_t msr;
    uint64_t value;
} write;

static void execute(fake_source *fake, unsigned instructions)
{
    fake->increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] += instructions;
    fake->asserted[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] += instructions / 2;
    fake->clocks[P5_CPL_USER] += instructions;
    fake->clock += instructions;
}

static void same_registers(p5_pmu *a, p5_pmu *b)
{
    for (uint32_t msr = 0; msr < 0x400; msr++) {
        uint64_t left = 0, right = 0;
        p5_fault fault = p5_pmu_rdmsr(a, &fake_cpl0, msr, &left);
        assert_int_equal(p5_pmu_rdmsr(b, &fake_cpl0, msr, &right), fault);
        if (left != right)
            fail_msg("MSR %xh: saved %llxh, loaded %llxh", msr, (unsigned long long)left,
                     (unsigned long long)right);
    }
}

static p5_status try_transfer(p5_pmu *saved, p5_pmu *loaded, p5_error *error)
{
    snapshot_bytes b = {0};
    snapshot saving = {.write = snapshot_bytes_put, .context = &b};
    pmu_transfer(saved, &saving);
    assert_int_equal(saving.status, P5_OK);
    snapshot loading = {.loading = true, .read = snapshot_bytes_get, .context = &b, .error = error};
    pmu_transfer(loaded, &loading);
    free(b.data);
    return loading.status;
}

static void transfer(p5_pmu *saved, p5_pmu *loaded)
{
    p5_error error = {0};
    if (try_transfer(saved, loaded, &error) != P5_OK)
        fail_msg("%s", error.message);
}

static void survives(unsigned family, unsigned bits, const write *writes, size_t count)
{
    fake_source fake = {0};
    p5_pmu *saved = fake_open(&fake, family), *loaded = fake_open(&fake, family);
    p5_pmu_set_counter_bits(saved, bits);
    p5_pmu_set_counter_bits(loaded, bits);
    execute(&fake, 100);
    for (size_t i = 0; i < count; i++)
        fake_write(saved, writes[i].msr, writes[i].value);
    execute(&fake, 11);

    transfer(saved, loaded);
    same_registers(saved, loaded);
    execute(&fake, 30);
    same_registers(saved, loaded);
    p5_pmu_close(saved);
    p5_pmu_close(loaded);
}

TEST(of_the_p5)
{
    const write writes[] = {{P5_MSR_CESR, 0x16 | 2 << 6 | (UINT64_C(0x16) | 6 << 6) << 16},
                            {P5_MSR_CTR0, (UINT64_C(1) << 40) - 1},
                            {P5_MSR_CTR1, 7},
                            {P5_MSR_TSC, 1234},
                            {P5_MSR_TR12, 1}};
    survives(P5_FAMILY_P55C, 40, writes, sizeof writes / sizeof writes[0]);
    survives(P5_FAMILY_P54C, 40, writes, sizeof writes / sizeof writes[0]);
}

TEST(of_later_monitors)
{
    const write p6[] = {{SEL0, 0x16 | USR | EN}, {SEL0 + 1, 0x16 | USR | 1u << 24}, {PMC0, (uint32_t)-5}};
    survives(P5_FAMILY_P55C | P5_MONITOR_P6, 40, p6, sizeof p6 / sizeof p6[0]);
    const write arch3[] = {{SEL0, 0x16 | USR | EN},
                           {SEL0 + 3, 0x16 | USR | EN | 1u << 24},
                           {FIXED_CTRL, 0x222},
                           {CTRL, UINT64_C(0x70000000f)},
                           {FIXED0, (UINT64_C(1) << 48) - 1}};
    survives(P5_FAMILY_P55C | P5_MONITOR_ARCH3, 48, arch3, sizeof arch3 / sizeof arch3[0]);
}

/* A register may be saved in the moment after it was written: the largest value of a counter can be loaded. */
TEST(the_largest_value)
{
    fake_source fake = {0};
    p5_pmu *saved = fake_open(&fake, P5_FAMILY_P55C | P5_MONITOR_ARCH3);
    p5_pmu *loaded = fake_open(&fake, P5_FAMILY_P55C | P5_MONITOR_ARCH3);
    p5_pmu_set_counter_bits(saved, 48);
    p5_pmu_set_counter_bits(loaded, 48);
    fake_write(saved, FIXED0, (UINT64_C(1) << 48) - 1);
    transfer(saved, loaded);
    assert_int_equal(fake_read(loaded, FIXED0), (UINT64_C(1) << 48) - 1);
    p5_pmu_close(saved);
    p5_pmu_close(loaded);
}

/* Returns whether a snapshot is loaded in which `*bits` of `saved` has one bit alone. */
static bool loads(p5_pmu *saved, void *bits, size_t size, unsigned at)
{
    uint64_t value = UINT64_C(1) << at;
    p5_error error = {0};
    fake_source fake = {0};
    p5_pmu *loaded = fake_open(&fake, saved->family | saved->monitor);
    memcpy(bits, &value, size);
    p5_status status = try_transfer(saved, loaded, &error);
    memset(bits, 0, size);
    p5_pmu_close(loaded);
    return status == P5_OK;
}

/* A snapshot that has a reserved bit of a register set is refused. */
TEST(reserved_bits)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C | P5_MONITOR_ARCH3);
    for (unsigned at = 0; at < 32; at++) {
        assert_int_equal(loads(pmu, &pmu->cesr, 4, at), 0x03ff03ffu >> at & 1);
        assert_int_equal(loads(pmu, &pmu->perfmon.fixed_ctrl, 4, at), at < 12);
    }
    for (unsigned at = 0; at < 64; at++) {
        bool general = at < 4, fixed = at >= 32 && at < 35;
        assert_int_equal(loads(pmu, &pmu->perfmon.global_ctrl, 8, at), general || fixed);
        assert_int_equal(loads(pmu, &pmu->perfmon.global_status, 8, at), general || fixed);
        assert_int_equal(loads(pmu, &pmu->counters[6].preset, 8, at), at < 40);
    }
}
