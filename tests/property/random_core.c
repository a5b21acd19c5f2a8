#include "random_core.h"

#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "p5scope/model.h"
#include "programs.h"

enum {
    BLOCKS = 24,
    INSNS = 10,
    CODE = RANDOM_CORE_CODE,
    DIRECTORY = 0x3c0000,
    TABLES = 0x400000,
    ACCESSES = 64,
    ITERATIONS = 16 /* of a string */
};

/* What blocks are made of; the low three bits of `reg` are random if it is set. */
static const struct {
    uint8_t length, mmx, reg, bytes[8];
} menu[] = {
    {1, 0, 0, {0x90}},                      /* nop */
    {1, 0, 1, {0x40}},                      /* inc r */
    {2, 0, 1, {0x89, 0xc0}},                /* mov r,eax */
    {2, 0, 1, {0x03, 0xc0}},                /* add eax,r */
    {2, 0, 0, {0x8b, 0x06}},                /* mov eax,[esi] */
    {2, 0, 0, {0x8b, 0x1f}},                /* mov ebx,[edi] */
    {2, 0, 0, {0x89, 0x07}},                /* mov [edi],eax */
    {2, 0, 0, {0x89, 0x1e}},                /* mov [esi],ebx */
    {2, 0, 0, {0x01, 0x06}},                /* add [esi],eax */
    {2, 0, 0, {0x03, 0x0f}},                /* add ecx,[edi] */
    {3, 0, 0, {0xf0, 0x01, 0x06}},          /* lock add [esi],eax */
    {2, 0, 0, {0x87, 0x07}},                /* xchg [edi],eax */
    {1, 0, 1, {0x50}},                      /* push r */
    {1, 0, 1, {0x58}},                      /* pop r */
    {2, 0, 0, {0xf7, 0xd8}},                /* neg eax */
    {2, 0, 0, {0x66, 0x90}},                /* prefixed nop */
    {7, 0, 0, {0xc7, 0x46, 4, 1, 0, 0, 0}}, /* mov [esi+4],1 */
    {2, 0, 0, {0xd8, 0xc1}},                /* fadd st,st(1) */
    {2, 0, 0, {0xd9, 0x06}},                /* fld dword [esi] */
    {2, 0, 0, {0xd9, 0xc9}},                /* fxch */
    {2, 0, 0, {0xd9, 0x1f}},                /* fstp dword [edi] */
    {2, 0, 0, {0x0f, 0xa2}},                /* cpuid */
    {3, 1, 1, {0x0f, 0xfc, 0xc0}},          /* paddb */
    {3, 1, 1, {0x0f, 0xdc, 0xc8}},          /* paddusb */
    {3, 1, 1, {0x0f, 0xd5, 0xc0}},          /* pmullw */
    {3, 1, 0, {0x0f, 0x6f, 0x06}},          /* movq mm0,[esi] */
    {3, 1, 0, {0x0f, 0x7f, 0x07}},          /* movq [edi],mm0 */
    {2, 1, 0, {0x0f, 0x77}},                /* emms */
};
enum { MENU = sizeof menu / sizeof *menu };

typedef enum ending { JCC, JMP, CALL, RET, LOOP, STRING /* REP MOVSD, a block of its own */, ENDINGS } ending;

typedef struct guest {
    p5_block *block[BLOCKS];
    uint32_t start[BLOCKS];
    ending end[BLOCKS];
    uint8_t target[BLOCKS];
} guest;

static unsigned ending_bytes(uint8_t *at, ending end, int32_t displacement)
{
    switch (end) {
    case JCC:
        at[0] = 0x0f;
        at[1] = 0x84;
        memcpy(at + 2, &displacement, 4);
        return 6;
    case JMP:
    case CALL:
        at[0] = end == JMP ? 0xe9 : 0xe8;
        memcpy(at + 1, &displacement, 4);
        return 5;
    case RET:
        at[0] = 0xc3;
        return 1;
    case STRING:
        at[0] = 0xf3;
        at[1] = 0xa5;
        return 2;
    default: /* its short displacement does not reach: the stream says where control went */
        at[0] = 0xe2;
        at[1] = 0;
        return 2;
    }
}

/* Blocks lie one after the other; each but the last may fall through to the next. */
static void make(guest *g, p5_core *core, random_source *r, bool mmx)
{
    uint8_t code[BLOCKS][INSNS * 8 + 8];
    unsigned size[BLOCKS];
    uint32_t at = CODE;
    for (unsigned b = 0; b < BLOCKS; b++) {
        size[b] = 0;
        g->end[b] = b == BLOCKS - 1 ? JMP : (ending)random_below(r, ENDINGS);
        for (unsigned n = g->end[b] == STRING ? 0 : random_below(r, INSNS); n > 0; n--) {
            unsigned pick;
            do
                pick = random_below(r, MENU);
            while (menu[pick].mmx && !mmx);
            memcpy(code[b] + size[b], menu[pick].bytes, menu[pick].length);
            size[b] += menu[pick].length;
            if (menu[pick].reg)
                code[b][size[b] - 1] |= (uint8_t)(random_below(r, 8));
        }
        g->target[b] = (uint8_t)random_below(r, BLOCKS);
        g->start[b] = at;
        at += size[b] + ending_bytes(code[b] + size[b], g->end[b], 0);
    }
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint32_t next = b + 1 < BLOCKS ? g->start[b + 1] : at;
        size[b] += ending_bytes(code[b] + size[b], g->end[b], (int32_t)(g->start[g->target[b]] - next));
        g->block[b] =
            p5_block_make(core, &(p5_code){code[b], size[b], g->start[b], g->start[b], true}, INSNS + 1);
        if (!g->block[b] || p5_block_count(g->block[b]) == 0)
            abort();
    }
}

/* Mostly the same few lines, sometimes anywhere in a megabyte, uncacheable memory included, or across a page end. */
static uint32_t random_address(random_source *r)
{
    switch (random_below(r, 8)) {
    case 0:
        return 0x80000 + random_below(r, 0x60000);
    case 1:
        return 0x20000 + random_below(r, 64);
    case 2:
        return 0x20000 + 4096 * random_below(r, 100);
    case 3:
        return 0x20ffd + 4096 * random_below(r, 100);
    default:
        return 0x20000 + 4 * random_below(r, 128);
    }
}

static uint32_t references(const p5_block *block, random_source *r, p5_access *accesses)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        const isa_form *form = &isa_forms[o->form];
        uint32_t address = random_address(r);
        for (unsigned j = 0; j < o->accesses; j++, n++) {
            accesses[n] =
                (p5_access){.linear = address, .physical = address, .size = (o->flags & ISA_MMX) ? 8 : 4};
            if (j >= form->data_reads)
                accesses[n].flags = P5_ACCESS_WRITE;
        }
    }
    if (block_is_repeat(block)) {
        const uint32_t from = random_address(r), to = random_address(r);
        for (unsigned left = random_below(r, ITERATIONS + 1); left > 0; left--, n += 2) {
            const uint32_t read = from + 2 * n, written = to + 2 * n;
            accesses[n] = (p5_access){.linear = read, .physical = read, .size = 4};
            accesses[n + 1] =
                (p5_access){.linear = written, .physical = written, .size = 4, .flags = P5_ACCESS_WRITE};
        }
    }
    return n;
}

static unsigned next_block(const guest *g, random_source *r, unsigned b)
{
    switch (g->end[b]) {
    case JCC:
    case LOOP:
        return random_below(r, 3) == 0 ? b + 1 : g->target[b];
    case RET:
        return random_below(r, BLOCKS);
    case STRING:
        return b + 1;
    default:
        return g->target[b];
    }
}

/* The state of a run. */
typedef struct run {
    p5_core *core;
    random_source random;
    guest guest;
    unsigned cpl, block;
    const random_core_observer *observer;
} run;

/* Feeds the core the current block; control goes to block `next`. */
static void retire(run *u, unsigned next)
{
    const guest *g = &u->guest;
    const random_core_observer *observer = u->observer;
    random_source *r = &u->random;
    p5_access accesses[ACCESSES];
    p5_value values[INSNS + 1] = {{0}};
    uint8_t unsafe[INSNS + 1] = {0};
    const p5_block *block = g->block[u->block];
    p5_retired what = {.size = sizeof what,
                       .block = g->block[u->block],
                       .count = (uint16_t)block->count,
                       .accesses = accesses,
                       .values = values};
    what.access_count = references(block, r, accesses);
    what.repeats = block_is_repeat(block) ? what.access_count / 2 : 0;
    for (unsigned i = 0; i < block->count; i++)
        if (block->ops[i].value != ISA_VALUE_NONE)
            values[what.value_count++] = (p5_value){.a = random_below(r, 2), .kind = block->ops[i].value};
    if (random_below(r, 20) == 0) {
        what.unsafe_x87 = true;
        what.unsafe_mask = unsafe;
        memset(unsafe, 1, sizeof unsafe);
    }
    what.next = g->start[next];
    what.cpl = what.cpl_after = (uint8_t)u->cpl;
    what.mode = P5_MODE_PROTECTED;
    if (observer && observer->retire)
        observer->retire(observer->context, u->core, &what);
    else if (p5_core_retire(u->core, &what) != P5_OK)
        abort();
}

/* Does something that does not belong to the flow of instructions. Returns the CPL afterwards. */
static unsigned disturb(p5_core *core, random_source *r, unsigned cpl, uint32_t handler)
{
    p5_control control = {.size = sizeof control,
                          .paging = random_below(r, 4) != 0,
                          .cache_disable = random_below(r, 8) == 0,
                          .single_pipe = random_below(r, 8) == 0,
                          .fpu_trap = random_below(r, 4) == 0};
    p5_debug debug = {.size = sizeof debug,
                      .dr = {CODE + random_below(r, 64), 0x20000, 0x20040, 0x60},
                      .dr7 = random_next(r),
                      .extensions = true};
    p5_access frame = {0x30000, 0x30000, 4, P5_ACCESS_WRITE | P5_ACCESS_SYSTEM, 0};
    /* No INT n, which would be an instruction of the previous block. */
    static const p5_transfer kinds[] = {P5_TRANSFER_FAULT, P5_TRANSFER_TRAP, P5_TRANSFER_INTERRUPT,
                                        P5_TRANSFER_NMI};
    p5_exception exception = {.size = sizeof exception,
                              .kind = kinds[random_below(r, sizeof kinds / sizeof *kinds)],
                              .cpl = (uint8_t)cpl,
                              .mode = P5_MODE_PROTECTED,
                              .mode_after = P5_MODE_PROTECTED,
                              .on_return = random_below(r, 4) == 0,
                              .handler = handler,
                              .access_count = 1,
                              .accesses = &frame};
    switch (random_below(r, 8)) {
    case 0:
        p5_core_set_control(core, &control);
        return cpl;
    case 1:
        p5_core_set_debug(core, &debug);
        return cpl;
    case 2:
        p5_core_halt(core, random_below(r, 1000), cpl);
        return cpl;
    case 3:
        p5_core_load_cr3(core, 0);
        return cpl;
    case 4:
        p5_core_wbinvd(core);
        return cpl;
    case 5:
        return 3 - cpl;
    default:
        p5_core_exception(core, &exception);
        return 0;
    }
}

static void walk(void *context, uint32_t linear, uint32_t *directory, uint32_t *table)
{
    (void)context;
    *directory = DIRECTORY + (linear >> 22) * 4;
    *table = TABLES + (linear >> 12) * 4;
}

static unsigned bits_set(void *context, uint32_t linear, bool write)
{
    (void)context;
    const bool clear = (linear >> 12) % 2 == 0;
    return clear ? P5_PAGE_DIRECTORY_ACCESSED | P5_PAGE_ACCESSED | (write ? P5_PAGE_DIRTY : 0) : 0;
}

static p5_core *open_core(const p5_model *model, bool memo)
{
    p5_core_hooks hooks = {.size = sizeof hooks, .walk = walk, .page_bits_set = bits_set};
    p5_core *core;
    p5_error error;
    if (p5_core_open(model, &hooks, &core, &error) != P5_OK)
        abort();
    p5_core_set_memo(core, memo);
    return core;
}

static void settle(const run *u)
{
    if (u->observer && u->observer->settle)
        u->observer->settle(u->observer->context, u->core);
}

static void step(run *u)
{
    unsigned next = next_block(&u->guest, &u->random, u->block);
    retire(u, next);
    u->block = next;
    if (random_below(&u->random, 100) == 0) {
        settle(u);
        u->cpl = disturb(u->core, &u->random, u->cpl, u->guest.start[next]);
    }
}

static void begin(run *u, const p5_model *model, bool memo, uint64_t seed)
{
    *u = (run){.core = open_core(model, memo), .random = {seed}, .cpl = 3};
    p5_core_set_control(u->core, &(p5_control){.size = sizeof(p5_control), .paging = true});
}

void random_core_watch(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals,
                       const random_core_observer *observer)
{
    run u;
    begin(&u, model, memo, seed);
    u.observer = observer;
    if (observer && observer->begin)
        observer->begin(observer->context, u.core);
    make(&u.guest, u.core, &u.random, p5_model_family(model) == P5_FAMILY_P55C);
    for (unsigned n = 0; n < stretches; n++)
        step(&u);
    settle(&u);
    p5_core_counts(u.core, totals);
    if (observer && observer->end)
        observer->end(observer->context, u.core);
    p5_core_close(u.core);
}

void random_core_change(const p5_model *model, bool memo, uint64_t seed, unsigned stretches,
                        const random_core_successor *successor, p5_counts *totals)
{
    bool mmx = p5_model_family(model) == P5_FAMILY_P55C;
    run u;
    begin(&u, model, memo, seed);
    make(&u.guest, u.core, &u.random, mmx);
    for (unsigned n = 0; n < stretches; n++) {
        if (n == successor->at) {
            p5_core *other = open_core(model, memo);
            random_source again = {seed};
            successor->hand_over(successor->context, u.core, other);
            p5_core_close(u.core);
            u.core = other;
            make(&u.guest, other, &again, mmx); /* the same blocks */
        }
        step(&u);
    }
    p5_core_counts(u.core, totals);
    p5_core_close(u.core);
}

void random_core_run(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals)
{
    random_core_watch(model, memo, seed, stretches, totals, NULL);
}
