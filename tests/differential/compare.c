/* Compares what snippets.c wrote on two processors; prints what differs.
 *   compare VENDOR EXPECTED GOT [MOST]     status 1 if a record differs; VENDOR is CPUID's, of the processor
 *                                          that EXPECTED comes from */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "record.h"

enum { FLAGS = 0x254dd5, STATUS_FLAGS = 0x8d5, RF = 1 << 16 };
static const char *const names[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
static isa_decoder *decoder;
static bool amd, intel; /* whose processor the expected records come from */

typedef struct difference {
    char text[1000];
    size_t size;
} difference;

static void differ(difference *d, const char *what, uint32_t expected, uint32_t got)
{
    if (expected != got && d->size < sizeof d->text - 100)
        d->size += (size_t)snprintf(d->text + d->size, sizeof d->text - d->size, "  %s: %x, got %x\n", what,
                                    expected, got);
}

/* The instruction at which a record ended, or at what loads its target. */
static unsigned last_insn(const record *r)
{
    uint32_t at = r->eip - r->code_at;
    unsigned i = 0;
    while (i < r->count && (at < r->starts[i] || at >= r->starts[i + 1]))
        i++;
    return i;
}

/* Which bits of an error code all processors agree on: bit 4, an instruction fetch, is of later ones. Bit 0,
 * of the program's own pages, is the host's kernel's, which brings them in when they are referred to. */
static uint32_t error_of(const record *r)
{
    enum { PRESENT = 1, FETCH = 16, PROGRAM = 0x08048000, ITS_SIZE = 0x460000 };
    uint32_t ignored = r->cr2 - PROGRAM < ITS_SIZE ? FETCH | PRESENT : FETCH;
    return r->trap == 14 ? r->error & ~ignored : r->error;
}

static void decode(const record *r, unsigned i, isa_insn *insn)
{
    isa_decode(decoder, r->code + r->starts[i], sizeof r->code - r->starts[i], 0, true, insn);
}

static isa_fp fp_at(const record *r, unsigned i)
{
    isa_insn insn;
    decode(r, i, &insn);
    return (isa_fp)isa_forms[insn.form].fp;
}

/* Transcendental functions are those of later processors but for the last bit of the result, and so C1;
 * nothing of the x87 follows them. */
static bool behind_transcendental(const record *r)
{
    for (unsigned i = 0; i < last_insn(r); i++)
        if (fp_at(r, i) == ISA_FP_TRANSCENDENTAL)
            return true;
    return false;
}

/* The register as a number that counts the values between two. */
static uint64_t ordered(uint64_t mantissa, uint16_t exponent)
{
    return ((uint64_t)(exponent & 0x7fff) << 63) + (mantissa << 1 >> 1);
}

/* Neighbours, of which the lower one is an underflow's: a denormal, or with the exponent that it has if that
 * is not masked. */
enum { REBIASED = 0x6000 };
static bool smallest_normal(uint64_t mantissa, uint16_t exponent)
{
    return (exponent & 0x7fff) == 1 && mantissa == 1ull << 63;
}
static bool below_normal(uint64_t mantissa, uint16_t exponent)
{
    return (exponent & 0x7fff) % REBIASED == 0 && (mantissa | 1ull << 63) == UINT64_MAX;
}

/* Words of the x87's image that are compared: FCS, FDP, FDS and the opcode are not kept by later processors,
 * AMD's keep FIP only while an exception is pending. */
static void compare_x87(const record *a, const record *b, difference *d)
{
    static const char *const words[] = {"x87 control", "x87 status", "x87 tags"};
    enum { C1 = 0x200, OVERFLOW = 8, UNDERFLOW = 0x10, PENDING = 0x8080 };
    bool last_bit = behind_transcendental(a);
    uint32_t masks[3] = {0xffff, last_bit ? 0xffff & ~C1 : 0xffff, 0xffff};
    const uint8_t *x = (const uint8_t *)a->x87 + 28, *y = (const uint8_t *)b->x87 + 28;
    for (unsigned i = 0; i < 8; i++)
        if (memcmp(x + 10 * i, y + 10 * i, 10)) {
            uint64_t m, n;
            uint16_t e, f;
            memcpy(&m, x + 10 * i, 8), memcpy(&n, y + 10 * i, 8);
            memcpy(&e, x + 10 * i + 8, 2), memcpy(&f, y + 10 * i + 8, 2);
            /* The smallest normal number less that bit is an underflow, the largest plus it an overflow. */
            bool underflow = (below_normal(m, e) && smallest_normal(n, f)) ||
                             (smallest_normal(m, e) && below_normal(n, f));
            bool overflow = (e & 0x7fff) == 0x7ffe && m == UINT64_MAX && (f & 0x7fff) == 0x7fff - REBIASED &&
                            n == 1ull << 63;
            if (last_bit && i < 2 && (e ^ f) < 0x8000 &&
                (underflow || overflow || ordered(m, e) - ordered(n, f) + 1 <= 2)) {
                masks[1] &= ~(underflow ? UNDERFLOW | PENDING : overflow ? OVERFLOW | PENDING : 0u);
                masks[2] &= ~(3u << 2 * (((a->x87[1] >> 11) + i) & 7)); /* 0 or the smallest denormal */
                continue;
            }
            if (d->size < sizeof d->text - 100)
                d->size += (size_t)snprintf(d->text + d->size, sizeof d->text - d->size,
                                            "  st(%u): %04x:%016llx, got %04x:%016llx\n", i, e,
                                            (unsigned long long)m, f, (unsigned long long)n);
        }
    uint64_t most;
    memcpy(&most, x, 8);
    if (last_bit && most == UINT64_MAX && (x[8] | (x[9] & 0x7f) << 8) == 0x7ffe) /* rounded to the largest */
        masks[1] &= ~(uint32_t)(OVERFLOW | PENDING);
    for (unsigned i = 0; i < 3; i++)
        differ(d, words[i], a->x87[i] & masks[i], b->x87[i] & masks[i]);
}

/* The instruction at which a record ended: opcode and what is after it. */
static const uint8_t *opcode_at_end(const record *r, isa_insn *insn)
{
    const uint8_t *code = r->code + r->starts[last_insn(r)];
    decode(r, last_insn(r), insn);
    return code + insn->prefixes;
}

enum {
    OTHER,
    IMAGE,     /* FNSTENV, FNSAVE, FLDENV, FRSTOR */
    X87_STORE, /* FST, FSTP, FIST, FISTP, FBSTP */
    MMX_STORE, /* MOVD and MOVQ to memory */
    COMPARES,  /* CMPS */
    SCANS,     /* SCAS */
    BOUND
};
static unsigned kind_at_end(const record *r)
{
    isa_insn insn;
    const uint8_t *code = opcode_at_end(r, &insn);
    unsigned reg = code[1] >> 3 & 7;
    bool memory = code[1] < 0xc0;
    if (memory && (code[0] == 0xd9 || code[0] == 0xdd) && (reg == 4 || reg == 6))
        return IMAGE;
    if (memory && (((code[0] & 0xf9) == 0xd9 && (reg == 2 || reg == 3)) || (code[0] == 0xdb && reg == 7) ||
                   (code[0] == 0xdf && reg >= 6)))
        return X87_STORE;
    if (code[0] == 0x0f && (code[1] & 0xfe) == 0x7e && code[2] < 0xc0)
        return MMX_STORE;
    if ((code[0] & 0xfe) == 0xa6)
        return COMPARES;
    if ((code[0] & 0xfe) == 0xae)
        return SCANS;
    return code[0] == 0x62 ? BOUND : OTHER;
}

static bool ended_at_same(const record *a, const record *b)
{
    return a->signal && b->signal && a->eip == b->eip;
}

/* A reference that the processor refused: #SS, #GP, #PF, #AC. */
static bool refused(const record *r)
{
    return r->trap == 12 || r->trap == 13 || r->trap == 14 || r->trap == 17;
}

/* FPREM, FPREM1 (by an infinity), FSCALE (by zero) return a denormal as it is: on AMD's with an underflow. */
static bool underflow_by_amd(const record *a, const record *b)
{
    enum { UNDERFLOW = 16 };
    bool later = b->x87[1] & UNDERFLOW && last_insn(b) <= last_insn(a); /* by another instruction */
    if (!amd || a->x87[0] & UNDERFLOW || !(a->x87[1] & UNDERFLOW) || later)
        return false;
    for (unsigned i = 0; i < last_insn(a); i++) {
        const uint8_t *end = a->code + a->starts[i + 1];
        if (fp_at(a, i) == ISA_FP_REMAINDER || (end[-2] == 0xd9 && end[-1] == 0xfd))
            return true;
    }
    return false;
}

/* FNINIT, FNCLEX, or an image stored or loaded after an instruction: what was pending is not seen. */
static bool clears_behind(const record *r, unsigned i)
{
    while (++i < last_insn(r)) {
        isa_insn insn;
        decode(r, i, &insn);
        const uint8_t *code = r->code + r->starts[i] + insn.prefixes;
        bool image = code[1] < 0xc0 && (code[0] == 0xd9 || code[0] == 0xdd) && (code[1] >> 3 & 5) == 4;
        if (image || (code[0] == 0xdb && (code[1] & 0xfe) == 0xe2))
            return true;
    }
    return false;
}

/* Everything that may come out differently, with the reason. What p5scope does where processors do not agree
 * stands in docs/fidelity.md. */
static bool legitimate(const record *a, const record *b)
{
    unsigned kind = kind_at_end(b);
    if (underflow_by_amd(a, b))
        return true;
    /* Later processors do not execute data. */
    if (a->trap == 14 && a->error & 16 && a->error & 1)
        return true;
    /* AMD's and Intel's later ones (Emerald Rapids) check alignment before the page, Intel's earlier ones
     * after it. */
    if (a->trap == 17 && b->trap == 14 && a->eip == b->eip)
        return true;
    /* The topmost memory is the operating system's, if it is one of 32 bits. */
    enum { SYSTEM = 0xc0000000 };
    if ((b->trap == 14 && b->cr2 >= SYSTEM) || (a->trap == 14 && a->cr2 >= SYSTEM))
        return true;
    /* Intel's BOUND compares with the lower bound before it reads the upper one. */
    if (intel && ended_at_same(a, b) && kind == BOUND && a->trap == 5 && b->trap == 14)
        return true;
    /* The two references of CMPS come in either order. */
    if (ended_at_same(a, b) && kind == COMPARES)
        return true;
    /* A store that an unmasked exception suppresses makes no reference; on AMD's processors it does. */
    if (amd && refused(a) && kind_at_end(a) == X87_STORE && last_insn(b) > last_insn(a) &&
        (b->x87[1] & 0x80 || clears_behind(b, last_insn(a))))
        return true;
    /* On Intel's processors such a store does not even check the segment CS; p5scope checks it first. */
    return intel && b->trap == 13 && kind == X87_STORE && a->x87[1] & 0x80;
}

/* Intel's MOVD and MOVQ to memory have set TOP to 0 when they fault; AMD's and the manual's have not. */
static record with_top_of(const record *a, const record *b)
{
    record other = *a;
    unsigned top = a->x87[1] >> 11 & 7, wanted = b->x87[1] >> 11 & 7;
    if (!intel || !ended_at_same(a, b) || top != 0 || kind_at_end(b) != MMX_STORE)
        return other;
    const uint8_t *from = (const uint8_t *)a->x87 + 28;
    uint8_t *to = (uint8_t *)other.x87 + 28;
    for (unsigned i = 0; i < 8; i++)
        memcpy(to + 10 * i, from + 10 * ((wanted + i) & 7), 10);
    other.x87[1] |= wanted << 11;
    return other;
}

static void compare(const record *a, const record *b, difference *d)
{
    differ(d, "signal", a->signal, b->signal);
    differ(d, "signal code", a->signal_code, b->signal_code);
    differ(d, "vector", a->trap, b->trap);
    differ(d, "error code", error_of(a), error_of(b));
    unsigned kind = kind_at_end(a);
    /* Of an image later processors look at the last byte first; the references of CMPS come in either order.
     */
    if (!(kind == IMAGE && (a->cr2 & ~4095u) == (b->cr2 & ~4095u)) &&
        !(kind == COMPARES && ended_at_same(a, b)))
        differ(d, "address", a->cr2, b->cr2);
    for (unsigned i = 0; i < 8; i++)
        differ(d, names[i], a->registers[i], b->registers[i]);
    differ(d, "eip", a->eip - a->code_at, b->eip - a->code_at);
    uint32_t mask = FLAGS & ~(uint32_t)a->undefined[last_insn(a)];
    if (a->trap == 14 && last_insn(a) == a->count) /* fetching what was jumped to: from somewhere */
        for (unsigned i = 0; i < a->count; i++)
            mask &= ~(uint32_t)a->undefined[i];
    isa_insn insn;
    opcode_at_end(a, &insn);
    bool repeated = insn.rep || insn.repne;
    if (intel && a->trap == 1 && repeated) /* set between iterations; AMD's do not */
        mask &= ~(uint32_t)RF;
    /* AMD's keep the flags of the last iteration; Intel's and the manual's have those from before it all. */
    if (amd && repeated && (kind == COMPARES || kind == SCANS) && (refused(a) || a->trap == 1) &&
        ended_at_same(a, b))
        mask &= ~(uint32_t)STATUS_FLAGS;
    differ(d, "eflags", a->flags & mask, b->flags & mask);
    if (a->uses_x87) {
        record other = with_top_of(a, b);
        compare_x87(&other, b, d);
    }
    if ((a->stores_x87 && last_insn(a) == a->count) ||
        (intel && a->trap == 14 && kind == X87_STORE)) /* FSTP m80 stores what is there of two pages */
        return;
    const uint32_t *x = a->memory, *y = b->memory;
    for (unsigned w = 0; w < RECORD_WINDOWS; x += windows[w].size / 4, y += windows[w].size / 4, w++)
        for (unsigned i = 0; i < windows[w].size / 4; i++) {
            char name[20];
            snprintf(name, sizeof name, "memory %x", windows[w].at + 4 * i);
            if (x[i] != y[i])
                differ(d, name, x[i], y[i]);
        }
}

static void print(const record *r, const difference *d)
{
    printf("snippet %u, state %u:\n", r->index, r->run);
    for (unsigned i = 0; i < r->count; i++) {
        char text[100];
        isa_disassemble(decoder,
                        &(isa_code){r->code + r->starts[i], (size_t)(r->size - r->starts[i]),
                                    r->code_at + r->starts[i], true},
                        text, sizeof text);
        printf("  %3u ", r->starts[i]);
        for (unsigned k = r->starts[i]; k < r->starts[i + 1]; k++)
            printf("%02x", r->code[k]);
        printf(" %s\n", text);
    }
    printf("  before:");
    for (unsigned i = 0; i < 8; i++)
        printf(" %s=%x", names[i], r->before[i]);
    printf(" eflags=%x", r->flags_before);
    if (r->uses_x87)
        printf(" cw=%x sw=%x tw=%x", r->x87_before[0], r->x87_before[1], r->x87_before[2]);
    printf("\n  end: signal %u vector %u error %x address %x eip %d\n%s", r->signal, r->trap, r->error,
           r->cr2, (int)(r->eip - r->code_at), d->text);
}

int main(int argc, char **argv)
{
    FILE *expected = argc > 3 ? fopen(argv[2], "rb") : NULL, *got = argc > 3 ? fopen(argv[3], "rb") : NULL;
    unsigned most = argc > 4 ? (unsigned)atoi(argv[4]) : 20;
    static record a, b;
    unsigned long count = 0, reached = 0, different = 0;
    decoder = isa_decoder_open(ISA_P55C);
    amd = argc > 1 && !strcmp(argv[1], "AuthenticAMD");
    intel = argc > 1 && !strcmp(argv[1], "GenuineIntel");
    if (!expected || !got || !decoder) {
        fprintf(stderr, "usage: compare VENDOR EXPECTED GOT [MOST]\n");
        return 2;
    }
    while (fread(&a, sizeof a, 1, expected) == 1) {
        difference d = {.size = 0};
        if (fread(&b, sizeof b, 1, got) != 1) {
            printf("snippet %u: the second ended in front of it\n", a.index);
            print(&a, &d);
            return 1;
        }
        if (a.index != b.index || a.run != b.run || memcmp(a.code, b.code, sizeof a.code)) {
            printf("snippet %u: the second is not the same program\n", a.index);
            return 1;
        }
        count++;
        reached += last_insn(&a);
        if (memcmp(&a, &b, sizeof a) == 0)
            continue;
        compare(&a, &b, &d);
        if (d.size == 0 || legitimate(&a, &b))
            continue;
        if (different++ < most)
            print(&a, &d);
    }
    if (fread(&b, sizeof b, 1, got) == 1) {
        printf("snippet %u: the first ended in front of it\n", b.index);
        return 1;
    }
    printf("%lu snippets, %lu instructions gone through, %lu different\n", count, reached, different);
    return different != 0 || count == 0;
}
