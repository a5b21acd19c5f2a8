/* The fault matrix of RDPMC, RDTSC, RDMSR and WRMSR: runs fault_matrix.asm on both families and under each
 * monitor and compares what the instructions did with the rules. Usage: guest_matrix IMAGE */
#include <stdio.h>
#include <string.h>

#include "p5tool/machine.h"

enum { RDPMC, RDTSC, RDMSR, WRMSR, INSTRUCTIONS };
enum { REAL, V86, CPL0, CPL1, CPL2, CPL3, MODES };
enum {
    VALUES = 50,
    UD = 6,
    GP = 13,
    NO_FAULT = 0x40,
    TSD = 4,
    PCE = 0x100,
    MOST_CASES = 4 * MODES * INSTRUCTIONS * VALUES
};

static const char *const instruction_names[] = {"RDPMC", "RDTSC", "RDMSR", "WRMSR"};
static const char *const mode_names[] = {"real", "V86", "CPL 0", "CPL 1", "CPL 2", "CPL 3"};
static const struct {
    uint32_t first, last;
} ranges[] = {{0, 0x14},
              {0xc0, 0xc5},
              {0x185, 0x18a},
              {0x308, 0x30c},
              {0x38c, 0x391},
              {0x40000000, 0x40000003},
              {0x80000000, 0x80000000},
              {0xffffffff, 0xffffffff}};
static const uint32_t settings[] = {0, TSD, PCE, PCE | TSD};

typedef struct output {
    size_t size;
    uint8_t bytes[2 * MOST_CASES + 1];
} output;

static void take(void *context, const void *text, size_t size)
{
    output *o = context;
    if (size > sizeof o->bytes - o->size)
        size = sizeof o->bytes - o->size;
    memcpy(o->bytes + o->size, text, size);
    o->size += size;
}

/* The privilege level that the instruction sees: V86 is 3, real mode is 0. */
static unsigned privilege(unsigned mode)
{
    return mode == REAL ? 0 : mode == V86 ? 3 : mode - CPL0;
}

typedef struct processor {
    const char *model;
    unsigned family;
    enum { P5, P6, ARCH3 } monitor;
} processor;

static bool among(uint32_t ecx, uint32_t first, uint32_t last)
{
    return ecx >= first && ecx <= last;
}

/* Manual, table 26-1: 3, 0Ah and 0Fh are reserved, 4 (TR2) with MMX technology, too. A negative number faults
 * on the P55C; P54C steppings have the erratum that only bits 4-0 and 31 are decoded, so 80000000h and
 * FFFFFFFFh are registers there. The other monitors' registers: Pentium Pro, and architectural monitoring 3.
 */
static bool msr_exists(const processor *p, uint32_t ecx)
{
    if ((ecx & 0x80000000u) != 0)
        return p->family == P5_FAMILY_P54C;
    if (ecx <= 0x10)
        return ecx != 3 && ecx != 0xa && ecx != 0xf && (ecx != 4 || p->family == P5_FAMILY_P54C);
    switch (p->monitor) {
    case P5: /* CESR, CTR0, CTR1 */
        return ecx <= 0x13;
    case P6: /* PERFCTR, PERFEVTSEL */
        return among(ecx, 0xc1, 0xc2) || among(ecx, 0x186, 0x187);
    default: /* PMC, PERFEVTSEL, fixed counters, FIXED_CTR_CTRL, GLOBAL_STATUS, _CTRL, _OVF_CTRL */
        return among(ecx, 0xc1, 0xc4) || among(ecx, 0x186, 0x189) || among(ecx, 0x309, 0x30b) ||
               among(ecx, 0x38d, 0x390);
    }
}

static bool counter_exists(const processor *p, uint32_t ecx)
{
    return p->monitor == ARCH3 ? ecx < 4 || among(ecx, 0x40000000, 0x40000002) : ecx < 2;
}

static unsigned rule(const processor *p, unsigned mode, uint32_t cr4, unsigned instruction, uint32_t ecx)
{
    enum { GLOBAL_STATUS = 0x38e };
    unsigned cpl = privilege(mode);
    switch (instruction) {
    case RDPMC: /* P54C does not have it; user mode needs PCE */
        if (p->family == P5_FAMILY_P54C)
            return UD;
        return (cpl != 0 && (cr4 & PCE) == 0) || !counter_exists(p, ecx) ? GP : NO_FAULT;
    case RDTSC:
        return cpl != 0 && (cr4 & TSD) != 0 ? GP : NO_FAULT;
    default: /* CPL 0 only; V86 never */
        return cpl != 0 || !msr_exists(p, ecx) || (instruction == WRMSR && ecx == GLOBAL_STATUS) ? GP
                                                                                                 : NO_FAULT;
    }
}

static unsigned compare(const processor *p, const output *o)
{
    unsigned setting_count = p->family == P5_FAMILY_P55C ? 4 : 2, wrong = 0;
    size_t at = 0, expected_size = 2 * setting_count * MODES * INSTRUCTIONS * VALUES;
    if (o->size != expected_size) {
        fprintf(stderr, "%s: expected %zu bytes of results, got %zu\n", p->model, expected_size, o->size);
        return 1;
    }
    for (unsigned s = 0; s < setting_count; s++)
        for (unsigned mode = 0; mode < MODES; mode++)
            for (unsigned instruction = 0; instruction < INSTRUCTIONS; instruction++)
                for (unsigned r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
                    for (uint32_t n = 0; n <= ranges[r].last - ranges[r].first; n++, at += 2) {
                        uint32_t ecx = ranges[r].first + n;
                        unsigned expected = rule(p, mode, settings[s], instruction, ecx);
                        if (o->bytes[at] == expected && o->bytes[at + 1] == 0)
                            continue;
                        wrong++;
                        fprintf(stderr,
                                "%s: %s, %s, CR4 = %Xh, ECX = %Xh: expected vector %u with error code 0, got "
                                "%u with %u\n",
                                p->model, instruction_names[instruction], mode_names[mode], settings[s], ecx,
                                expected, o->bytes[at], o->bytes[at + 1]);
                    }
    return wrong;
}

static unsigned run(const char *image, const processor *p)
{
    static output o;
    o.size = 0;
    p5_machine_options options = {
        .size = sizeof options, .model = p->model, .console = take, .console_context = &o};
    p5_machine *machine = NULL;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_flat(machine, image, 0x8000, &error) != P5_OK ||
        p5_machine_run(machine, &limits, &result, &error) != P5_OK) {
        fprintf(stderr, "%s: %s\n", p->model, error.message);
        return 1;
    }
    unsigned wrong = 0;
    if (result.end != P5_END_EXIT || result.status != 1) {
        fprintf(stderr, "%s: ended with %d, status %d, at %08x after %zu results: %s %s\n", p->model,
                result.end, result.status, result.address, o.size / 2, result.instruction, result.message);
        wrong = 1;
    }
    wrong += compare(p, &o);
    p5_machine_close(machine);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: guest_matrix IMAGE\n");
        return 2;
    }
    static const processor processors[] = {{"p55c-200", P5_FAMILY_P55C, P5},
                                           {"p54c-133", P5_FAMILY_P54C, P5},
                                           {"p55c-200-p6", P5_FAMILY_P55C, P6},
                                           {"p55c-200-arch3", P5_FAMILY_P55C, ARCH3}};
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++)
        wrong += run(argv[1], &processors[i]);
    return wrong == 0 ? 0 : 1;
}
