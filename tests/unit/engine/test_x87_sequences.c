/* Sequences of x87 instructions with all exceptions masked, between which the engine leaves the guest's registers in the
 * host's x87. The final state must be that of the host's own x87. State and values that the model gets must be those of
 * a run in single steps, where the registers return to the guest's state after each instruction. */
#include <sys/mman.h>

#include "engine/x87/x87_internal.h"
#include "x87_cases.h"

enum { SEQUENCES = 600, STATES = 12, LENGTH = 16, SLOTS = 7, CONTROL = SLOTS /* the slot of FLDCW */ };

typedef struct sequence {
    const x87_insn *insns[LENGTH];
    uint8_t code[5 * LENGTH];
    size_t size;
    bool transcendental; /* has such functions: the host's x87 has other last bits */
} sequence;

static const x87_insn load_control = M("fldcw m16", 0xd9, 5, 'c');
/* What MMX instructions do to TOP and tags. */
static const x87_insn mmx[] = {{"movd eax, mm1", {0x0f, 0x7e, 0xc8}, 3, '-'}, R("emms", 0x0f, 0x77)};

/* Memory operands get a displacement: [ECX + 16 * slot]. Other instructions stand for themselves. */
static void add(sequence *s, unsigned n, const x87_insn *insn)
{
    s->insns[n] = insn;
    unsigned size = insn->size;
    memcpy(s->code + s->size, insn->bytes, size);
    if (insn->memory != '-') {
        s->code[s->size + 1] |= 0x40;
        s->code[s->size + size++] = (uint8_t)(16 * (insn->memory == 'c' ? CONTROL : (int)below(SLOTS)));
    }
    s->size += size;
}

/* What programs do most makes up half of it, so that values live for a while. */
static void random_sequence(sequence *s, unsigned family, bool transcendentals)
{
    enum { INSNS = sizeof insns / sizeof insns[0], ARITHMETIC = 2 * 7 };
    s->size = 0;
    s->transcendental = false;
    bool calm = below(2) == 0;
    for (unsigned n = 0; n < LENGTH; n++) {
        const x87_insn *insn = &insns[below(calm ? ARITHMETIC : INSNS)];
        if (below(16) == 0)
            insn = &load_control;
        else if (family == P5_FAMILY_P55C && below(12) == 0)
            insn = &mmx[below(2)];
        else if (strcmp(insn->name, "fninit") == 0 || (!transcendentals && transcendental(insn)))
            insn = &insns[0];
        s->transcendental |= transcendental(insn);
        add(s, n, insn);
    }
}

static void random_state_of(uint8_t *record, const sequence *s)
{
    random_record(record, s->insns[0]);
    record[0] |= 0x3f; /* all masked: the host takes no exception */
    for (unsigned slot = 0; slot < SLOTS; slot++)
        random_memory(record + MEMORY + 16 * slot, "sdxi"[below(4)]);
    put16(record + MEMORY + 16 * CONTROL, 0x7f | below(16) << 8);
}

static void run_on_host(uint8_t *page, const sequence *s, uint8_t *records)
{
    host_code *code = assemble_host(page, s->code, s->size);
    for (unsigned i = 0; i < STATES; i++)
        code(records + i * RECORD, records + i * RECORD + MEMORY);
}

static void run_on_guest(guest *g, const uint8_t *before, bool steps)
{
    memcpy(engine_ram(g->e, RECORDS, STATES * RECORD), before, STATES * RECORD);
    engine_set(g->e, ENGINE_EIP, GUEST_CODE);
    engine_set(g->e, ENGINE_ESI, RECORDS);
    engine_set(g->e, ENGINE_EBX, STATES);
    g->count = g->access_count = g->value_count = 0;
    engine_step_mode(g->e, steps);
    guest_run(g, ENGINE_HALTED);
    engine_step_mode(g->e, false);
}

static bool as_on_host(const sequence *s, const uint8_t *before, const uint8_t *host, const uint8_t *emulated)
{
    for (unsigned i = 0; i < STATES; i++) {
        const uint8_t *h = host + i * RECORD, *g = emulated + i * RECORD;
        if (same(h, g) && memcmp(h + MEMORY, g + MEMORY, RECORD - MEMORY) == 0)
            continue;
        for (unsigned n = 0; n < LENGTH; n++)
            print_error("%s; ", s->insns[n]->name);
        print_error("state %u\n", i);
        show("before", before + i * RECORD);
        show("host", h);
        show("guest", g);
        return false;
    }
    return true;
}

/* What the model got, for a comparison with a second run of the same guest. */
typedef struct received {
    guest_insn insns[STATES * (LENGTH + 10)];
    p5_value values[STATES * LENGTH];
    unsigned count, value_count;
} received;

static void keep_received(received *to, const guest *g)
{
    assert_true(g->count <= STATES * (LENGTH + 10) && g->value_count <= STATES * LENGTH);
    to->count = g->count;
    to->value_count = g->value_count;
    memcpy(to->insns, g->insns, g->count * sizeof *g->insns);
    memcpy(to->values, g->values, g->value_count * sizeof *g->values);
}

static bool received_the_same(const sequence *s, const received *a, const guest *b)
{
    bool same_values = a->count == b->count && a->value_count == b->value_count;
    for (unsigned i = 0; same_values && i < a->value_count; i++) { /* after the kind is nothing */
        const p5_value *v = &a->values[i], *w = &b->values[i];
        same_values = v->a == w->a && v->b == w->b && v->fpu_control == w->fpu_control && v->kind == w->kind;
    }
    if (!same_values)
        print_error("%u and %u instructions, %u and %u values\n", a->count, b->count, a->value_count,
                    b->value_count);
    for (unsigned i = 0; same_values && i < a->count; i++) {
        if (a->insns[i].unsafe == b->insns[i].unsafe && a->insns[i].address == b->insns[i].address)
            continue;
        print_error("%s at %x is unsafe %u, and %u in single steps\n", a->insns[i].mnemonic,
                    a->insns[i].address, a->insns[i].unsafe, b->insns[i].unsafe);
        same_values = false;
    }
    for (unsigned n = 0; !same_values && n < LENGTH; n++)
        print_error("%s; ", s->insns[n]->name);
    return same_values;
}

static void sequences(unsigned family)
{
    OPEN_GUEST_AS(g, family, false);
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static uint8_t before[STATES * RECORD], host[STATES * RECORD];
    static received together;
    unsigned unsafe = 0, values = 0;
    for (unsigned i = 0; i < SEQUENCES; i++) {
        sequence s;
        random_sequence(&s, family, i % 4 == 3);
        for (unsigned n = 0; n < STATES; n++)
            random_state_of(before + n * RECORD, &s);
        memcpy(host, before, sizeof host);
        run_on_host(page, &s, host);
        assemble_guest(&g, s.code, s.size);
        run_on_guest(&g, before, false);
        if (s.transcendental)
            memcpy(host, engine_ram(g.e, RECORDS, sizeof host), sizeof host);
        keep_received(&together, &g);
        bool right = as_on_host(&s, before, host, engine_ram(g.e, RECORDS, sizeof host));
        run_on_guest(&g, before, true);
        right &= as_on_host(&s, before, host, engine_ram(g.e, RECORDS, sizeof host));
        if (!right || !received_the_same(&s, &together, &g))
            fail_msg("sequence %u", i);
        for (unsigned n = 0; n < together.count; n++)
            unsafe += together.insns[n].unsafe;
        values += together.value_count;
    }
    assert_true(unsafe > SEQUENCES && values > SEQUENCES);
    munmap(page, 4096);
}

TEST(test_p55c)
{
    sequences(P5_FAMILY_P55C);
}

TEST(test_p54c)
{
    sequences(P5_FAMILY_P54C);
}

/* --- Whether the registers stay in the host's x87 --- */

static unsigned left_in_host;
static void look(guest *g)
{
    left_in_host += g->e->x87.place == X87_IN_HOST;
}

/* These look at the guest's state. */
static bool by_state(const x87_insn *insn)
{
    static const char *const names[] = {"fbld", "fbstp", "fincstp", "fdecstp", "ffree st(1)", "fninit"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(insn->name, names[i]) == 0)
            return true;
    return transcendental(insn);
}

GUEST(filled, "fninit\n fld1\n fld1\n fld1\n fld1\n fld1");
GUEST(long_loop, "mov edx, 10000\n 0: dec edx\n jnz 0b\n hlt");

/* What programs do most never takes them out: a call that emit.c does not join would, and the next
 * instruction put them back. */
TEST(test_stays)
{
    if (!X87_BY_HOST)
        skip();
    OPEN_GUEST(g);
    g.batch = look;
    for (unsigned i = 0; i < sizeof insns / sizeof insns[0]; i++) {
        uint32_t at = GUEST_CODE + 0x100 * i;
        guest_put(&g, at, filled, filled_end);
        guest_put(&g, at + (uint32_t)(filled_end - filled), insns[i].bytes, insns[i].bytes + insns[i].size);
        guest_put(&g, at + (uint32_t)(filled_end - filled) + insns[i].size, long_loop, long_loop_end);
        engine_set(g.e, ENGINE_EIP, at);
        engine_set(g.e, ENGINE_ECX, RECORDS);
        g.count = g.access_count = g.value_count = g.batches = left_in_host = 0;
        guest_run(&g, ENGINE_HALTED);
        assert_true(g.batches > 2);
        bool stays = left_in_host + 1 >= g.batches; /* HLT looks at the state */
        if (stays == by_state(&insns[i]))
            fail_msg("%s: in the host's x87 at %u of %u batches", insns[i].name, left_in_host, g.batches);
    }
}
