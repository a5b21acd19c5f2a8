/* What a block prepares of its instructions, against second statements of the rules: the decoding stages
 * (manual 242816 and 243006: prefixes, lengths, prefetch blocks), the pieces, and the block as a whole.
 * The blocks are random. */
#include <string.h>

#include "../unit.h"
#include "model_timing.h"
#include "core/block.h"
#include "core/memory/memory.h"
#include "core/pipe/mmx.h"
#include "core/replay/pieces.h"

enum { LONGEST_BLOCK = 60, BLOCKS = 4000 };

/* Instructions that the blocks are made of: as many kinds as the rules distinguish. */
typedef struct sample {
    uint8_t size;
    uint8_t bytes[12];
} sample;

static const sample samples[] = {
    {2, {0x89, 0xd8}},                          /* mov eax,ebx */
    {2, {0x8b, 0x0e}},                          /* mov ecx,[esi] */
    {2, {0x8b, 0x17}},                          /* mov edx,[edi] */
    {2, {0x03, 0x06}},                          /* add eax,[esi] */
    {2, {0x01, 0x0f}},                          /* add [edi],ecx */
    {6, {0x01, 0x8f, 0, 1, 0, 0}},              /* add [edi+100h],ecx */
    {7, {0xc7, 0x46, 8, 1, 0, 0, 0}},           /* mov dword [esi+8],1 */
    {10, {0xc7, 0x86, 0, 1, 0, 0, 1, 0, 0, 0}}, /* mov dword [esi+100h],1 */
    {3, {0x66, 0x89, 0xd8}},                    /* mov ax,bx */
    {4, {0x65, 0x66, 0x8b, 0x06}},              /* mov ax,[gs:esi] */
    {3, {0x2e, 0x8b, 0x06}},                    /* mov eax,[cs:esi] */
    {3, {0x0f, 0xb6, 0xc3}},                    /* movzx eax,bl */
    {2, {0x31, 0xd2}},                          /* xor edx,edx */
    {1, {0x50}},                                /* push eax */
    {1, {0x5b}},                                /* pop ebx */
    {1, {0x60}},                                /* pusha */
    {1, {0x61}},                                /* popa */
    {4, {0xc8, 0, 0, 0}},                       /* enter */
    {2, {0xf7, 0xe3}},                          /* mul ebx */
    {2, {0xd3, 0xd0}},                          /* rcl eax,cl */
    {3, {0x0f, 0xbc, 0xc3}},                    /* bsf eax,ebx */
    {2, {0xd8, 0xc1}},                          /* fadd */
    {2, {0xd8, 0xf1}},                          /* fdiv */
    {2, {0xd9, 0xfe}},                          /* fsin */
    {2, {0xd9, 0xc9}},                          /* fxch */
    {2, {0xd9, 0x1e}},                          /* fstp dword [esi] */
    {2, {0xdd, 0x36}},                          /* fnsave [esi] */
    {3, {0x0f, 0xfc, 0xc1}},                    /* paddb mm0,mm1 */
    {3, {0x0f, 0xec, 0xc1}},                    /* paddsb mm0,mm1 */
    {3, {0x0f, 0x6f, 0x06}},                    /* movq mm0,[esi] */
    {3, {0x0f, 0x7f, 0x0f}},                    /* movq [edi],mm1 */
    {3, {0x0f, 0xd5, 0xd3}},                    /* pmullw mm2,mm3 */
    {2, {0x0f, 0x77}},                          /* emms */
    {3, {0xf0, 0x01, 0x0f}},                    /* lock add [edi],ecx */
    {2, {0x87, 0x0f}},                          /* xchg [edi],ecx */
    {2, {0x0f, 0x31}},                          /* rdtsc */
    {2, {0x0f, 0xa2}},                          /* cpuid */
    {2, {0x8e, 0xd8}},                          /* mov ds,ax */
    {1, {0xec}},                                /* in al,dx */
    {1, {0xa4}},                                /* movsb */
    {1, {0x9c}},                                /* pushf */
    {5, {0xa3, 0, 0, 1, 0}},                    /* mov [10000h],eax */
};
enum { SAMPLES = sizeof samples / sizeof samples[0], OFTEN = 15 /* the first ones */ };

static const sample ends[] = {
    {2, {0x75, 0x10}},       /* jne */
    {2, {0xeb, 0x10}},       /* jmp */
    {5, {0xe8, 0, 0, 0, 0}}, /* call */
    {1, {0xc3}},             /* ret */
    {2, {0xff, 0xe0}},       /* jmp eax */
    {2, {0xe2, 0x10}},       /* loop */
    {2, {0xe3, 0x10}},       /* jecxz */
    {1, {0xcb}},             /* retf */
    {2, {0xcd, 0x80}},       /* int 80h */
    {1, {0xcf}},             /* iret */
    {1, {0x90}},             /* no branch */
};
enum { ENDS = sizeof ends / sizeof ends[0] };

static uint64_t seed;

static unsigned next_random(unsigned below)
{
    return unit_random(&seed) % below;
}

static p5_block *make(const timing *t, const uint8_t *bytes, size_t size, uint32_t address)
{
    p5_block *block =
        block_prepare(t, isa_block_decode(decoder_of(t), &(isa_code){bytes, size, address, true},
                                          address ^ 0x7000000, LONGEST_BLOCK + 1));
    assert_non_null(block);
    return block;
}

static p5_block *random_block(const timing *t)
{
    uint8_t bytes[LONGEST_BLOCK * 12 + 16];
    size_t size = 0;
    unsigned kinds = 1 + next_random(12), first = next_random(SAMPLES);
    for (unsigned n = next_random(LONGEST_BLOCK); n > 0; n--) {
        const sample *s =
            &samples[next_random(3) ? next_random(OFTEN) : (first + next_random(kinds)) % SAMPLES];
        memcpy(bytes + size, s->bytes, s->size);
        size += s->size;
    }
    const sample *end = &ends[next_random(ENDS)];
    memcpy(bytes + size, end->bytes, end->size);
    return make(t, bytes, size + end->size, 0x10000 + next_random(64));
}

/* Calls `check` for random blocks of both processors. */
static void every_block(void (*check)(const timing *t, p5_block *block))
{
    seed = 7;
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        for (unsigned i = 0; i < BLOCKS; i++) {
            p5_block *block = random_block(timing_of(family));
            check(timing_of(family), block);
            block_free(block);
        }
    }
}

/* ---- decoding ---------------------------------------------------------------------------------------- */

static void check_decoding(const timing *t, p5_block *block)
{
    bool p55c = t == timing_of(P5_FAMILY_P55C);
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        const isa_insn *insn = &block->code->insns[i];
        uint32_t last = o->address + o->length - 1;
        unsigned prefixes = insn->prefixes, length = o->length - prefixes;
        bool escape = insn->escape_0f && o->branch != ISA_JCC, sizes_only = prefixes == insn->size_prefixes;
        assert_int_equal(o->last_block, last / 16);
        assert_int_equal(o->two_blocks, o->address / 16 != last / 16);
        assert_int_equal(o->part, o->address % 32 / 8);
        assert_int_equal(o->parts_after, last / 8 - o->address / 8);
        /* the P54C's D1 takes a clock for each prefix and for 0Fh; F of the P55C one for each, two for 66h
         * or 67h */
        assert_int_equal(o->d1_clocks, p55c ? 1 : 1 + prefixes + escape);
        assert_int_equal(o->f_clocks, 1 + prefixes + (insn->size_prefixes > 0));
        /* two instructions of up to 7 bytes are pushed in a clock, the second without prefixes */
        assert_int_equal(o->push_two, length <= 7);
        assert_int_equal(o->push_second, length <= 7 && prefixes == 0);
        /* pairs: U up to 7 bytes (P55C: 11), V up to 7; V takes no prefix, on the P55C only 66h, 67h and
         * 0Fh */
        bool may_be_first = o->pair == ISA_U || o->pair == ISA_UV || o->pair == ISA_FX;
        assert_int_equal(o->first, may_be_first && length <= (p55c ? 11 : 7));
        assert_int_equal(o->long_second, length > 7);
        assert_int_equal(o->prefixed_second, p55c ? !sizes_only : prefixes > 0 || escape);
    }
}

TEST(decoding)
{
    every_block(check_decoding);
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

static bool varies(const op *o)
{
    return (o->cost == ISA_COST_SEGMENT_LOAD || o->cost == ISA_COST_FAR) && !(o->flags & ISA_SERIALISING);
}

static bool changes_clocks(const op *o)
{
    return varies(o) || o->cost == ISA_COST_MODE || o->cost == ISA_COST_RDTSC ||
           (o->value != ISA_VALUE_NONE && o->value != ISA_VALUE_SATURATED);
}

/* Gets the references of instruction `i` that may use the same bank as the next one, counted from the
 * block's first. */
static unsigned banks_of(const p5_block *block, unsigned i, int *first)
{
    unsigned n = 0;
    int at = (int)block->access_start[i];
    const op *o = &block->ops[i];
    if (i > 0 && o[-1].next_unpaired == PAIRED && o[-1].accesses && o->accesses)
        first[n++] = at - 1;
    for (int j = 0; o->accesses == 8 && j < 8; j += 2) /* PUSHA and POPA make two a clock */
        first[n++] = at + j;
    return n;
}

static void check_pieces(const timing *t, p5_block *block)
{
    (void)t;
    unsigned next = 0, values = 0;
    bool fixed = true;
    for (unsigned i = 0; i < block->count; i++)
        fixed &= block->ops[i].lock == LOCK_NONE;
    for (const piece *p = &block->memo.first; p; p = p->next) {
        assert_ptr_equal(p->block, block);
        assert_int_equal(p->first, next);
        assert_int_equal(p->first_value, values);
        assert_true(p->count > 0);
        int start = (int)block->access_start[next], found[64];
        unsigned accesses = 0, own_values = 0, banks = 0, not_saturating = 0, by_mode = 0;
        for (unsigned i = next; i < next + p->count; i++) {
            const op *o = &block->ops[i];
            accesses += o->accesses;
            not_saturating += changes_clocks(o);
            by_mode += varies(o) || o->cost == ISA_COST_MODE || o->cost == ISA_COST_RDTSC;
            if (o->value != ISA_VALUE_NONE)
                assert_int_equal(p->value_ops[own_values++], i);
            if (p->memo)
                banks += banks_of(block, i, found + banks);
        }
        const op *last = &block->ops[next + p->count - 1];
        assert_int_equal(p->access_bytes, accesses * sizeof(p5_access));
        assert_int_equal(p->value_count, own_values);
        assert_int_equal(p->bank_count, banks);
        for (unsigned b = 0; b < banks; b++)
            assert_int_equal(p->bank_first[b], (found[b] - start) * (int)sizeof(p5_access));
        assert_int_equal(p->clocks_fixed, not_saturating == 0);
        assert_int_equal(p->by_mode, by_mode > 0);
        assert_int_equal(p->varies, varies(last));
        assert_int_equal(p->predicted, !p->next && block->near ? 255 : 0);
        assert_int_equal(p->by_direction, p->predicted && last->branch == ISA_LOOP);
        assert_int_equal(p->has_variants, banks || own_values || p->by_direction || by_mode || p->repeats);
        assert_int_equal(piece_begin(p), block->ops[next].address);
        assert_int_equal(piece_end(p), last->address + last->length);
        if (!p->memo)
            assert_true(p->count == 1 || (p->count == 2 && block->ops[next].first));
        assert_true(p->count == 1 || !varies(last));
        fixed &= p->memo && !p->repeats && !varies(last);
        next += p->count;
        values += own_values;
        /* a piece ends where a bound, or what cannot be remembered, demands it */
        if (p->next && p->memo && p->next->memo && !p->varies && !p->next->varies) {
            const op *o = &block->ops[next];
            const unsigned lines = (o->address + o->length - 1) / 32 - block->ops[p->first].address / 32 + 1;
            assert_true(p->count == PIECE_MOST || lines > PIECE_LINES ||
                        accesses + o->accesses > PIECE_ACCESSES ||
                        banks + banks_of(block, next, found) > PIECE_BANKS ||
                        own_values + (o->value != ISA_VALUE_NONE) > PIECE_VALUES ||
                        (changes_clocks(o) && not_saturating > 0));
        }
        if (p->memo && p->count > 1)
            assert_true((piece_end(p) - 1) / 32 - piece_begin(p) / 32 < PIECE_LINES);
        if (p->memo && p->count > 1)
            assert_true(p->count <= PIECE_MOST && accesses <= PIECE_ACCESSES && banks <= PIECE_BANKS &&
                        own_values <= PIECE_VALUES);
    }
    assert_int_equal(next, block->count);
    assert_int_equal(values, block->value_count);
    assert_int_equal(fixed, block->memo.fixed);
}

TEST(pieces)
{
    every_block(check_pieces);
}

/* What can be remembered: nothing that serialises, makes port references or transfers control by a gate. */
TEST(remembered)
{
    static const struct {
        sample code;
        bool memo, repeats;
    } rows[] = {
        {{2, {0x89, 0xd8}}, true, false},  {{1, {0x60}}, true, false},          /* mov, pusha */
        {{1, {0xec}}, false, false},       {{2, {0x0f, 0xa2}}, false, false},   /* in, cpuid */
        {{2, {0xcd, 0x80}}, false, false}, {{1, {0xcf}}, false, false},         /* int, iret */
        {{1, {0xcb}}, true, false},        {{2, {0x8e, 0xd8}}, true, false},    /* retf, mov ds */
        {{2, {0xf3, 0xa4}}, true, true},   {{2, {0xf3, 0xaa}}, true, true},     /* rep movsb, rep stosb */
        {{2, {0xf2, 0xae}}, true, true},   {{2, {0xf3, 0xac}}, true, true},     /* repne scasb, rep lodsb */
        {{2, {0xf3, 0xa6}}, false, false}, {{2, {0xf3, 0x6c}}, false, false},   /* repe cmpsb, rep insb */
        {{2, {0x0f, 0x31}}, true, false},  {{4, {0xc8, 0, 0, 0}}, true, false}, /* rdtsc, enter */
        {{2, {0xd9, 0xfe}}, true, false},  {{2, {0xe2, 0x10}}, true, false},    /* fsin, loop */
        {{2, {0x87, 0x0f}}, true, false},  {{2, {0x0f, 0x09}}, false, false},   /* xchg, wbinvd */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p5_block *block = make(timing_of(P5_FAMILY_P55C), rows[i].code.bytes, rows[i].code.size, 0x1000);
        if (block->count != 1 || block->memo.first.memo != rows[i].memo ||
            block->memo.first.repeats != rows[i].repeats)
            fail_msg("row %zu: memo %d, repeats %d", i, block->memo.first.memo, block->memo.first.repeats);
        block_free(block);
    }
}

/* A stretch cut into pieces has the same references, values and end as the whole. */
static void check_stretch(const timing *t, p5_block *block)
{
    (void)t;
    static const p5_access accesses[LONGEST_BLOCK * 24];
    static const p5_value values[LONGEST_BLOCK];
    p5_retired r = {.size = sizeof r,
                    .block = block,
                    .count = (uint16_t)block->count,
                    .accesses = accesses,
                    .access_count = block->access_count + 2, /* two that are not fixed */
                    .values = values,
                    .value_count = block->value_count,
                    .next = 0x1234,
                    .repeats = 5,
                    .cpl = 3,
                    .cpl_after = 0,
                    .gate = P5_GATE_INNER,
                    .interrupted = true,
                    .descriptor = true};
    const p5_access *a = accesses;
    const p5_value *v = values;
    for (const piece *p = &block->memo.first; p; p = p->next) {
        p5_retired part = piece_retired(&r, p, a, v);
        bool last = !p->next;
        assert_true(part.first == p->first && part.count == p->count && part.accesses == a &&
                    part.values == v);
        assert_int_equal(part.next, last ? 0x1234 : piece_begin(p->next));
        assert_int_equal(part.repeats, last ? 5 : 0);
        assert_int_equal(part.cpl, 3);
        assert_int_equal(part.cpl_after, last ? 0 : 3);
        assert_int_equal(part.gate, last ? P5_GATE_INNER : P5_GATE_NONE);
        assert_int_equal(part.interrupted, last);
        assert_int_equal(part.descriptor, last);
        a += part.access_count;
        v += part.value_count;
    }
    assert_ptr_equal(a, accesses + r.access_count);
    assert_ptr_equal(v, values + r.value_count);
}

TEST(stretches)
{
    every_block(check_stretch);
}

/* ---- the block as a whole ---------------------------------------------------------------------------- */

static void check_whole(const timing *t, p5_block *block)
{
    const op *last = &block->ops[block->count - 1];
    uint32_t begin = block->ops[0].address, end = last->address + last->length;
    bool mmx = false;
    uint32_t most = 0, kind = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        uint32_t own = o->flags & ISA_MMX ? ISA_MMX : o->flags & ISA_X87;
        mmx |= own == ISA_MMX;
        assert_int_equal(o->lock != LOCK_NONE,
                         block->code->insns[i].lock || (block->code->insns[i].flags & ISA_IMPLICIT_LOCK &&
                                                        block->code->insns[i].memory));
        if (own && !kind) {
            assert_int_equal(block->first_switch.mode, own == ISA_MMX ? MODE_MMX : MODE_X87);
            assert_int_equal(block->first_switch.clocks,
                             own == ISA_MMX ? t->mmx_after_x87 : t->x87_after_mmx);
        } else if (own && own != kind) {
            assert_true(o->most_clocks >= (own == ISA_MMX ? t->mmx_after_x87 : t->x87_after_mmx));
        }
        kind = own ? own : kind;
        most += o->most_clocks;
        assert_true(o->most_clocks > o->clocks && o->most_clocks > o->f_clocks &&
                    o->most_clocks > o->d1_clocks);
        assert_int_equal(block->access_start[i + 1] - block->access_start[i], o->accesses);
    }
    assert_int_equal(block->most_clocks, most);
    assert_int_equal(block->memo.mmx, mmx);
    assert_int_equal(block->page, (begin ^ 0x7000000) & ~0xfffu);
    assert_int_equal(block_physical(block, begin), begin ^ 0x7000000);
    assert_int_equal(block->line_count, (end - 1) / 32 - begin / 32 + 1);
    assert_int_equal(block->fall_through, end);
    assert_int_equal(block->branch_address, last->address);
    assert_int_equal(block->branch_kind, last->branch);
    assert_int_equal(block->conditional, last->branch == ISA_JCC || last->branch == ISA_LOOP);
    assert_int_equal(block->near, last->branch != ISA_NOT_BRANCH && last->branch != ISA_FAR &&
                                      last->branch != ISA_INT && last->branch != ISA_IRET);
    assert_int_equal(block_taken(block, end), !block->conditional);
    assert_true(block_taken(block, end + 1));
    assert_int_equal(block->memo.first.block_bytes, block->access_count * sizeof(p5_access));
    assert_int_equal(last->next_unpaired, UNPAIRED_ALONE);
    assert_int_equal(block->memo.varies, varies(last));
    assert_false(block_is_repeat(block));
}

TEST(whole_blocks)
{
    every_block(check_whole);
}

/* A block may have more than 65,535 references: each PUSHA pushes eight registers. */
TEST(many_references)
{
    enum { COUNT = 8200 };
    static uint8_t bytes[COUNT];
    memset(bytes, 0x60, sizeof bytes);
    p5_block *block =
        block_prepare(timing_of(P5_FAMILY_P55C),
                      isa_block_decode(decoder_of(timing_of(P5_FAMILY_P55C)),
                                       &(isa_code){bytes, sizeof bytes, 0x1000, true}, 0x7001000, COUNT));
    assert_non_null(block);
    assert_int_equal(block->count, COUNT);
    assert_int_equal(block->access_count, 8 * COUNT);
    check_whole(timing_of(P5_FAMILY_P55C), block);
    check_pieces(timing_of(P5_FAMILY_P55C), block);
    block_free(block);
}

/* ---- single instructions ----------------------------------------------------------------------------- */

/* The clock of a reference, and the registers that D2 does not wait for: PUSH and POP step ESP, strings
 * ESI and EDI, without interlock; MOV to a fixed address counts as writing EAX for pairing only. */
TEST(references_and_registers)
{
    enum { EAX = 1, ECX = 2, EBX = 8, ESP = 16, ESI = 64, EDI = 128 };
    static const struct {
        sample code;
        unsigned accesses, pattern, first, rep_accesses, rep_clocks, def, agi;
    } rows[] = {
        {{2, {0x8b, 0x0e}}, 1, ACCESS_SPREAD, 0, 1, 1, ECX, ECX},          /* mov ecx,[esi] */
        {{2, {0x89, 0x0e}}, 1, ACCESS_SPREAD, 0, 1, 1, 0, 0},              /* mov [esi],ecx */
        {{2, {0x01, 0x0e}}, 2, ACCESS_SPREAD, 0, 1, 1, 0, 0},              /* add [esi],ecx */
        {{2, {0xd9, 0x1e}}, 1, ACCESS_SPREAD, 1, 1, 1, 0, 0},              /* fstp: in its second clock */
        {{1, {0x53}}, 1, ACCESS_SPREAD, 0, 1, 1, ESP, 0},                  /* push ebx */
        {{1, {0x5b}}, 1, ACCESS_SPREAD, 0, 1, 1, ESP | EBX, EBX},          /* pop ebx */
        {{1, {0xac}}, 1, ACCESS_SPREAD, 0, 1, 1, EAX | ESI, EAX},          /* lodsb */
        {{1, {0x60}}, 8, ACCESS_TWO, 0, 1, 1, ESP, 0},                     /* pusha */
        {{5, {0xa3, 0, 0, 1, 0}}, 1, ACCESS_SPREAD, 0, 1, 1, EAX, 0},      /* mov [10000h],eax */
        {{5, {0xa1, 0, 0, 1, 0}}, 1, ACCESS_SPREAD, 0, 1, 1, EAX, EAX},    /* mov eax,[10000h] */
        {{2, {0xf3, 0xa4}}, 0, ACCESS_REP, 0, 2, 1, ECX | ESI | EDI, ECX}, /* rep movsb */
        {{2, {0xf3, 0xac}}, 0, ACCESS_REP, 0, 1, 3, EAX | ECX | ESI, EAX | ECX}, /* rep lodsb */
        {{2, {0xf3, 0xa6}}, 0, ACCESS_REP, 0, 2, 4, ECX | ESI | EDI, ECX},       /* repe cmpsb */
        {{1, {0xec}}, 0, ACCESS_SPREAD, 0, 1, 1, EAX, EAX},                      /* in al,dx: not fixed */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p5_block *block = make(timing_of(P5_FAMILY_P55C), rows[i].code.bytes, rows[i].code.size, 0x1000);
        const op *o = &block->ops[0];
        if (o->accesses != rows[i].accesses || o->pattern != rows[i].pattern ||
            o->single_access_clock != rows[i].first || o->rep_accesses != rows[i].rep_accesses ||
            o->rep_clocks != rows[i].rep_clocks || o->def_gpr != rows[i].def || o->agi_gpr != rows[i].agi)
            fail_msg(
                "row %zu: %u references, pattern %u, first %u, %u each in %u clocks; writes %02x, %02x late",
                i, o->accesses, o->pattern, o->single_access_clock, o->rep_accesses, o->rep_clocks,
                o->def_gpr, o->agi_gpr);
        assert_int_equal(block_is_repeat(block), o->pattern == ACCESS_REP);
        block_free(block);
    }
}
