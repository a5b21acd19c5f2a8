/* A small guest for the engine's tests: flat 32-bit protected mode at CPL 0 with a GDT, an IDT and a TSS,
 * code written as assembly in the test, and a log of everything the engine reports. */
#ifndef TEST_ENGINE_GUEST_H
#define TEST_ENGINE_GUEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "../guest_code.h"
#include "core/core.h"
#include "engine/engine.h"
#include "isa/isa.h"

enum {
    GUEST_GDT = 0x800,
    GUEST_IDT = 0x1000,
    GUEST_TSS = 0x1800,
    GUEST_PAGES = 0x4000 /* page directory and tables */,
    GUEST_HANDLERS = 0x8000,
    GUEST_CODE = 0x10000,
    GUEST_STACK = 0x28000,
    GUEST_KERNEL_STACK = 0x2c000,
    GUEST_DATA = 0x30000,
    GUEST_MEMORY = 0x800000,
    GUEST_CODE0 = 0x08,
    GUEST_DATA0 = 0x10,
    GUEST_CODE3 = 0x1b,
    GUEST_DATA3 = 0x23,
    GUEST_TR = 0x28,
    GUEST_CODE16 = 0x30,
    GUEST_DATA16 = 0x38,
    GUEST_LOG = 100000
};

/* The core's blocks, as the engine needs them: decoded, not priced. */
struct p5_block {
    isa_block *decoded;
};
static isa_decoder *guest_decoder;

p5_block *core_block_make(p5_core *core, isa_block *code)
{
    (void)core;
    p5_block *block = malloc(sizeof *block);
    block->decoded = code;
    return block;
}
void p5_block_release(p5_core *core, p5_block *block)
{
    (void)core;
    isa_block_free(block->decoded);
    free(block);
}
unsigned p5_block_count(const p5_block *block)
{
    return block->decoded->count;
}
unsigned p5_block_accesses(const p5_block *block, unsigned i)
{
    return block->decoded->insns[i].accesses;
}

uint64_t core_block_clocks(const p5_block *block)
{
    return block->decoded->count;
}
uint64_t core_most_clocks(const p5_core *core)
{
    (void)core;
    return 0;
}

/* One retired instruction, or a part of a REP string, or a delivery. */
typedef struct guest_insn {
    uint32_t address;
    char mnemonic[12];
    bool part; /* interrupted REP string */
    bool last; /* of its stretch */
    uint8_t cpl, cpl_after, mode;
    bool descriptor;
    bool unsafe;    /* x87 */
    uint8_t unused; /* nothing is between members: records are compared as bytes */
    uint32_t repeats;
    uint32_t next; /* only with `last` */
    unsigned first_access, accesses;
    unsigned first_value, values;
} guest_insn;

typedef struct guest {
    engine *e;
    guest_insn *insns;
    unsigned count;
    unsigned batches; /* number of batches that the engine reported */
    p5_access *accesses;
    unsigned access_count;
    p5_value *values;
    unsigned value_count;
    engine_event events[64];
    unsigned event_count;
    p5_exception deliveries[64];
    p5_access delivery_accesses[64][64];
    unsigned delivery_count;
    /* What the callbacks shall do. */
    bool want_attention;
    engine_action (*attention)(struct guest *);
    engine_action (*special)(struct guest *, engine_special_call *);
    engine_action (*event)(struct guest *, const engine_event *);
    void (*catch_up)(struct guest *);
    void (*batch)(struct guest *); /* before a batch is looked at */
    engine_special specials[64];
    unsigned special_insns[64]; /* instructions retired when it was called */
    unsigned special_count;
    uint32_t ports[64], port_values[64];
    unsigned port_insns[64];
    unsigned port_count;
    uint32_t port_input;
    bool collect; /* count complaints instead of failing at the first */
    unsigned complaints;
} guest;

static void guest_complain(guest *g, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!g->collect)
        fail_msg("%s", text);
    if (g->complaints++ < 40)
        print_error("%s\n", text);
}

static bool guest_retired(void *context, const p5_retired *r)
{
    guest *g = context;
    const isa_block *b = r->block->decoded;
    unsigned access = 0, value = 0;
    for (unsigned i = 0; i < r->count; i++) {
        const isa_insn *insn = &b->insns[r->first + i];
        bool last = i + 1 == r->count;
        unsigned accesses = last ? r->access_count - access : insn->accesses;
        unsigned values = isa_forms[insn->form].value != ISA_VALUE_NONE && r->value_count ? 1 : 0;
        /* an x87 store that an unmasked exception keeps from storing */
        bool unstored = last && accesses == 0 && isa_forms[insn->form].flags & ISA_X87 &&
                        isa_forms[insn->form].data_writes;
        if (!(insn->flags & ISA_VARIABLE_ACCESSES) && accesses != insn->accesses && !unstored)
            guest_complain(g, "%s at %08x: the form has %u accesses, the stream %u",
                           isa_forms[insn->form].mnemonic, insn->address, insn->accesses, accesses);
        if (g->count < GUEST_LOG) {
            guest_insn *log = &g->insns[g->count];
            *log = (guest_insn){.address = insn->address,
                                .part = last && r->interrupted,
                                .last = last,
                                .cpl = r->cpl,
                                .cpl_after = last ? r->cpl_after : r->cpl,
                                .mode = r->mode,
                                .descriptor = last && r->descriptor,
                                .unsafe = r->unsafe_x87 && r->unsafe_mask[i],
                                .repeats = last ? r->repeats : 0,
                                .next = r->next,
                                .first_access = g->access_count,
                                .accesses = accesses,
                                .first_value = g->value_count,
                                .values = values};
            snprintf(log->mnemonic, sizeof log->mnemonic, "%s", isa_forms[insn->form].mnemonic);
            for (unsigned a = 0; a < accesses && g->access_count < GUEST_LOG; a++)
                g->accesses[g->access_count++] = r->accesses[access + a];
            if (values)
                g->values[g->value_count++] = r->values[value];
        }
        g->count++;
        access += accesses;
        value += values;
    }
    if (access != r->access_count || value != r->value_count)
        guest_complain(g, "block at %08x: %u of %u accesses and %u of %u values belong to instructions",
                       b->linear, access, r->access_count, value, r->value_count);
    return g->want_attention;
}

/* The iterations that so many references of a block are, if it is a REP string. */
static uint32_t guest_repeats(const isa_block *b, uint32_t accesses)
{
    const isa_form *form = &isa_forms[b->insns->form];
    unsigned strings = (form->writes >> ENGINE_ESI & 1) + (form->writes >> ENGINE_EDI & 1);
    bool repeats = b->insns->flags & ISA_STRING && (b->insns->rep || b->insns->repne);
    return repeats ? accesses / strings : 0;
}

/* Taken apart: a batch is the same as its stretches one by one. */
static bool guest_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                                 const p5_retired_block *blocks, size_t count, unsigned instructions)
{
    guest *g = context;
    p5_retired r = {.size = sizeof r, .accesses = accesses, .values = values};
    unsigned before = g->count;
    g->batches++;
    if (g->batch)
        g->batch(g);
    for (const p5_retired_block *b = blocks; b < blocks + count; b++) {
        r.block = b->block;
        r.count = (uint16_t)p5_block_count(b->block);
        r.access_count = (uint32_t)(b->accesses_end - r.accesses);
        r.repeats = guest_repeats(b->block->decoded, r.access_count);
        r.value_count = (uint32_t)(b->values_end - r.values);
        r.next = b->next;
        r.cpl = b->cpl;
        r.cpl_after = b->cpl_after;
        r.mode = b->mode;
        r.iopl = b->iopl;
        guest_retired(context, &r);
        r.accesses = b->accesses_end;
        r.values = b->values_end;
    }
    if (g->count - before != instructions)
        guest_complain(g, "a batch of %u instructions was said to have %u", g->count - before, instructions);
    return g->want_attention;
}

static void guest_catch_up(void *context)
{
    guest *g = context;
    if (g->catch_up)
        g->catch_up(g);
}

static engine_action guest_attention(void *context)
{
    guest *g = context;
    return g->attention ? g->attention(g) : ENGINE_CONTINUE;
}

static engine_action guest_special(void *context, engine_special_call *call)
{
    guest *g = context;
    if (g->special_count < 64) {
        g->specials[g->special_count] = call->which;
        g->special_insns[g->special_count++] = g->count;
    }
    return g->special ? g->special(g, call) : ENGINE_CONTINUE;
}

static engine_action guest_event(void *context, const engine_event *event)
{
    guest *g = context;
    if (g->event_count < 64)
        g->events[g->event_count++] = *event;
    return g->event ? g->event(g, event) : ENGINE_DELIVER;
}

static void guest_delivered(void *context, const p5_exception *exception)
{
    guest *g = context;
    if (g->delivery_count == 64)
        return;
    memcpy(g->delivery_accesses[g->delivery_count], exception->accesses,
           (exception->access_count < 64 ? exception->access_count : 64) * sizeof(p5_access));
    g->deliveries[g->delivery_count++] = *exception;
}

static uint32_t guest_port_read(void *context, uint16_t port, unsigned size)
{
    guest *g = context;
    if (g->port_count < 64) {
        g->ports[g->port_count] = port | size << 16;
        g->port_insns[g->port_count++] = g->count;
    }
    return g->port_input;
}

static void guest_port_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    guest *g = context;
    if (g->port_count < 64) {
        g->ports[g->port_count] = port | size << 16 | 1u << 24;
        g->port_values[g->port_count] = value;
        g->port_insns[g->port_count++] = g->count;
    }
}

static void guest_poke32(guest *g, uint32_t physical, uint32_t value)
{
    memcpy(engine_ram(g->e, physical, 4), &value, 4);
}

static inline uint32_t guest_peek32(guest *g, uint32_t physical)
{
    uint32_t value;
    memcpy(&value, engine_ram(g->e, physical, 4), 4);
    return value;
}

static inline void guest_put(guest *g, uint32_t physical, const uint8_t *code, const uint8_t *end)
{
    memcpy(engine_ram(g->e, physical, (uint32_t)(end - code)), code, (size_t)(end - code));
}

static void guest_descriptor(guest *g, unsigned selector, uint32_t base, uint32_t limit, uint32_t access)
{
    uint32_t at = GUEST_GDT + (selector & ~7u);
    guest_poke32(g, at, base << 16 | (limit & 0xffff));
    guest_poke32(g, at + 4, (base & 0xff000000) | (base >> 16 & 0xff) | (limit & 0xf0000) | access);
}

/* An interrupt gate to the handler for `vector`, which is a HLT at GUEST_HANDLERS + 16 * vector unless the
 * test puts something there. */
static void guest_gate(guest *g, unsigned vector, unsigned dpl)
{
    uint32_t handler = GUEST_HANDLERS + 16 * vector;
    guest_poke32(g, GUEST_IDT + 8 * vector, GUEST_CODE0 << 16 | (handler & 0xffff));
    guest_poke32(g, GUEST_IDT + 8 * vector + 4, (handler & 0xffff0000) | 0x8e00 | dpl << 13);
}

static void guest_enter(guest *g, unsigned cpl, uint32_t eip, uint32_t esp)
{
    engine_segment code = {cpl ? GUEST_CODE3 : GUEST_CODE0, 0, 0xffffffff, 0xcf9b00 | cpl << 13};
    engine_segment data = {cpl ? GUEST_DATA3 : GUEST_DATA0, 0, 0xffffffff, 0xcf9300 | cpl << 13};
    engine_set_segment(g->e, ENGINE_CS, &code);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++) {
        if (s != ENGINE_CS)
            engine_set_segment(g->e, s, &data);
    }
    engine_set(g->e, ENGINE_ESP, esp);
    engine_set(g->e, ENGINE_EIP, eip);
}

static void guest_open_as(guest *g, unsigned family, bool permissive)
{
    memset(g, 0, sizeof *g);
    g->insns = calloc(GUEST_LOG, sizeof *g->insns);
    g->accesses = calloc(GUEST_LOG + 100, sizeof *g->accesses);
    g->values = calloc(GUEST_LOG + 100, sizeof *g->values);
    guest_decoder =
        isa_decoder_open((family == P5_FAMILY_P55C ? ISA_P55C : ISA_P54C) | (permissive ? ISA_P6 : 0u));
    engine_options options = {
        .family = family, .permissive = permissive, .memory_bytes = GUEST_MEMORY, .cpuid_signature = 0x543};
    engine_callbacks callbacks = {.context = g,
                                  .retired = guest_retired,
                                  .retired_blocks = guest_retired_blocks,
                                  .catch_up = guest_catch_up,
                                  .attention = guest_attention,
                                  .special = guest_special,
                                  .event = guest_event,
                                  .delivered = guest_delivered,
                                  .port_read = guest_port_read,
                                  .port_write = guest_port_write};
    p5_error error;
    if (engine_open(&options, &callbacks, &g->e, &error) != P5_OK)
        fail_msg("engine_open: %s", error.message);
    engine_batch(g->e, ENGINE_BATCH_CLOCKS);
    engine_set(g->e, ENGINE_CR0, 0x33); /* PE, MP, ET, NE */
    guest_descriptor(g, GUEST_CODE0, 0, 0xfffff, 0xc09b00);
    guest_descriptor(g, GUEST_DATA0, 0, 0xfffff, 0xc09300);
    guest_descriptor(g, GUEST_CODE3, 0, 0xfffff, 0xc0fb00);
    guest_descriptor(g, GUEST_DATA3, 0, 0xfffff, 0xc0f300);
    guest_descriptor(g, GUEST_TR, GUEST_TSS, 0x20ff, 0x008b00);
    guest_descriptor(g, GUEST_CODE16, 0, 0xffff, 0x009b00);
    guest_descriptor(g, GUEST_DATA16, 0, 0xffff, 0x009300);
    guest_poke32(g, GUEST_TSS + 4, GUEST_KERNEL_STACK);
    guest_poke32(g, GUEST_TSS + 8, GUEST_DATA0);
    guest_poke32(g, GUEST_TSS + 0x64, 0x68u << 16);
    engine_segment tr = {GUEST_TR, GUEST_TSS, 0x20ff, 0x008b00};
    engine_set_segment(g->e, ENGINE_TR, &tr);
    for (unsigned v = 0; v < 256; v++) {
        guest_gate(g, v, v >= 0x80 ? 3 : 0);
        *engine_ram(g->e, GUEST_HANDLERS + 16 * v, 1) = 0xf4; /* hlt */
    }
    engine_set_table(g->e, true, GUEST_IDT, 0x7ff);
    engine_set_table(g->e, false, GUEST_GDT, 0x3f);
    engine_set(g->e, ENGINE_EFLAGS, 2);
    engine_set(g->e, ENGINE_EDX, 0);
    guest_enter(g, 0, GUEST_CODE, GUEST_STACK);
}

static inline void guest_open(guest *g)
{
    guest_open_as(g, P5_FAMILY_P55C, false);
}

static inline void guest_close(guest *g)
{
    engine_close(g->e);
    isa_decoder_close(guest_decoder);
    free(g->insns);
    free(g->accesses);
    free(g->values);
}

static inline void guest_run(guest *g, engine_stop expected)
{
    engine_stop stop = engine_run(g->e);
    if (stop == ENGINE_FAILED)
        fail_msg("engine failed: %s", engine_failure(g->e));
    if (stop != expected)
        fail_msg("stop %d instead of %d at %08x after %u instructions, %u events, last vector %u", stop,
                 expected, engine_get(g->e, ENGINE_EIP), g->count, g->event_count,
                 g->event_count ? g->events[g->event_count - 1].vector : 0);
}

#define GUEST_LOAD(g, name) guest_put(g, GUEST_CODE, name, name##_end)

/* Declares `g`, a guest of a P55C, which is closed at the end of the block. */
#define OPEN_GUEST(g) OPEN_GUEST_AS(g, P5_FAMILY_P55C, false)
#define OPEN_GUEST_AS(g, family, permissive)                                                                 \
    CLOSED_BY(guest_close) guest g;                                                                          \
    guest_open_as(&g, family, permissive)
/* The same, with the code of GUEST(code, ...). */
#define OPEN_GUEST_OF(g, code)                                                                               \
    OPEN_GUEST(g);                                                                                           \
    GUEST_LOAD(&g, code)

/* TEST_OF_GUEST(name, code) {...} defines a test that runs the code of GUEST(code, ...). The body has a `guest *g`,
 * which is opened before it and closed after it. */
#define TEST_OF_GUEST(name, code)                                                                            \
    static void name##_body(guest *g);                                                                       \
    TEST(name)                                                                                               \
    {                                                                                                        \
        OPEN_GUEST_OF(g, code);                                                                              \
        name##_body(&g);                                                                                     \
    }                                                                                                        \
    static void name##_body(guest *g)

/* GUEST_TEST(name, text) {...} is the same for code that no other test runs. The code is in name[]. */
#define GUEST_TEST(name, text)                                                                               \
    GUEST(name, text);                                                                                       \
    TEST_OF_GUEST(test_##name, name)

#define guest_expect_access(g, insn, n, where, bytes, what)                                                  \
    guest_expect_access_at(g, insn, n, (p5_access){.linear = (where), .size = (bytes), .flags = (what)},     \
                           __FILE__, __LINE__)

/* Fails the test unless access `n` of instruction `insn` has the linear address, size and flags of `expected`. */
static inline void guest_expect_access_at(const guest *g, unsigned insn, unsigned n, p5_access expected,
                                          const char *file, int line)
{
    const guest_insn *i = &g->insns[insn];
    if (insn >= g->count || n >= i->accesses)
        fail_msg("%s:%d: instruction %u has no access %u", file, line, insn, n);
    const p5_access *a = &g->accesses[i->first_access + n];
    if (a->linear != expected.linear || a->size != expected.size || a->flags != expected.flags)
        fail_msg("%s:%d: instruction %u (%s), access %u: expected %08x size %u flags %02x, got %08x size %u "
                 "flags %02x",
                 file, line, insn, i->mnemonic, n, expected.linear, expected.size, expected.flags, a->linear,
                 a->size, a->flags);
}

#endif
