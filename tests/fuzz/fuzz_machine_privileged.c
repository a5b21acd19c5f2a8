/* Privileged instructions and register patterns against a whole machine: each PATTERN_BYTES of the input make
 * one instruction with its mode, registers and operands, in real, V86 and protected mode at CPL 0 and 3, with
 * and without paging. Whatever it does (fault, shut down, halt, write test registers, ports, page tables),
 * the host goes on: no crash, the run ends within its limit, time does not run backwards. Between patterns
 * only the processor is set up anew; devices, caches, MSRs and memory stay as the patterns before left them.
 */
#include <string.h>

#include "fuzz.h"
#include "machine/load/bare.h"
#include "machine/load/segment.h"

enum {
    PATTERN_BYTES = 16,
    CODE = 0x8000,
    STACK = 0x7000,
    TSS = 0x6000,
    GDT = 0x5000,
    IDT = 0x4000,
    DIRECTORY = 0x10000,
    TABLE = 0x11000,
    DEPTH = 6, /* instructions: the pattern and what it lands in */
    FLAG_VM = 1 << 17
};

/* Opcodes that are completed by a ModRM byte and random bytes behind: what is privileged, and what the
 * engine's library does in functions of its own. */
static const uint16_t opcodes[] = {
    0x0f20, 0x0f21, 0x0f22, 0x0f23, 0x0f30, 0x0f31, 0x0f32, 0x0f33, 0x0f00, 0x0f01, 0x0f02, 0x0f03,
    0x0f06, 0x0f08, 0x0f09, 0x0fa2, 0x0fc7, 0x0faa, 0x0fa1, 0x0fa9, 0x0fb2, 0x0fb4, 0x0fb5, 0x0f24,
    0x0f26, 0xcd,   0xcc,   0xce,   0xcf,   0xcb,   0xca,   0x9a,   0xea,   0xff,   0x8e,   0x8c,
    0x07,   0x17,   0x1f,   0xfa,   0xfb,   0x9c,   0x9d,   0xf4,   0xe4,   0xe5,   0xe6,   0xe7,
    0xec,   0xed,   0xee,   0xef,   0x6c,   0x6d,   0x6e,   0x6f,   0xf1,   0x63,   0x62,   0xc8,
    0xc9,   0xc4,   0xc5,   0x60,   0x61,   0x9b,   0xdd,   0xd9,   0xa5,   0xab,   0xa7,   0xf0,
    0x66,   0x67,   0xf7,   0xd4,   0xf6,   0xf7,   0xd5,   0x27,   0x37,   0x0fa3, 0x0fab, 0x0fb3,
    0x0fbb, 0x0fba, 0x0fbc, 0x0fbd, 0x0fa4, 0x0fa5, 0x0fb0, 0x0fb1, 0x0fc1, 0xd0,   0xd2,   0xd3,
    0xc1,   0xd8,   0xda,   0xdb,   0xdc,   0xde,   0xdf,   0xd7,   0x8f,   0x8d,   0x0f77, 0x0f6f,
    0x0f7f, 0x0fd1, 0x0ff1, 0xf00f, 0xf390, 0x0f0b, 0xe8,   0xe3,   0xe2,   0x0f};

/* Values that are often just on an edge; the input's own are mixed in. */
static uint32_t interesting(fuzz_input *input)
{
    static const uint32_t values[] = {
        0,          1,          2,          3,          7,          8,          0x10,      0x11,
        0x12,       0x13,       0x18,       0x20,       0x28,       0x33,       0x40,      0x43,
        0x60,       0x61,       0x64,       0x70,       0x71,       0x80,       0x92,      0xa0,
        0xb8,       0xff,       0x100,      0x11f,      0x1000,     0x3f8,      0x3fd,     0x4000,
        0x5000,     0x7ffe,     TSS,        0x8000,     0xfffe,     0xffff,     0xfffff,   0x100000,
        0xfffffff0, 0x7fffffff, 0x80000000, 0x80000011, 0xe0000011, 0xffffffff, DIRECTORY, 0x10003};
    uint8_t which = fuzz_byte(input);
    return which < 0xc0 ? values[which % (sizeof values / sizeof values[0])]
                        : fuzz_word(input) << (which & 7);
}

static void put(engine *e, uint32_t at, const void *bytes, uint32_t size)
{
    memcpy(engine_ram(e, at, size), bytes, size);
    engine_flush_code(e, at, size);
}

/* GDT: 08h and 10h for CPL 0, 18h and 20h for CPL 3, 28h a TSS, 30h a call gate, 38h a task gate, and two
 * that are garbage. All interrupts go to a HLT; half of the IDT is garbage now and then. */
static void tables(engine *e, uint32_t garbage)
{
    engine_segment code0 = segment_flat(0x08, true, 0), data0 = segment_flat(0x10, false, 0);
    engine_segment code3 = segment_flat(0x1b, true, 3), data3 = segment_flat(0x23, false, 3);
    engine_segment tss = {.selector = 0x28, .base = TSS, .limit = 0x88, .flags = SEGMENT_P | SEGMENT_TSS32};
    uint64_t gdt[16] = {0,
                        segment_descriptor(&code0),
                        segment_descriptor(&data0),
                        segment_descriptor(&code3),
                        segment_descriptor(&data3),
                        segment_descriptor(&tss),
                        0x0000ec0000080000u | CODE,
                        0x0000e50000280000u,
                        garbage * UINT64_C(0x9e3779b97f4a7c15),
                        ~(uint64_t)garbage << 24 | garbage};
    uint64_t idt[256];
    for (unsigned i = 0; i < 256; i++)
        idt[i] = (garbage & 3) == 3 && (i & 1) != 0 ? garbage * UINT64_C(0xd6e8feb86659fd93) << (i & 31)
                                                    : segment_gate(0x08, CODE + 0x100, i & 3);
    uint32_t stack0[2] = {STACK, 0x10};
    put(e, GDT, gdt, sizeof gdt);
    put(e, IDT, idt, sizeof idt);
    put(e, TSS + 4, stack0, sizeof stack0);
    engine_set_table(e, false, GDT, sizeof gdt - 1);
    engine_set_table(e, true, IDT, sizeof idt - 1);
    engine_set_segment(e, ENGINE_TR, &tss);
}

static void pages(engine *e)
{
    uint32_t directory = TABLE | 7, table[1024];
    for (uint32_t i = 0; i < 1024; i++)
        table[i] = i * PAGE_BYTES | (i % 16 == 9    ? 1
                                     : i % 16 == 10 ? 5
                                                    : 7); /* some read-only, some not the user's */
    put(e, DIRECTORY, &directory, sizeof directory);
    put(e, TABLE, table, sizeof table);
}

static void real_segments(engine *e, unsigned dpl)
{
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++) {
        engine_segment real = {.limit = 0xffff, .flags = (s == ENGINE_CS ? 0x9b00u : 0x9300u) | dpl << 13};
        engine_set_segment(e, s, &real);
    }
}

static void processor(p5_machine *m, uint8_t how, uint32_t garbage)
{
    engine *e = m->engine;
    static const engine_segment none;
    uint32_t flags = EFLAGS_FIXED | (garbage & 0x47ed5);
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_ET | CR0_NE);
    engine_set(e, ENGINE_EFLAGS, EFLAGS_FIXED);
    engine_set(e, ENGINE_CR4, garbage >> 8 & 0x5f);
    engine_set_segment(e, ENGINE_LDTR, &none);
    tables(e, garbage);
    switch (how & 3) {
    case 0:
        segment_load_flat(e, 0x08, 0x10, 0);
        break;
    case 1:
        segment_load_flat(e, 0x1b, 0x23, 3);
        break;
    case 2:
        segment_load_flat(e, 0x1b, 0x23, 3);
        real_segments(e, 3);
        flags |= FLAG_VM;
        break;
    default:
        engine_set(e, ENGINE_CR0, CR0_ET);
        real_segments(e, 0);
        engine_set_table(e, true, 0, 0x3ff);
    }
    if ((how & 3) != 3 && (how & 4) != 0) {
        pages(e);
        engine_set(e, ENGINE_CR3, DIRECTORY);
        engine_set(e, ENGINE_CR0, CR0_PG | CR0_PE | CR0_ET | CR0_NE | (how & 8 ? CR0_WP | CR0_AM : 0u));
    }
    engine_set(e, ENGINE_EFLAGS, flags & ~(uint32_t)(how & 0x10 ? 0 : EFLAGS_TF));
}

static bool is_repeat(const uint8_t *code)
{
    for (unsigned i = 0; i < 4; i++)
        if (code[i] == 0xf2 || code[i] == 0xf3)
            return true;
    return false;
}

static void pattern(p5_machine *m, fuzz_input *input)
{
    engine *e = m->engine;
    uint8_t how = fuzz_byte(input), code[16] = {0};
    unsigned size = 0;
    uint16_t opcode = opcodes[fuzz_byte(input) % (sizeof opcodes / sizeof opcodes[0])];
    if ((how & 0x60) == 0x60)
        code[size++] = (how & 0x80) != 0 ? 0xf3 : 0x66;
    if (opcode > 0xff)
        code[size++] = (uint8_t)(opcode >> 8);
    code[size++] = (uint8_t)opcode;
    for (unsigned i = 0; i < 6; i++)
        code[size++] = fuzz_byte(input);
    m->ended = false;
    m->halted = false;
    processor(m, how, fuzz_word(input));
    for (engine_register r = ENGINE_EAX; r <= ENGINE_EDI; r++)
        engine_set(e, r, interesting(input));
    if (is_repeat(code))
        engine_set(e, ENGINE_ECX, engine_get(e, ENGINE_ECX) & 0xfff);
    if ((how & 0x40) != 0)
        engine_set(e, ENGINE_ESP, STACK);
    put(e, CODE, code, sizeof code);
    put(e, CODE + 0x100, "\xf4", 1);
    engine_set(e, ENGINE_EIP, CODE);
    processor_set_control(m);
    p5_limits limits = {.max_instructions = p5_machine_instructions(m) + DEPTH,
                        .max_clocks = p5_machine_clock(m) + 2000000,
                        .timeout_seconds = 300};
    p5_run_result result;
    p5_error error;
    uint64_t before = p5_machine_clock(m);
    LAW(p5_machine_run(m, &limits, &result, &error) == P5_OK);
    if (result.end == P5_END_FAILED)
        fprintf(stderr, "engine: %s\n", result.message);
    LAW(result.end != P5_END_FAILED && result.end != P5_END_TIMEOUT && result.end != P5_END_STOPPED);
    LAW(p5_machine_clock(m) >= before);
    LAW(p5_machine_instructions(m) <= limits.max_instructions);
}

static void nothing(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const guest_kind bare = {0};
    fuzz_input input = {data, size};
    p5_machine_options options = {.size = sizeof options,
                                  .model = fuzz_byte(&input) & 1 ? "p54c-133" : "p55c-200",
                                  .memory_bytes = 1u << 20,
                                  .console = nothing};
    p5_machine *machine;
    p5_error error;
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return 0;
    if (machine_open_engine(machine, BARE_LEAST_MEMORY, BARE_LEAST_MEMORY, &error) == P5_OK) {
        machine->guest = &bare;
        segment_init_x87(machine->engine);
        while (input.size > 0)
            pattern(machine, &input);
    }
    p5_machine_close(machine);
    return 0;
}
