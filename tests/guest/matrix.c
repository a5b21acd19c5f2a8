/* The fault matrix of RDPMC, RDTSC, RDMSR and WRMSR: runs fault_matrix.asm on both families and compares what
 * the instructions did with the rules. Usage: guest_matrix IMAGE */
#include <stdio.h>
#include <string.h>

#include "p5scope/machine.h"

enum { RDPMC, RDTSC, RDMSR, WRMSR, INSTRUCTIONS };
enum { REAL, V86, CPL0, CPL1, CPL2, CPL3, MODES };
enum {
    VALUES = 7,
    UD = 6,
    GP = 13,
    NO_FAULT = 0x40,
    TSD = 4,
    PCE = 0x100,
    MOST_CASES = 4 * MODES * INSTRUCTIONS * VALUES
};

static const char *const instruction_names[] = {"RDPMC", "RDTSC", "RDMSR", "WRMSR"};
static const char *const mode_names[] = {"real", "V86", "CPL 0", "CPL 1", "CPL 2", "CPL 3"};
static const uint32_t values[VALUES] = {0, 1, 2, 3, 0x40000000u, 0x80000000u, 0xffffffffu};
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

/* MSRs 0-2 exist, 3 is reserved, 40000000h is none. A negative number faults on the P55C; P54C steppings have
 * the erratum that only bits 4-0 and 31 are looked at, so 80000000h and FFFFFFFFh are registers there. */
static bool msr_exists(unsigned family, uint32_t ecx)
{
    if ((ecx & 0x80000000u) != 0)
        return family == P5_FAMILY_P54C;
    return ecx <= 2;
}

static unsigned rule(unsigned family, unsigned mode, uint32_t cr4, unsigned instruction, uint32_t ecx)
{
    unsigned cpl = privilege(mode);
    switch (instruction) {
    case RDPMC: /* P54C does not have it; user mode needs PCE; two counters */
        if (family == P5_FAMILY_P54C)
            return UD;
        return (cpl != 0 && (cr4 & PCE) == 0) || ecx > 1 ? GP : NO_FAULT;
    case RDTSC:
        return cpl != 0 && (cr4 & TSD) != 0 ? GP : NO_FAULT;
    default: /* CPL 0 only; V86 never */
        return cpl != 0 || !msr_exists(family, ecx) ? GP : NO_FAULT;
    }
}

static unsigned compare(const char *model, unsigned family, const output *o)
{
    unsigned setting_count = family == P5_FAMILY_P55C ? 4 : 2, wrong = 0;
    size_t at = 0, expected_size = 2 * setting_count * MODES * INSTRUCTIONS * VALUES;
    if (o->size != expected_size) {
        fprintf(stderr, "%s: expected %zu bytes of results, got %zu\n", model, expected_size, o->size);
        return 1;
    }
    for (unsigned s = 0; s < setting_count; s++)
        for (unsigned mode = 0; mode < MODES; mode++)
            for (unsigned instruction = 0; instruction < INSTRUCTIONS; instruction++)
                for (unsigned v = 0; v < VALUES; v++, at += 2) {
                    unsigned expected = rule(family, mode, settings[s], instruction, values[v]);
                    if (o->bytes[at] == expected && o->bytes[at + 1] == 0)
                        continue;
                    wrong++;
                    fprintf(stderr,
                            "%s: %s, %s, CR4 = %Xh, ECX = %Xh: expected vector %u with error code 0, got %u "
                            "with %u\n",
                            model, instruction_names[instruction], mode_names[mode], settings[s], values[v],
                            expected, o->bytes[at], o->bytes[at + 1]);
                }
    return wrong;
}

static unsigned run(const char *image, const char *model)
{
    static output o;
    o.size = 0;
    p5_machine_options options = {
        .size = sizeof options, .model = model, .console = take, .console_context = &o};
    p5_machine *machine = NULL;
    p5_error error = {0};
    p5_run_result result;
    p5_limits limits = {.timeout_seconds = 1200};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_flat(machine, image, 0x8000, &error) != P5_OK ||
        p5_machine_run(machine, &limits, &result, &error) != P5_OK) {
        fprintf(stderr, "%s: %s\n", model, error.message);
        return 1;
    }
    unsigned wrong = 0;
    if (result.end != P5_END_EXIT || result.status != 1) {
        fprintf(stderr, "%s: ended with %d, status %d, at %08x after %zu results: %s %s\n", model, result.end,
                result.status, result.address, o.size / 2, result.instruction, result.message);
        wrong = 1;
    }
    wrong += compare(model, p5_model_family(p5_machine_model(machine)), &o);
    p5_machine_close(machine);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: guest_matrix IMAGE\n");
        return 2;
    }
    unsigned wrong = run(argv[1], "p55c-200") + run(argv[1], "p54c-133");
    return wrong == 0 ? 0 : 1;
}
