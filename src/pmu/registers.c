/* The model-specific registers of each family: names, masks and fields, for display and for RDMSR and WRMSR. The code
 * that implements a field has its own constants (cesr.h, perfmon.h, test_registers.c). A mask bit of 0 reads as 0 or
 * ignores what is written (reserved bits are not checked by these processors). Manual: tables 26-1 to 26-21 and 26.4;
 * TR4, TR5, TR6 and TR7 positions also 241428, figures of chapter 16. */
#include "p5tool/pmu.h"
#include "pmu/cesr.h"
#include "pmu/counters.h"
#include "pmu/perfmon.h"

/* A table of fields and the number of its rows: the members `fields` and `field_count` of p5_register. */
#define FIELDS(array) (array), sizeof(array) / sizeof(array)[0]

/* The fields of each register: name, highest bit, lowest bit, meaning. */
static const p5_register_field mca_fields[] = {
    {"ADDRESS", 31, 0, "physical address of the cycle that failed; valid while MCT.CHK is set"},
};
static const p5_register_field mct_fields[] = {
    {"LOCK", 4, 4, "the cycle was locked"},
    {"M/IO#", 3, 3, "memory, not port"},
    {"D/C#", 2, 2, "data, not code"},
    {"W/R#", 1, 1, "write, not read"},
    {"CHK", 0, 0, "an error is latched; cleared by reading"},
};
static const p5_register_field tr1_fields[] = {
    {"MC", 13, 13, "microcode parity on read"},
    {"DTD", 12, 12, "data TLB data"},
    {"DTT", 11, 11, "data TLB tag"},
    {"DD", 10, 10, "data cache data"},
    {"DT", 9, 9, "data cache tag"},
    {"ITD", 8, 8, "code TLB data"},
    {"ITT", 7, 7, "code TLB tag"},
    {"ID3", 6, 6, "code cache data, odd bits 255-129"},
    {"ID2", 5, 5, "code cache data, even bits 254-128"},
    {"ID1", 4, 4, "code cache data, odd bits 127-1"},
    {"ID0", 3, 3, "code cache data, even bits 126-0"},
    {"IT", 2, 2, "code cache tag"},
    {"NS", 1, 1, "no shutdown on a parity error"},
    {"PES", 0, 0, "a parity error was seen; stays until it is cleared"},
};
static const p5_register_field tr2_fields[] = {
    {"END", 3, 0, "end bits of the four code bytes in TR3: 1 = last byte of an instruction"},
};
static const p5_register_field tr3_fields[] = {
    {"DATA", 31, 0, "four bytes of the cache line, selected by TR5.BUFFER"},
};
static const p5_register_field tr4_p54c_fields[] = {
    {"TAG", 27, 8, "physical address bits 31-12 of the line"},
    {"LRU", 2, 2, "way to be replaced next"},
    {"VALID", 1, 0, "data cache: I, S, E, M; code cache: bit 0 = valid"},
};
static const p5_register_field tr4_p55c_fields[] = {
    {"TAG", 27, 8, "physical address bits 31-12 of the line"},
    {"LRU", 4, 2, "pseudo-LRU bits: bit 0 clear: way = bit 1; set: way = 2 + bit 2"},
    {"VALID", 1, 0, "data cache: I, S, E, M; code cache: bit 0 = valid"},
};
static const p5_register_field tr5_p54c_fields[] = {
    {"WB", 14, 14, "write-back, not write-through; with flush: write the line back"},
    {"CD", 13, 13, "data cache, not code cache"},
    {"ENTRY", 12, 12, "way"},
    {"SET", 11, 5, "set"},
    {"BUFFER", 4, 2, "which four bytes of the line TR3 shows"},
    {"CNTL", 1, 0, "0 normal, 1 write, 2 read, 3 flush"},
};
static const p5_register_field tr5_p55c_fields[] = {
    {"ENTRY1", 19, 19, "way, high bit"},
    {"WB", 14, 14, "write-back, not write-through; with flush: write the line back"},
    {"CD", 13, 13, "data cache, not code cache"},
    {"ENTRY0", 12, 12, "way, low bit"},
    {"SET", 11, 5, "set"},
    {"BUFFER", 4, 2, "which four bytes of the line TR3 shows"},
    {"CNTL", 1, 0, "0 normal, 1 write, 2 read, 3 flush"},
};
static const p5_register_field tr6_fields[] = {
    {"LINEAR", 31, 12, "linear address of the page"},
    {"V", 11, 11, "the entry is valid"},
    {"D", 10, 10, "the page was written to (data TLB)"},
    {"U", 9, 9, "0: every privilege level may use the page, 1: level 0 only"},
    {"W", 8, 8, "the page may be written to (data TLB)"},
    {"PS", 2, 2, "4 MB page (data TLB)"},
    {"CD", 1, 1, "data TLB, not code TLB"},
    {"OP", 0, 0, "0 write, 1 read"},
};
static const p5_register_field tr7_p54c_fields[] = {
    {"PHYSICAL", 31, 12, "physical address of the page"}, {"PCD", 11, 11, "page-level cache disable"},
    {"PWT", 10, 10, "page-level write-through"},          {"L", 9, 7, "pseudo-LRU bits L2-L0"},
    {"H", 4, 4, "the read hit; to be set for a write"},   {"ENTRY", 3, 2, "way"},
};
static const p5_register_field tr7_p55c_fields[] = {
    {"PHYSICAL", 31, 12, "physical address of the page"}, {"PCD", 11, 11, "page-level cache disable"},
    {"PWT", 10, 10, "page-level write-through"},          {"ENTRY5-4", 6, 5, "entry, high bits"},
    {"H", 4, 4, "the read hit; to be set for a write"},   {"ENTRY3-0", 3, 0, "entry, low bits"},
};
static const p5_register_field tr9_p54c_fields[] = {
    {"TAG", 31, 6, "address bits 31-6 of the branch's last byte"},
    {"HISTORY", 1, 0, "what the branch did before"},
};
static const p5_register_field tr9_p55c_fields[] = {
    {"TAG", 31, 8, "address bits 31-8 of the branch's last byte"},
    {"OFFSET", 7, 6, "address bits 1-0 of the branch's last byte"},
    {"VALID", 5, 5, "the entry is in use"},
    {"PREDICTION", 4, 4, "predicted taken"},
    {"HISTORY", 3, 0, "what the branch did before"},
};
static const p5_register_field tr10_fields[] = {
    {"TARGET", 31, 0, "linear address of the branch's target"},
};
static const p5_register_field tr11_p54c_fields[] = {
    {"SET", 11, 6, "one of 64 sets"},
    {"WAY", 3, 2, "one of 4 ways"},
    {"CNTL", 1, 0, "0 normal, 1 write, 2 read, 3 flush"},
};
static const p5_register_field tr11_p55c_fields[] = {
    {"TYPE", 25, 24, "0 conditional, 1 jump, 2 call, 3 return"},
    {"CNTL2", 12, 12, "with CNTL 1: read the tag"},
    {"SET", 11, 8, "one of 16 sets"},
    {"BANK", 7, 6, "one of 4 banks, address bits 3-2 of the branch"},
    {"WAY", 3, 2, "one of 4 ways"},
    {"CNTL", 1, 0, "0 normal, 1 write, 2 read, 3 flush"},
};
enum { TR12_OF_P55C = 2 }; /* how many of the first fields only the P55C has */
static const p5_register_field tr12_fields[] = {
    {"DCI", 20, 20, "data cache inhibit"},
    {"CCI", 19, 19, "code cache inhibit"},
    {"ITR", 9, 9, "I/O trap restart"},
    {"FTR", 8, 8, "fast execution tracing: one message for each taken branch"},
    {"CI", 3, 3, "cache inhibit: no line fills"},
    {"SE", 2, 2, "single pipe: nothing is issued to V"},
    {"TR", 1, 1, "execution tracing: branch trace messages"},
    {"NBP", 0, 0, "no new entries in the branch target buffer"},
};
static const p5_register_field tsc_fields[] = {
    {"CLOCKS", 63, 0, "core clocks since RESET or the last write"},
};
static const p5_register_field cesr_fields[] = {
    {"PC1", 25, 25, "PM1 shows: 0 increments, 1 overflows"},
    {"CC1", 24, 22, "CTR1 counts: bit 0 at CPL 0-2, bit 1 at CPL 3, bit 2 clocks instead of events"},
    {"ES1", 21, 16, "event of CTR1"},
    {"PC0", 9, 9, "PM0 shows: 0 increments, 1 overflows"},
    {"CC0", 8, 6, "CTR0 counts: bit 0 at CPL 0-2, bit 1 at CPL 3, bit 2 clocks instead of events"},
    {"ES0", 5, 0, "event of CTR0"},
};
static const p5_register_field ctr_fields[] = {
    {"COUNT", 39, 0, "events or clocks counted"},
};

/* Of later monitors. Their reserved bits are checked: a mask bit of 0 is #GP(0) in WRMSR. */
static const p5_register_field pmc_fields[] = {
    {"COUNT", 47, 0, "events or clocks counted; WRMSR sign-extends bit 31"},
};
static const p5_register_field fixed_fields[] = {
    {"COUNT", 47, 0, "events or clocks counted"},
};
#define EVTSEL_COMPARE                                                                                       \
    {"CMASK", 31, 24, "not 0: clocks with at least so many increments"},                                     \
        {"INV", 23, 23, "with CMASK: clocks with fewer"},
#define EVTSEL_ENABLE {"EN", 22, 22, "counts (Pentium Pro: that of PERFEVTSEL0 is for both)"},
#define EVTSEL_SELECT                                                                                        \
    {"INT", 20, 20, "an overflow is an interrupt request"},                                                  \
        {"PC", 19, 19, "the pin shows: 0 overflows, 1 increments"},                                          \
        {"E", 18, 18, "edges: not counted, refused with #GP(0)"}, {"OS", 17, 17, "counts at CPL 0"},         \
        {"USR", 16, 16, "counts at CPL 1-3"},                                                                \
        {"UMASK", 15, 8, "0 or 1: the event is in the list of the Pentium's counter 0 or 1"},                \
        {"EVENT", 7, 0, "event code, as in CESR; version 3 has its architectural ones, too"},

static const p5_register_field evtsel_p6_0_fields[] = {EVTSEL_COMPARE EVTSEL_ENABLE EVTSEL_SELECT};
static const p5_register_field evtsel_p6_1_fields[] = {EVTSEL_COMPARE EVTSEL_SELECT};
static const p5_register_field evtsel_arch3_fields[] = {
    EVTSEL_COMPARE EVTSEL_ENABLE{"ANY", 21, 21,
                                 "counts for all threads of the core: there is one, so it has no effect"},
    EVTSEL_SELECT};
static const p5_register_field fixed_ctrl_fields[] = {
    {"PMI2", 11, 11, "an overflow of FIXED_CTR2 is an interrupt request"},
    {"ANY2", 10, 10, "any thread: no effect"},
    {"EN2", 9, 8, "FIXED_CTR2 counts: 0 never, 1 at CPL 0, 2 at CPL 1-3, 3 at any CPL"},
    {"PMI1", 7, 7, "an overflow of FIXED_CTR1 is an interrupt request"},
    {"ANY1", 6, 6, "any thread: no effect"},
    {"EN1", 5, 4, "FIXED_CTR1 counts: 0 never, 1 at CPL 0, 2 at CPL 1-3, 3 at any CPL"},
    {"PMI0", 3, 3, "an overflow of FIXED_CTR0 is an interrupt request"},
    {"ANY0", 2, 2, "any thread: no effect"},
    {"EN0", 1, 0, "FIXED_CTR0 counts: 0 never, 1 at CPL 0, 2 at CPL 1-3, 3 at any CPL"},
};
static const p5_register_field global_fields[] = {
    {"FIXED", 34, 32, "FIXED_CTR2 to FIXED_CTR0"},
    {"PMC", 3, 0, "PMC3 to PMC0"},
};

/* The registers in the order of their numbers: name, number, title, readable bits, writable bits, fields. TR5, TR12, and
 * TR1 except PES, are write-only. */
static const p5_register p54c_registers[] = {
    {"mca", P5_MSR_MCA, "Machine check address", UINT32_MAX, 0, FIELDS(mca_fields)},
    {"mct", P5_MSR_MCT, "Machine check type", 0x1f, 0, FIELDS(mct_fields)},
    {"tr1", P5_MSR_TR1, "Parity reversal", 0x1, 0x3fff, FIELDS(tr1_fields)},
    {"tr2", P5_MSR_TR2, "Code cache end bits", 0xf, 0xf, FIELDS(tr2_fields)},
    {"tr3", P5_MSR_TR3, "Cache test data", UINT32_MAX, UINT32_MAX, FIELDS(tr3_fields)},
    {"tr4", P5_MSR_TR4, "Cache test tag and status", 0xffffff07, 0xffffff07, FIELDS(tr4_p54c_fields)},
    {"tr5", P5_MSR_TR5, "Cache test control", 0, 0x7fff, FIELDS(tr5_p54c_fields)},
    {"tr6", P5_MSR_TR6, "TLB test command", 0xffffff07, 0xffffff07, FIELDS(tr6_fields)},
    {"tr7", P5_MSR_TR7, "TLB test data", 0xffffff9c, 0xffffff9c, FIELDS(tr7_p54c_fields)},
    {"tr9", P5_MSR_TR9, "BTB test tag", 0xffffffc3, 0xffffffc3, FIELDS(tr9_p54c_fields)},
    {"tr10", P5_MSR_TR10, "BTB test target", UINT32_MAX, UINT32_MAX, FIELDS(tr10_fields)},
    {"tr11", P5_MSR_TR11, "BTB test command", 0xfcf, 0xfcf, FIELDS(tr11_p54c_fields)},
    {"tr12", P5_MSR_TR12, "New feature control", 0, 0x30f, tr12_fields + TR12_OF_P55C,
     sizeof tr12_fields / sizeof tr12_fields[0] - TR12_OF_P55C},
    {"tsc", P5_MSR_TSC, "Time stamp counter", UINT64_MAX, UINT64_MAX, FIELDS(tsc_fields)},
    {"cesr", P5_MSR_CESR, "Control and event select", CESR_MASK, CESR_MASK, FIELDS(cesr_fields)},
    {"ctr0", P5_MSR_CTR0, "Counter 0", COUNTER_MASK, COUNTER_MASK, FIELDS(ctr_fields)},
    {"ctr1", P5_MSR_CTR1, "Counter 1", COUNTER_MASK, COUNTER_MASK, FIELDS(ctr_fields)},
    {0},
};

/* What the P55C has whatever its monitor. */
#define P55C_TEST_REGISTERS                                                                                  \
    {"mca", P5_MSR_MCA, "Machine check address", UINT32_MAX, 0, FIELDS(mca_fields)},                         \
        {"mct", P5_MSR_MCT, "Machine check type", 0x1f, 0, FIELDS(mct_fields)},                              \
        {"tr1", P5_MSR_TR1, "Parity reversal", 0x1, 0x3fff, FIELDS(tr1_fields)},                             \
        {"tr3", P5_MSR_TR3, "Cache test data", UINT32_MAX, UINT32_MAX, FIELDS(tr3_fields)},                  \
        {"tr4", P5_MSR_TR4, "Cache test tag and status", 0xffffff1f, 0xffffff1f, FIELDS(tr4_p55c_fields)},   \
        {"tr5", P5_MSR_TR5, "Cache test control", 0, 0x87fff, FIELDS(tr5_p55c_fields)},                      \
        {"tr6", P5_MSR_TR6, "TLB test command", 0xffffff07, 0xffffff07, FIELDS(tr6_fields)},                 \
        {"tr7", P5_MSR_TR7, "TLB test data", 0xfffffc7f, 0xfffffc7f, FIELDS(tr7_p55c_fields)},               \
        {"tr9", P5_MSR_TR9, "BTB test tag", UINT32_MAX, UINT32_MAX, FIELDS(tr9_p55c_fields)},                \
        {"tr10", P5_MSR_TR10, "BTB test target", UINT32_MAX, UINT32_MAX, FIELDS(tr10_fields)},               \
        {"tr11", P5_MSR_TR11, "BTB test command", 0x3001fcf, 0x3001fcf, FIELDS(tr11_p55c_fields)},           \
        {"tr12", P5_MSR_TR12, "New feature control", 0, 0x18030f, FIELDS(tr12_fields)},                      \
        {"tsc", P5_MSR_TSC, "Time stamp counter", UINT64_MAX, UINT64_MAX, FIELDS(tsc_fields)},

static const p5_register p55c_registers[] = {
    P55C_TEST_REGISTERS{"cesr", P5_MSR_CESR, "Control and event select", CESR_MASK, CESR_MASK,
                        FIELDS(cesr_fields)},
    {"ctr0", P5_MSR_CTR0, "Counter 0", COUNTER_MASK, COUNTER_MASK, FIELDS(ctr_fields)},
    {"ctr1", P5_MSR_CTR1, "Counter 1", COUNTER_MASK, COUNTER_MASK, FIELDS(ctr_fields)},
    {0},
};

#define PMC(n)                                                                                               \
    {                                                                                                        \
        "pmc" #n, P5_MSR_PMC0 + n, "Counter " #n, UINT64_MAX, UINT64_MAX, FIELDS(pmc_fields)                 \
    }
#define EVTSEL(n, mask, fields)                                                                              \
    {                                                                                                        \
        "perfevtsel" #n, P5_MSR_PERFEVTSEL0 + n, "Event select " #n, mask, mask, FIELDS(fields)              \
    }
#define FIXED(n)                                                                                             \
    {                                                                                                        \
        "fixed_ctr" #n, P5_MSR_FIXED_CTR0 + n, "Fixed counter " #n, UINT64_MAX, UINT64_MAX,                  \
            FIELDS(fixed_fields)                                                                             \
    }

static const p5_register p6_registers[] = {
    P55C_TEST_REGISTERS PMC(0),
    PMC(1),
    EVTSEL(0, EVTSEL_P6, evtsel_p6_0_fields),
    EVTSEL(1, EVTSEL_P6 & ~(uint32_t)EVTSEL_EN, evtsel_p6_1_fields),
    {0},
};

static const p5_register arch3_registers[] = {
    P55C_TEST_REGISTERS PMC(0),
    PMC(1),
    PMC(2),
    PMC(3),
    EVTSEL(0, EVTSEL_ARCH3, evtsel_arch3_fields),
    EVTSEL(1, EVTSEL_ARCH3, evtsel_arch3_fields),
    EVTSEL(2, EVTSEL_ARCH3, evtsel_arch3_fields),
    EVTSEL(3, EVTSEL_ARCH3, evtsel_arch3_fields),
    FIXED(0),
    FIXED(1),
    FIXED(2),
    {"fixed_ctr_ctrl", P5_MSR_FIXED_CTR_CTRL, "Fixed counters' control", FIXED_MASK, FIXED_MASK,
     FIELDS(fixed_ctrl_fields)},
    {"global_status", P5_MSR_GLOBAL_STATUS, "Counters that have overflowed", GLOBAL_CLEARED, 0,
     FIELDS(global_fields)},
    {"global_ctrl", P5_MSR_GLOBAL_CTRL, "Counters that are enabled", GLOBAL_COUNTERS, GLOBAL_COUNTERS,
     FIELDS(global_fields)},
    {"global_ovf_ctrl", P5_MSR_GLOBAL_OVF_CTRL, "Clears bits of GLOBAL_STATUS", 0, GLOBAL_CLEARED,
     FIELDS(global_fields)},
    {0},
};

static const p5_register no_registers[] = {{0}};

const p5_register *p5_registers(unsigned family)
{
    switch (family) {
    case P5_FAMILY_P54C:
        return p54c_registers;
    case P5_FAMILY_P55C:
        return p55c_registers;
    case P5_FAMILY_P55C | P5_MONITOR_P6:
        return p6_registers;
    case P5_FAMILY_P55C | P5_MONITOR_ARCH3:
        return arch3_registers;
    default:
        return no_registers;
    }
}
