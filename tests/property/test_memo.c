/* Law: remembered answers are those of the exact path. Two cores are fed the same random walk through random
 * blocks, with references that hit, miss, straddle and share lines with code, under paging; one remembers,
 * the other does not. Now and then something happens that the memo must notice: flushes, control changes, breakpoints,
 * blocks that are dropped and made anew, a memo that is over its budget; or another bus master is at work.
 * Some stretches are executed in two parts, or have unsafe x87 operands; mode and privilege change.
 * Two more remember and are fed the same in batches, one of them with a profile. A last one is switched at
 * random points of the run: memo, trace, bus listener and profile on and off, out of memory, saved and
 * loaded. Clocks, totals and structures are the same at every look. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/core/retire_blocks.h"
#include "../unit/core/model_timing.h"
#include "../unit/base/snapshot_bytes.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor.h"
#include "core/profile/profile.h"
#include "p5scope/model.h"
#include "programs.h"
#include "random_model.h"

enum {
    BLOCKS = 24,
    BLOCK_BYTES = 256,
    CODE = 0x100000,
    DATA = 0x200000,
    VIDEO = 0xa0000, /* memory with slow cycles, which is not cached */
    TABLES = 0x300000,
    STRETCHES = 3000,
    REFERENCES = 1024,
    BATCH = 16 /* stretches between looks */
};

typedef struct guest_block {
    uint8_t bytes[BLOCK_BYTES];
    unsigned size;
    uint32_t linear;
    bool straight;      /* it has no branch, and the next one follows */
    bool ends_straight; /* likewise, and its last instruction is one of `straight_ends` */
} guest_block;

typedef struct twin {
    p5_core *core;
    p5_block *blocks[BLOCKS];
} twin;

enum { ALONE, IN_BATCHES, PROFILED, SWITCHED, TWINS }; /* those that remember */

/* The stretches that are to come as a batch. */
typedef struct batch {
    p5_retired_block stretches[BATCH];
    unsigned which[BATCH]; /* their blocks */
    p5_access accesses[BATCH * REFERENCES];
    p5_value values[BATCH * REFERENCES];
    unsigned count, access_count, value_count;
} batch;

/* One random guest: how it mixes. */
typedef struct mix {
    unsigned hot_blocks;      /* of BLOCKS */
    uint32_t data;            /* where references go */
    uint32_t data_bytes;      /* references fall into so much */
    unsigned loop_percent;    /* the block runs again */
    unsigned odd_percent;     /* references that are misaligned, in code, not cacheable ... */
    unsigned event_permille;  /* stretches before which something happens */
    unsigned marked_permille; /* stretches with marks of x87 operands, or in two parts */
} mix;

static uint32_t place(uint32_t linear)
{
    return linear ^ 0x5000; /* pages lie elsewhere, sets stay the same */
}

static uint32_t translate(void *context, uint32_t linear)
{
    (void)context;
    return place(linear);
}

static void walk(void *context, uint32_t linear, uint32_t *directory, uint32_t *table)
{
    (void)context;
    *directory = TABLES + (linear >> 22) * 4;
    *table = TABLES + 0x1000 + (linear >> 12) * 4;
}

static void open_block(twin *t, unsigned i, const guest_block *from)
{
    t->blocks[i] = p5_block_make(
        t->core, &(p5_code){from->bytes, from->size, from->linear, place(from->linear), true}, 32);
    if (t->blocks[i] == NULL)
        abort();
}

static void open_twin(twin *t, const p5_model *model, bool on, const guest_block *blocks)
{
    const p5_core_hooks hooks = {.size = sizeof hooks, .translate = translate, .walk = walk};
    p5_error error;
    if (p5_core_open(model, &hooks, &t->core, &error) != P5_OK)
        abort();
    p5_core_set_memo(t->core, on);
    p5_core_set_control(t->core, &(p5_control){.size = sizeof(p5_control), .paging = true});
    for (unsigned i = 0; i < BLOCKS; i++)
        open_block(t, i, &blocks[i]);
}

static p5_access reference_in(random_source *r, const mix *m, bool write)
{
    uint32_t linear = m->data + random_below(r, m->data_bytes / 4) * 4;
    uint8_t size = 4, flags = write ? P5_ACCESS_WRITE : 0;
    if (random_below(r, 100) < m->odd_percent) {
        switch (random_below(r, 6)) {
        case 0:
            linear += 1 + random_below(r, 31); /* may straddle dwords, lines, pages */
            break;
        case 1:
            linear = CODE + random_below(r, BLOCKS * BLOCK_BYTES / 4) * 4; /* shares lines with code */
            break;
        case 2:
            flags |= P5_ACCESS_CACHE_DISABLE;
            break;
        case 3:
            flags |= P5_ACCESS_WRITE_THROUGH;
            break;
        case 4:
            linear = DATA + random_below(r, 200) * 0x1000; /* one set, and many pages */
            break;
        default:
            linear &= ~7u;
            size = 8;
        }
    }
    return (p5_access){.linear = linear, .physical = place(linear), .size = size, .flags = flags};
}

/* Instructions that programs.h does not have. Their clocks depend on operands, mode or privilege, or they make many
 * references or locked ones, or they serialise. */
static const struct {
    uint8_t length, bytes[4];
} further[] = {
    {3, {0x0f, 0xbc, 0xc3}}, /* bsf eax,ebx */
    {3, {0x0f, 0xbd, 0xc3}}, /* bsr eax,ebx */
    {2, {0xd3, 0xd0}},       /* rcl eax,cl */
    {1, {0x60}},             /* pusha */
    {1, {0x61}},             /* popa */
    {2, {0xd9, 0xfa}},       /* fsqrt */
    {2, {0xd9, 0xfe}},       /* fsin */
    {2, {0xd9, 0xf8}},       /* fprem */
    {2, {0xd8, 0xf1}},       /* fdiv st,st(1) */
    {2, {0xdd, 0x36}},       /* fnsave [esi] */
    {2, {0x0f, 0x31}},       /* rdtsc */
    {4, {0xc8, 0, 0, 2}},    /* enter 0,2 */
    {2, {0x87, 0x06}},       /* xchg [esi],eax */
    {3, {0xf0, 0x01, 0x06}}, /* lock add [esi],eax */
    {2, {0x0f, 0xa2}},       /* cpuid */
};
/* Branches that may end a block instead of JZ: LOOP, JMP, JECXZ, RETF, INT 80h, IRET. */
static const uint8_t ends[][2] = {{0xe2, 0}, {0xeb, 0}, {0xe3, 0}, {0x90, 0xcb}, {0xcd, 0x80}, {0x90, 0xcf}};
/* Other ends, whose number of references varies: MOV DS,AX, REP MOVSB, REP STOSD. */
static const uint8_t straight_ends[][2] = {{0x8e, 0xd8}, {0xf3, 0xa4}, {0xf3, 0xab}};

/* A random operand of an instruction with this isa_value_kind. */
static uint64_t operand(random_source *r, unsigned kind)
{
    static const double doubles[] = {0, 0.01, 0.3, 0.75, 1, 2, 3.14159265, 1e6, 1e300, -0.5, -7};
    uint64_t bits;
    if (kind == ISA_VALUE_SATURATED)
        return random_below(r, 2);
    if (kind != ISA_VALUE_X87)
        return random_below(r, 33);
    memcpy(&bits, &doubles[random_below(r, sizeof doubles / sizeof *doubles)], sizeof bits);
    return bits;
}

/* A stretch of block `i`, and where control goes: decided once, fed to both. */
static void make_stretch(p5_retired *s, p5_access *references, p5_value *values, const p5_block *block,
                         const mix *m, random_source *r, uint32_t next)
{
    unsigned n = 0, value_count = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const isa_form *form = &isa_forms[block->ops[i].form];
        for (unsigned j = 0; j < block->ops[i].accesses; j++)
            references[n++] = reference_in(r, m, j >= form->data_reads);
        if (block->ops[i].value != ISA_VALUE_NONE)
            values[value_count++] = (p5_value){.a = operand(r, block->ops[i].value),
                                               .b = operand(r, block->ops[i].value),
                                               .fpu_control = (uint16_t)(random_below(r, 4) << 8),
                                               .kind = block->ops[i].value};
    }
    const op *last = &block->ops[block->count - 1];
    const unsigned repeats = last->pattern == ACCESS_REP ? random_below(r, 40) : 0;
    const bool varies = (last->flags & (ISA_FAR_TRANSFER | ISA_SEGMENT_LOAD)) != 0;
    for (unsigned j = varies ? random_below(r, 5) : repeats * last->rep_accesses; j-- > 0;)
        references[n++] = reference_in(r, m, !varies && j % last->rep_accesses == 0);
    *s = (p5_retired){.size = sizeof(p5_retired),
                      .count = (uint16_t)block->count,
                      .accesses = references,
                      .access_count = n,
                      .values = values,
                      .value_count = value_count,
                      .next = next,
                      .repeats = repeats,
                      .descriptor = varies && random_below(r, 2) != 0};
}

/* Sets mode and privilege of stretch number `n`; a far branch in protected mode may change the latter. */
static void set_levels(p5_retired *s, const p5_block *block, unsigned n, random_source *r)
{
    s->mode = (uint8_t)(n / 300 % 3);
    s->cpl = s->cpl_after = s->mode == P5_MODE_V86 ? 3 : s->mode == P5_MODE_REAL ? 0 : (uint8_t)(n / 500 % 4);
    if (s->mode != P5_MODE_PROTECTED || block->branch_kind < ISA_FAR)
        return;
    s->gate = block->branch_kind == ISA_INT ? (uint8_t)random_below(r, P5_GATE_INNER + 1) : P5_GATE_NONE;
    if (random_below(r, 3) == 0)
        s->cpl_after = (uint8_t)random_below(r, 4);
}

/* Whether p5_retired_block can say it all. */
static bool fits_batch(const p5_retired *s)
{
    const bool long_string = s->repeats > 0 && (s->count > 1 || s->access_count > BATCH_REPEATED);
    return s->gate == P5_GATE_NONE && !s->descriptor && !long_string;
}

/* The last instruction may lack its last reference: then the stretch is not the whole block. */
static void leave_out(p5_retired *s, const p5_block *block, const mix *m, random_source *r)
{
    const uint32_t before_last = block->access_start[block->count - 1] - block->access_start[0];
    if (s->access_count > before_last && s->repeats == 0 && random_below(r, 400) < m->odd_percent)
        s->access_count--;
}

static void put_off(batch *all, const p5_retired *s, unsigned which)
{
    memcpy(all->accesses + all->access_count, s->accesses, s->access_count * sizeof *s->accesses);
    memcpy(all->values + all->value_count, s->values, s->value_count * sizeof *s->values);
    all->access_count += s->access_count;
    all->value_count += s->value_count;
    all->which[all->count] = which;
    all->stretches[all->count++] = (p5_retired_block){.accesses_end = all->accesses + all->access_count,
                                                      .values_end = all->values + all->value_count,
                                                      .next = s->next,
                                                      .cpl = s->cpl,
                                                      .cpl_after = s->cpl_after,
                                                      .mode = s->mode};
}

static void give_one(batch *all, twin *t)
{
    for (unsigned i = 0; i < all->count; i++)
        all->stretches[i].block = t->blocks[all->which[i]];
    retire_blocks(t->core, all->accesses, all->values, all->stretches, all->count);
}

static void empty(batch *all)
{
    all->count = all->access_count = all->value_count = 0;
}

static void give(batch *all, twin *twins)
{
    give_one(all, &twins[IN_BATCHES]);
    give_one(all, &twins[PROFILED]);
    empty(all);
}

/* Feeds a stretch, which the core must accept: if all cores refused it, they would agree. */
static void retire(p5_core *core, const p5_retired *s)
{
    if (p5_core_retire(core, s) != P5_OK)
        abort();
}

/* Feeds a stretch that no batch can hold to all cores. */
static void retire_alone(p5_retired *s, unsigned which, twin *with, twin *without)
{
    for (unsigned t = 0; t < TWINS; t++) {
        s->block = with[t].blocks[which];
        retire(with[t].core, s);
    }
    s->block = without->blocks[which];
    retire(without->core, s);
}

/* Feeds a stretch to all cores with marks of x87 operands, and perhaps in two parts. */
static void retire_marked(const p5_retired *s, unsigned which, twin *with, twin *without, random_source *r)
{
    const p5_block *block = without->blocks[which];
    uint8_t marks[BLOCK_BYTES];
    for (unsigned i = 0; i < block->count; i++)
        marks[i] = (uint8_t)random_below(r, 4);
    const unsigned cut = random_below(r, block->count);
    p5_retired part = *s;
    part.unsafe_x87 = random_below(r, 3) != 0;
    part.unsafe_mask = marks;
    if (cut == 0 || s->access_count < block->access_count) {
        retire_alone(&part, which, with, without);
        return;
    }
    part.count = (uint16_t)cut;
    part.access_count = block->access_start[cut];
    part.value_count = 0;
    for (unsigned i = 0; i < cut; i++)
        part.value_count += block->ops[i].value != ISA_VALUE_NONE;
    part.next = block->ops[cut].address;
    part.repeats = 0;
    part.descriptor = false;
    retire_alone(&part, which, with, without);
    const p5_retired before = part;
    part = *s;
    part.unsafe_x87 = random_below(r, 3) != 0;
    part.unsafe_mask = marks + cut;
    part.first = (uint16_t)cut;
    part.count = (uint16_t)(s->count - cut);
    part.accesses += before.access_count;
    part.access_count -= before.access_count;
    part.values += before.value_count;
    part.value_count -= before.value_count;
    retire_alone(&part, which, with, without);
}

/* ---- switches in the middle of a run ------------------------------------------------------------------- */

/* The linker puts these in the place of the C library's functions: see --wrap in CMakeLists.txt. */
static bool memory_is_out, next_without_memory;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size)
{
    return memory_is_out ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return memory_is_out ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return memory_is_out ? NULL : __real_realloc(old, size);
}

/* Continues in another core, which loads the state of this one. */
static void change_cores(twin *t, const p5_model *model, const guest_block *blocks)
{
    static snapshot_bytes saved;
    saved.size = saved.at = 0;
    p5_error error;
    p5_core *from = t->core;
    if (p5_core_save(from, snapshot_bytes_put, &saved, &error) != P5_OK)
        abort();
    open_twin(t, model, true, blocks);
    if (p5_core_load(t->core, snapshot_bytes_get, &saved, &error) != P5_OK) {
        printf("%s\n", error.message);
        abort();
    }
    p5_core_close(from);
}

static void ignore_insn(void *context, const p5_trace_insn *insn)
{
    (void)context;
    (void)insn;
}

static void ignore_bus(void *context, const p5_bus_use *uses, size_t count)
{
    (void)context;
    (void)uses;
    (void)count;
}

/* What a caller may turn on or off between two stretches, and what changes no count. */
static void switch_something(twin *t, random_source *r, const p5_model *model, const guest_block *blocks)
{
    static p5_counts totals;
    p5_core *core = t->core;
    const bool on = random_below(r, 2) != 0;
    switch (random_below(r, 9)) {
    case 0:
    case 1:
    case 2:
        p5_core_set_memo(core, on);
        break;
    case 3:
        p5_core_set_trace(core, on ? ignore_insn : NULL, NULL);
        break;
    case 4:
        p5_core_on_bus(core, on ? ignore_bus : NULL, NULL);
        break;
    case 5:
        p5_core_counts(core, &totals);
        (void)p5_core_event_total(core, P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_ALL, on);
        break;
    case 6:
        if (core->profile == NULL &&
            !profile_start(core, &(profile_options){.sample_quantity = P5_PROFILE_NONE}))
            abort();
        break;
    case 7:
        if (random_below(r, 8) == 0)
            change_cores(t, model, blocks);
        break;
    default:
        next_without_memory = on;
    }
}

/* Feeds the stretches put off to the twin that is switched, one by one or as a batch. */
static void give_switched(batch *all, twin *t, random_source *r)
{
    memory_is_out = next_without_memory;
    if (random_below(r, 2) == 0) {
        give_one(all, t);
    } else {
        const p5_access *accesses = all->accesses;
        const p5_value *values = all->values;
        for (unsigned i = 0; i < all->count; i++) {
            all->stretches[i].block = t->blocks[all->which[i]];
            const p5_retired s = block_retired(&all->stretches[i], accesses, values);
            retire(t->core, &s);
            accesses = all->stretches[i].accesses_end;
            values = all->stretches[i].values_end;
        }
    }
    empty(all);
    memory_is_out = false;
}

/* Copies a line of each set of the data cache to a second way, in any state. Test registers can do that, and
 * snapshots may have such lines. */
static void double_lines(p5_core *core, unsigned seed)
{
    static const mesi states[] = {MESI_SHARED, MESI_EXCLUSIVE, MESI_MODIFIED};
    p5_core_settle(core);
    memory_upgrade_lines(core->memory, memory_drained(core->memory, core->now));
    data_cache *cache = memory_data_cache(core->memory);
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        const unsigned from = (seed + set) % cache->order.ways, to = (from + 1) % cache->order.ways;
        cache_entry entry = data_cache_get(cache, set, from);
        if (entry.state == MESI_INVALID)
            continue;
        entry.state = states[(seed + set) % 3];
        data_cache_put(cache, set, to, entry);
    }
}

/* Something that the structures or the memo have to notice. */
static void disturb(twin *t, unsigned what, unsigned i, const guest_block *blocks)
{
    p5_core *core = t->core;
    switch (what) {
    case 0:
        p5_core_load_cr3(core, 0);
        break;
    case 1:
        p5_core_invlpg(core, blocks[i].linear);
        break;
    case 2:
        p5_core_wbinvd(core);
        break;
    case 3:
        p5_core_set_control(core, &(p5_control){.size = sizeof(p5_control),
                                                .paging = (i & 1) != 0,
                                                .single_pipe = i % 5 == 0,
                                                .fpu_trap = i % 4 == 0,
                                                .cache_disable = i % 3 == 0, /* the cache is frozen */
                                                .not_write_through = i % 6 == 0});
        break;
    case 4:
        p5_block_release(core, t->blocks[i]);
        open_block(t, i, &blocks[i]);
        break;
    case 5: {
        const p5_exception e = {.size = sizeof e, .kind = P5_TRANSFER_INTERRUPT, .mode = P5_MODE_PROTECTED};
        p5_core_exception(core, &e);
        break;
    }
    case 6:
        double_lines(core, i);
        break;
    case 7:
        core->memo.budget = 1; /* the next answer learned is over it */
        break;
    case 8: { /* breakpoints at two blocks, the first of which DR7 enables now and then */
        const uint32_t other = blocks[(i + 1) % BLOCKS].linear;
        p5_core_set_debug(
            core,
            &(p5_debug){.size = sizeof(p5_debug), .dr = {blocks[i].linear, other, 1, 1}, .dr7 = i % 4 == 0});
        break;
    }
    default:
        core->memo.budget = SIZE_MAX;
    }
}

static bool same_lines(const p5_core *a, const p5_core *b)
{
    const struct memory *m = a->memory, *n = b->memory;
    return memcmp(m->data.tag, n->data.tag, sizeof m->data.tag) == 0 &&
           memcmp(m->data.state, n->data.state, sizeof m->data.state) == 0 &&
           memcmp(m->data.lru, n->data.lru, sizeof m->data.lru) == 0 &&
           memcmp(m->code.tag, n->code.tag, sizeof m->code.tag) == 0 &&
           memcmp(m->code.lru, n->code.lru, sizeof m->code.lru) == 0 &&
           memcmp(m->code.ends, n->code.ends, sizeof m->code.ends) == 0;
}

static bool same_tlb(const tlb *a, const tlb *b)
{
    for (unsigned set = 0; set < a->sets; set++)
        if (tlb_lru(a, set) != tlb_lru(b, set))
            return false;
    return memcmp(a->row, b->row, sizeof a->row) == 0;
}

static bool same_btb(const btb *a, const btb *b)
{
    for (unsigned i = 0; i < BTB_ENTRIES; i++) {
        const btb_raw x = btb_raw_of(a, i), y = btb_raw_of(b, i);
        if (x.tag != y.tag || x.valid != y.valid || x.offset != y.offset || x.type != y.type ||
            x.target != y.target || x.state != y.state || x.prediction != y.prediction ||
            x.stale_prediction != y.stale_prediction || x.history != y.history || x.used != y.used ||
            memcmp(x.counter, y.counter, sizeof x.counter) != 0)
            return false;
    }
    return true;
}

static const char *difference(twin *a, twin *b)
{
    static p5_counts with, without;
    if (a->core->now != b->core->now)
        return "clock";
    p5_core_counts(a->core, &with);
    p5_core_counts(b->core, &without);
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
        if (memcmp(with.increments[e], without.increments[e], sizeof with.increments[e]) != 0 ||
            memcmp(with.asserted[e], without.asserted[e], sizeof with.asserted[e]) != 0)
            return p5_event_describe((enum p5_event)e)->name;
    if (memcmp(&with, &without, sizeof with) != 0)
        return "owners of clocks";
    if (!same_lines(a->core, b->core))
        return "caches";
    if (!same_tlb(&a->core->memory->data_tlb, &b->core->memory->data_tlb) ||
        !same_tlb(&a->core->memory->code_tlb, &b->core->memory->code_tlb))
        return "TLBs";
    if (!same_btb(&a->core->predictor->btb, &b->core->predictor->btb))
        return "BTB";
    return NULL;
}

/* Inserts instructions of `further`, and may replace the branch at the end. */
static void extend(guest_block *b, random_source *r)
{
    enum { COUNT = sizeof further / sizeof *further };
    for (unsigned n = 1 + random_below(r, 6); n > 0; n--) {
        const unsigned pick = random_below(r, COUNT), length = further[pick].length;
        memmove(b->bytes + length, b->bytes, b->size);
        memcpy(b->bytes, further[pick].bytes, length);
        b->size += length;
    }
    if (random_below(r, 2) == 0)
        memcpy(b->bytes + b->size - 2, ends[random_below(r, sizeof ends / sizeof *ends)], 2);
}

/* Makes the blocks. Some go straight on into the next, as the engine cuts long code: what
 * waits for its partner finds it there. / */
static void make_blocks(guest_block *blocks, random_source *r, const timing *t)
{
    enum { BRANCH = 2 /* bytes, at the end */ };
    static const uint8_t jz[BRANCH] = {0x74, 0};
    uint32_t at = CODE + random_below(r, 64);
    unsigned kinds = random_below(r, 8);
    for (unsigned i = 0; i < BLOCKS; i++) {
        guest_block *b = &blocks[i];
        b->size = program_bytes(b->bytes, r, t, kinds);
        const bool extended = random_below(r, 3) == 0;
        if (extended)
            extend(b, r);
        if ((at & 0xfff) + b->size > 0x1000) { /* as the engine cuts them */
            at = (at | 0xfff) + 1;
            if (i > 0 && b[-1].straight) {
                b[-1].straight = false;
                if (!b[-1].ends_straight)
                    b[-1].size += BRANCH;
                memcpy(b[-1].bytes + b[-1].size - BRANCH, jz, BRANCH);
            }
        }
        b->linear = at;
        b->straight = i + 1 < BLOCKS && b->size > BRANCH && random_below(r, 4) == 0;
        at += b->size;
        b->ends_straight = b->straight && extended;
        if (b->ends_straight) {
            if (random_below(r, 2) == 0)
                b->size = BRANCH; /* REP strings are remembered if they are alone */
            memcpy(b->bytes + b->size - BRANCH,
                   straight_ends[random_below(r, sizeof straight_ends / sizeof *straight_ends)], BRANCH);
            at = b->linear + b->size;
            continue;
        }
        if (b->straight) {
            at -= BRANCH;
            b->size -= BRANCH;
            continue;
        }
        at += random_below(r, 2) * random_below(r, 64);
        if (random_below(r, 6) == 0)
            at += 0x1000;
    }
}

/* The next block is after block `i`. */
static bool falls_through(const guest_block *blocks, unsigned i)
{
    return i + 1 < BLOCKS && blocks[i].linear + blocks[i].size == blocks[i + 1].linear;
}

/* Prints what differs. */
static bool law_holds(const p5_model *model, const timing *clocks, unsigned long seed)
{
    static const char *const ways[TWINS] = {"", " in batches", " in batches with a profile",
                                            " and more turned on and off"};
    random_source r = {seed * 977}, switches = {seed * 991};
    static guest_block blocks[BLOCKS];
    make_blocks(blocks, &r, clocks);
    static batch later, switched;
    twin with[TWINS], without;
    for (unsigned t = 0; t < TWINS; t++)
        open_twin(&with[t], model, true, blocks);
    open_twin(&without, model, false, blocks);
    if (!profile_start(with[PROFILED].core, &(profile_options){.sample_quantity = P5_PROFILE_NONE}))
        abort();
    const mix m = {.hot_blocks = 1 + random_below(&r, BLOCKS),
                   .data = random_below(&r, 8) == 0 ? VIDEO : DATA,
                   .data_bytes = 64u << random_below(&r, 13),
                   .loop_percent = random_below(&r, 90),
                   .odd_percent = random_below(&r, 3) * random_below(&r, 20),
                   .event_permille = random_below(&r, 3) * random_below(&r, 10),
                   .marked_permille = random_below(&r, 3) * random_below(&r, 40)};
    const char *what = NULL;
    unsigned i = 0, n = 0;
    for (; n < STRETCHES && what == NULL; n++) {
        if (random_below(&r, 1000) < m.event_permille) {
            unsigned kind = random_below(&r, 10), which = random_below(&r, BLOCKS);
            give(&later, with);
            give_switched(&switched, &with[SWITCHED], &switches);
            for (unsigned t = 0; t < TWINS; t++)
                disturb(&with[t], kind, which, blocks);
            disturb(&without, kind, which, blocks);
        }
        unsigned to = random_below(&r, 100) < m.loop_percent ? i : random_below(&r, m.hot_blocks);
        if (random_below(&r, 4) == 0)
            to = (i + 1) % m.hot_blocks;
        if (blocks[i].straight || (falls_through(blocks, i) && random_below(&r, 3) == 0))
            to = i + 1;
        static p5_access references[REFERENCES];
        static p5_value values[REFERENCES];
        p5_retired s;
        make_stretch(&s, references, values, without.blocks[i], &m, &r, blocks[to].linear);
        leave_out(&s, without.blocks[i], &m, &r);
        set_levels(&s, without.blocks[i], n, &r);
        const bool look = n % BATCH == 0 || n + 1 == STRETCHES;
        if (!fits_batch(&s) || random_below(&r, 1000) < m.marked_permille) {
            give(&later, with);
            give_switched(&switched, &with[SWITCHED], &switches);
            retire_marked(&s, i, with, &without, &r);
            i = to;
            continue;
        }
        s.block = with[ALONE].blocks[i];
        retire(with[ALONE].core, &s);
        s.block = without.blocks[i];
        retire(without.core, &s);
        put_off(&later, &s, i);
        put_off(&switched, &s, i);
        if (look || random_below(&switches, 8) == 0) {
            give_switched(&switched, &with[SWITCHED], &switches);
            switch_something(&with[SWITCHED], &switches, model, blocks);
        }
        if (look) {
            give(&later, with);
            for (unsigned t = 0; t < TWINS && what == NULL; t++) {
                what = difference(&with[t], &without);
                if (what != NULL)
                    printf("seed %lu, stretch %u: %s: %llu clocks with the memo%s, %llu without\n", seed, n,
                           what, (unsigned long long)with[t].core->now, ways[t],
                           (unsigned long long)without.core->now);
            }
        }
        i = to;
    }
    for (unsigned t = 0; t < TWINS; t++)
        p5_core_close(with[t].core);
    p5_core_close(without.core);
    return what == NULL;
}

/* Boards: alone, with a device that writes into what the processor works on, with a second processor. */
static const char *const agents[] = {
    NULL,
    "dma,period=37,base=205000h,len=4096,write=on",
    "dma,period=50,base=105000h,len=8192,write=on", /* the code, as place() puts it */
    "processor,period=61,base=205000h,len=2048",
};

int main(int argc, char **argv)
{
    enum { BOARDS = sizeof agents / sizeof *agents };
    unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    unsigned long runs = 0;
    for (unsigned long which = 0; which < 2 * BOARDS; which++) {
        bool p54c = which % 2 == 0;
        const char *master = agents[which / 2];
        p5_model *model;
        p5_error error;
        if (p5_model_open(p54c ? "p54c-133" : "p55c-200", &model, &error) != P5_OK ||
            (master != NULL && p5_model_set_agent(model, master, &error) != P5_OK)) {
            printf("%s\n", error.message);
            return 1;
        }
        for (unsigned long n = 0; n < (master ? seeds / 4 : seeds); n++) {
            if (!law_holds(model, timing_of(p54c ? P5_FAMILY_P54C : P5_FAMILY_P55C), first + n))
                return 1;
            runs++;
        }
        p5_model_close(model);
    }
    for (unsigned long n = first; n < first + seeds; n++) {
        p5_model *model = random_model(n);
        if (!law_holds(model, timing_of(p5_model_family(model)), n)) {
            random_model_print(stdout, model);
            return 1;
        }
        p5_model_close(model);
        runs++;
    }
    printf("%lu runs of %d stretches, with the memo, also in batches, and without\n", runs, STRETCHES);
    return 0;
}
