/* Assertions on event counts for cmocka tests: a piece of code must count what its author derived.
 *
 *     p5_machine_counts(machine, before);
 *     ... run the code ...
 *     p5_machine_counts(machine, after);
 *     p5_assert_event(before, after, P5_EVENT_DATA_READ, 1000);
 *     p5_assert_clocks_between(before, after, 2000, 2100);
 *
 * Counters as a guest sees them are programmed and read through the monitor (p5_machine_pmu, or p5_pmu_open
 * over a core that is fed by hand):
 *
 *     p5_program(pmu, P5_MSR_PERFEVTSEL0, 0x410016);
 *     ... run the code ...
 *     p5_assert_msr(pmu, P5_MSR_PMC0, 1000);
 *
 * `before` and `after` are totals (p5_machine_counts, or p5_core_counts of a core that is fed by hand). The
 * totals of a run whose guest has ended are complete. After a run that a limit stopped, and after feeding by
 * hand, call p5_machine_settle or p5_core_settle first, so that an instruction that waits for a partner is
 * counted. A failure reports the event, the expected number and the actual one, by privilege class, and the
 * clocks and instructions. The functions are inline: link only libp5core and cmocka. */
#ifndef P5SCOPE_CMOCKA_H
#define P5SCOPE_CMOCKA_H

#include <inttypes.h>
#include <setjmp.h> /* this and the next three: <cmocka.h> asks for them */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <p5scope/core.h>
#include <p5scope/event.h>
#include <p5scope/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Privilege classes for the macros with _at: CPL 0-2 and real mode, CPL 3 and V86 (as in CESR's CC), or
 * all. */
enum { P5_AT_SYSTEM = P5_CPL_MASK_SYSTEM, P5_AT_USER = P5_CPL_MASK_USER, P5_AT_ANY = P5_CPL_MASK_ALL };

/* The total that an assertion is about: an event, a stall cause, or the clocks. */
typedef enum p5_total { P5_TOTAL_EVENT, P5_TOTAL_STALL, P5_TOTAL_CLOCKS } p5_total;

/* Returns how much a total has grown at the classes of `at` (P5_AT_*). `number` is the event or the stall cause, and
 * not used for the clocks. */
static inline uint64_t p5_gained(const p5_counts *before, const p5_counts *after, unsigned at, p5_total total,
                                 unsigned number)
{
    if (total == P5_TOTAL_CLOCKS)
        return p5_counts_clocks(after, at) - p5_counts_clocks(before, at);
    if (total == P5_TOTAL_STALL)
        return p5_counts_stall(after, (p5_stall)number, at) - p5_counts_stall(before, (p5_stall)number, at);
    return p5_counts_event(after, (enum p5_event)number, at) -
           p5_counts_event(before, (enum p5_event)number, at);
}

/* What a test expects of a total: that it has grown by at least `least` and at most `most` at the classes of
 * `at`. The file and the line are the test's. The layout is fixed. */
typedef struct p5_expected_growth {
    unsigned at;          /* P5_AT_* */
    uint64_t least, most; /* both included */
    const char *file;     /* __FILE__ */
    int line;             /* __LINE__ */
} p5_expected_growth;

/* Returns an expectation with these members. */
static inline p5_expected_growth p5_expect(unsigned at, uint64_t least, uint64_t most, const char *file,
                                           int line)
{
    p5_expected_growth expected = {at, least, most, file, line};
    return expected;
}

/* Fails the test unless the total has grown as expected. `total` and `number` as for p5_gained. */
static inline void p5_check_total(const p5_counts *before, const p5_counts *after, p5_total total,
                                  unsigned number, p5_expected_growth expected)
{
    uint64_t came = p5_gained(before, after, expected.at, total, number);
    if (came >= expected.least && came <= expected.most)
        return;
    char range[64];
    if (expected.least == expected.most)
        snprintf(range, sizeof range, "%" PRIu64, expected.least);
    else
        snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, expected.least, expected.most);
    print_error("ERROR: %s%s: expected %s, came %" PRIu64 " (CPL 0-2: %" PRIu64 ", CPL 3: %" PRIu64
                "), in %" PRIu64 " clocks and %" PRIu64 " instructions\n",
                total == P5_TOTAL_CLOCKS  ? "clocks"
                : total == P5_TOTAL_STALL ? p5_stall_name((p5_stall)number)
                                          : p5_event_describe((enum p5_event)number)->name,
                expected.at == P5_AT_USER     ? " at CPL 3"
                : expected.at == P5_AT_SYSTEM ? " at CPL 0-2"
                                              : "",
                range, came, p5_gained(before, after, P5_AT_SYSTEM, total, number),
                p5_gained(before, after, P5_AT_USER, total, number),
                p5_gained(before, after, P5_AT_ANY, P5_TOTAL_CLOCKS, 0),
                p5_gained(before, after, P5_AT_ANY, P5_TOTAL_EVENT, P5_EVENT_INSTRUCTIONS_EXECUTED));
    _fail(expected.file, expected.line);
}

/* Assert that the event was counted exactly `expected` times (clocks of a duration event), at all levels or
 * at those of `at`. */
#define p5_assert_event(before, after, event, expected)                                                      \
    p5_assert_event_at(before, after, P5_AT_ANY, event, expected)
#define p5_assert_event_at(before, after, at, event, expected)                                               \
    p5_check_total(before, after, P5_TOTAL_EVENT, event,                                                     \
                   p5_expect(at, expected, expected, __FILE__, __LINE__))
/* Asserts that the event was counted between `least` and `most` times, both included. */
#define p5_assert_event_between(before, after, event, least, most)                                           \
    p5_check_total(before, after, P5_TOTAL_EVENT, event,                                                     \
                   p5_expect(P5_AT_ANY, least, most, __FILE__, __LINE__))
/* Assert how many clocks passed at all levels. */
#define p5_assert_clocks(before, after, expected) p5_assert_clocks_between(before, after, expected, expected)
#define p5_assert_clocks_between(before, after, least, most)                                                 \
    p5_check_total(before, after, P5_TOTAL_CLOCKS, 0, p5_expect(P5_AT_ANY, least, most, __FILE__, __LINE__))
/* Asserts how many clocks a stall cause (p5_stall) owns at all levels. */
#define p5_assert_stall(before, after, cause, expected)                                                      \
    p5_check_total(before, after, P5_TOTAL_STALL, cause,                                                     \
                   p5_expect(P5_AT_ANY, expected, expected, __FILE__, __LINE__))

/* Writes `value` as WRMSR at CPL 0 would, to any register of the monitor: CESR, PERFEVTSELn, a counter, ... A
 * fault fails the test. */
#define p5_program(pmu, msr, value) p5_do_program(pmu, msr, value, __FILE__, __LINE__)
/* Implements p5_program; `file` and `line` are the test's. */
static inline void p5_do_program(p5_pmu *pmu, uint32_t msr, uint64_t value, const char *file, int line)
{
    p5_privilege highest = {P5_MODE_PROTECTED, 0, false, false};
    if (p5_pmu_wrmsr(pmu, &highest, msr, value) == P5_NO_FAULT)
        return;
    print_error("ERROR: WRMSR of %" PRIX64 "h to register %" PRIX32 "h faults\n", value, msr);
    _fail(file, line);
}

/* Asserts that RDMSR at CPL 0 reads `expected`. */
#define p5_assert_msr(pmu, msr, expected) p5_check_msr(pmu, msr, expected, __FILE__, __LINE__)
/* Implements p5_assert_msr; `file` and `line` are the test's. */
static inline void p5_check_msr(p5_pmu *pmu, uint32_t msr, uint64_t expected, const char *file, int line)
{
    p5_privilege highest = {P5_MODE_PROTECTED, 0, false, false};
    uint64_t came = 0;
    bool faults = p5_pmu_rdmsr(pmu, &highest, msr, &came) != P5_NO_FAULT;
    if (!faults && came == expected)
        return;
    print_error("ERROR: register %" PRIX32 "h: expected %" PRIu64 ", ", msr, expected);
    if (faults)
        print_error("RDMSR faults\n");
    else
        print_error("came %" PRIu64 "\n", came);
    _fail(file, line);
}

#ifdef __cplusplus
}
#endif
#endif
