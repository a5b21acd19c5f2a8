/* What the tests of the x87 against the host's own have in common: instructions, random and special operands,
 * and states as FNSAVE writes them. */
#ifndef X87_CASES_H
#define X87_CASES_H

#include "guest.h"

enum { UNDERFLOW = 0x10 /* its mask in the control word */ };
enum { RECORD = 0x100, MEMORY = 0x80 /* the memory operand within a record */, RECORDS = 0x100000 };

/* An instruction; memory operands are at [ECX], which is [RCX] to the host. */
typedef struct x87_insn {
    const char *name;
    uint8_t bytes[3];
    uint8_t size;
    char memory; /* 's' m32, 'd' m64, 'x' m80, 'i' integers, 'b' BCD, '-' none; capitals: stores */
} x87_insn;

#define R(name, a, b)                                                                                        \
    {                                                                                                        \
        name, {a, b}, 2, '-'                                                                                 \
    }
#define M(name, a, reg, kind)                                                                                \
    {                                                                                                        \
        name, {a, (reg) << 3 | 1}, 2, kind                                                                   \
    }
#define GROUP(op, reg)                                                                                       \
    R(op " st, st(0)", 0xd8, 0xc0 | (reg) << 3), R(op " st, st(1)", 0xd8, 0xc1 | (reg) << 3),                \
        R(op " st, st(3)", 0xd8, 0xc3 | (reg) << 3), M(op " m32", 0xd8, reg, 's'),                           \
        M(op " m64", 0xdc, reg, 'd'), M(op " i32", 0xda, reg, 'i'), M(op " i16", 0xde, reg, 'i')
#define TO_STI(op, reg)                                                                                      \
    R(op " st(1), st", 0xdc, 0xc1 | (reg) << 3), R(op " st(2), st", 0xdc, 0xc2 | (reg) << 3),                \
        R(op "p st(1), st", 0xde, 0xc1 | (reg) << 3), R(op "p st(2), st", 0xde, 0xc2 | (reg) << 3)

static const x87_insn insns[] = {
    GROUP("fadd", 0),
    GROUP("fmul", 1),
    GROUP("fcom", 2),
    GROUP("fcomp", 3),
    GROUP("fsub", 4),
    GROUP("fsubr", 5),
    GROUP("fdiv", 6),
    GROUP("fdivr", 7),
    TO_STI("fadd", 0),
    TO_STI("fmul", 1),
    TO_STI("fsubr", 4),
    TO_STI("fsub", 5),
    TO_STI("fdivr", 6),
    TO_STI("fdiv", 7),
    R("fcompp", 0xde, 0xd9),
    R("fucompp", 0xda, 0xe9),
    R("fucom st(1)", 0xdd, 0xe1),
    R("fucomp st(2)", 0xdd, 0xea),
    R("ftst", 0xd9, 0xe4),
    R("fxam", 0xd9, 0xe5),
    R("fchs", 0xd9, 0xe0),
    R("fabs", 0xd9, 0xe1),
    R("fsqrt", 0xd9, 0xfa),
    R("frndint", 0xd9, 0xfc),
    R("fprem", 0xd9, 0xf8),
    R("fprem1", 0xd9, 0xf5),
    R("fscale", 0xd9, 0xfd),
    R("fxtract", 0xd9, 0xf4),
    R("f2xm1", 0xd9, 0xf0),
    R("fyl2x", 0xd9, 0xf1),
    R("fptan", 0xd9, 0xf2),
    R("fpatan", 0xd9, 0xf3),
    R("fyl2xp1", 0xd9, 0xf9),
    R("fsin", 0xd9, 0xfe),
    R("fcos", 0xd9, 0xff),
    R("fsincos", 0xd9, 0xfb),
    R("fld st(0)", 0xd9, 0xc0),
    R("fld st(2)", 0xd9, 0xc2),
    R("fxch st(1)", 0xd9, 0xc9),
    R("fxch st(3)", 0xd9, 0xcb),
    R("fst st(2)", 0xdd, 0xd2),
    R("fstp st(0)", 0xdd, 0xd8),
    R("fstp st(1)", 0xdd, 0xd9),
    R("fld1", 0xd9, 0xe8),
    R("fldl2t", 0xd9, 0xe9),
    R("fldl2e", 0xd9, 0xea),
    R("fldpi", 0xd9, 0xeb),
    R("fldlg2", 0xd9, 0xec),
    R("fldln2", 0xd9, 0xed),
    R("fldz", 0xd9, 0xee),
    R("fincstp", 0xd9, 0xf7),
    R("fdecstp", 0xd9, 0xf6),
    R("ffree st(1)", 0xdd, 0xc1),
    R("fnop", 0xd9, 0xd0),
    R("fnclex", 0xdb, 0xe2),
    R("fninit", 0xdb, 0xe3),
    M("fld m32", 0xd9, 0, 's'),
    M("fld m64", 0xdd, 0, 'd'),
    M("fld m80", 0xdb, 5, 'x'),
    M("fild m16", 0xdf, 0, 'i'),
    M("fild m32", 0xdb, 0, 'i'),
    M("fild m64", 0xdf, 5, 'i'),
    M("fbld", 0xdf, 4, 'b'),
    M("fst m32", 0xd9, 2, 'S'),
    M("fstp m32", 0xd9, 3, 'S'),
    M("fst m64", 0xdd, 2, 'S'),
    M("fstp m64", 0xdd, 3, 'S'),
    M("fstp m80", 0xdb, 7, 'S'),
    M("fist m16", 0xdf, 2, 'S'),
    M("fistp m16", 0xdf, 3, 'S'),
    M("fist m32", 0xdb, 2, 'S'),
    M("fistp m32", 0xdb, 3, 'S'),
    M("fistp m64", 0xdf, 7, 'S'),
    M("fbstp", 0xdf, 6, 'S'),
    M("fnstsw m16", 0xdd, 7, 'S'),
    M("fnstcw m16", 0xd9, 7, 'S'),
};

/* --- Operands --- */

static uint64_t random_state = 0x123456789abcdefu;
static uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}
static unsigned below(unsigned n)
{
    return (unsigned)(random64() >> 33) % n;
}

static void random_m80(uint8_t to[10])
{
    uint64_t mantissa = random64() | 1ull << 63;
    uint16_t exponent = (uint16_t)(0x3fff - 64 + below(128)), sign = below(2) ? 0x8000 : 0;
    switch (below(16)) {
    case 0:
        mantissa = 0, exponent = 0;
        break;
    case 1:
        mantissa = 1ull << 63, exponent = 0x7fff;
        break; /* infinity */
    case 2:
        mantissa |= 3ull << 62, exponent = 0x7fff;
        break; /* quiet NaN */
    case 3:
        mantissa &= ~(1ull << 62), mantissa |= 1, exponent = 0x7fff;
        break; /* signalling NaN */
    case 4:
        mantissa &= ~(1ull << 63), exponent = 0;
        break; /* denormal */
    case 5:
        mantissa &= ~(1ull << 63), exponent = (uint16_t)below(0x8000);
        break; /* unnormal, pseudo-NaN */
    case 6:
        exponent = (uint16_t)below(0x7fff);
        break;
    case 7:
        mantissa = 1ull << 63, exponent = (uint16_t)(0x3fff - 2 + below(5));
        break; /* powers of two near one */
    case 8:
        mantissa &= 0xffffffull << 40;
        break; /* a single */
    case 9:
        mantissa &= 0xfffffffffffff800u;
        break; /* a double */
    case 10:
        exponent = (uint16_t)(below(2) ? below(70) : 0x7ffe - below(70));
        break; /* near under- and overflow */
    case 11:
        mantissa = (mantissa & 0xffffffff00000000u) | 1ull << 31, exponent = (uint16_t)(0x3fff + 31);
        break; /* halves */
    default:
        break;
    }
    memcpy(to, &mantissa, 8);
    exponent |= sign;
    memcpy(to + 8, &exponent, 2);
}

static void random_memory(uint8_t *to, char kind)
{
    uint64_t bits = random64();
    memset(to, 0, 16);
    if (kind == 'x') {
        random_m80(to);
        return;
    }
    if (kind == 'b') { /* nine bytes of two digits, one of sign */
        for (unsigned i = 0; i < 9; i++)
            to[i] = (uint8_t)(below(10) << 4 | below(10));
        to[9] = below(2) ? 0x80 : 0;
        return;
    }
    unsigned top = kind == 's' ? 23 : 52, width = kind == 's' ? 8 : 11;
    if (kind == 's' || kind == 'd') {
        uint64_t exponents = (1ull << width) - 1;
        switch (below(8)) {
        case 0:
            bits &= ~(exponents << top);
            break; /* zero or denormal */
        case 1:
            bits |= exponents << top;
            break; /* infinity or NaN */
        case 2:
            bits &= exponents << top;
            break;
        case 3:
            bits = (bits & ~(exponents << top)) | (exponents >> 1) << top;
            break;
        default:
            break;
        }
    } else if (below(4) == 0) {
        bits = below(3) == 0 ? 0 : below(2) ? UINT64_MAX : 1ull << 63 | 1u << 31 | 1u << 15;
    }
    memcpy(to, &bits, 8);
}

static void put16(uint8_t *to, unsigned value)
{
    memcpy(to, &(uint16_t){(uint16_t)value}, 2);
}

static void random_record(uint8_t record[RECORD], const x87_insn *insn)
{
    static const uint16_t precisions[] = {0x000, 0x200, 0x300, 0x300};
    memset(record, 0, RECORD);
    unsigned masks = below(8) ? 0x3f : below(64);
    unsigned status = (unsigned)random64() & 0x477f & (below(2) ? 0xffff : 0xffc0);
    status |= below(8) << 11;
    status &= ~(~masks & 0x3f); /* nothing pending */
    unsigned tags = 0;
    for (unsigned i = 0; i < 8; i++)
        tags |= (below(8) == 0 ? 3u : 0u) << 2 * i;
    if (below(2)) /* room for a push */
        tags |= 3u << 2 * (((status >> 11) + 7) & 7);
    put16(record, 0x40 | masks | precisions[below(4)] | below(4) << 10);
    put16(record + 4, status);
    put16(record + 8, tags);
    for (unsigned i = 0; i < 8; i++)
        random_m80(record + 28 + 10 * i);
    random_memory(record + MEMORY, insn->memory);
}

static void show(const char *who, const uint8_t *record)
{
    uint16_t words[3];
    for (unsigned i = 0; i < 3; i++)
        memcpy(&words[i], record + 4 * i, 2);
    print_error("  %-6s CW %04x SW %04x TW %04x", who, words[0], words[1], words[2]);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t mantissa;
        uint16_t exponent;
        memcpy(&mantissa, record + 28 + 10 * i, 8);
        memcpy(&exponent, record + 36 + 10 * i, 2);
        print_error(" %04x:%016llx", exponent, (unsigned long long)mantissa);
    }
    uint64_t memory;
    memcpy(&memory, record + MEMORY, 8);
    print_error(" m %016llx\n", (unsigned long long)memory);
}

/* Everything but the instruction and data pointers. */
static bool same(const uint8_t *host, const uint8_t *emulated)
{
    return memcmp(host, emulated, 2) == 0 && memcmp(host + 4, emulated + 4, 2) == 0 &&
           memcmp(host + 8, emulated + 8, 2) == 0 && memcmp(host + 28, emulated + 28, 80) == 0 &&
           memcmp(host + MEMORY, emulated + MEMORY, 16) == 0;
}

/* Transcendental functions are the same on every host: they may differ in the last bit of their result, and
 * so in C1, from what this one's x87 makes of them (docs/fidelity.md). */
static inline bool transcendental(const x87_insn *insn)
{
    static const char *const names[] = {"f2xm1", "fyl2x", "fyl2xp1", "fpatan",
                                        "fptan", "fsin",  "fcos",    "fsincos"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(insn->name, names[i]) == 0)
            return true;
    return false;
}

static inline uint64_t ordered(const uint8_t *m80, uint16_t *sign)
{
    uint64_t mantissa;
    uint16_t exponent;
    memcpy(&mantissa, m80, 8);
    memcpy(&exponent, m80 + 8, 2);
    *sign = exponent & 0x8000;
    return ((uint64_t)(exponent & 0x7fff) << 63) + (mantissa << 1 >> 1);
}

static inline bool nearly_same(const uint8_t *host, const uint8_t *emulated)
{
    uint8_t h[RECORD], g[RECORD];
    memcpy(h, host, RECORD);
    memcpy(g, emulated, RECORD);
    h[5] &= 0xfd; /* C1 */
    g[5] &= 0xfd;
    for (unsigned i = 0; i < 2; i++) {
        uint16_t sign, other;
        uint64_t difference = ordered(h + 28 + 10 * i, &sign) - ordered(g + 28 + 10 * i, &other) + 1;
        if (difference <= 2 && sign == other)
            memcpy(g + 28 + 10 * i, h + 28 + 10 * i, 10);
    }
    return same(h, g);
}

/* An unmasked underflow that Intel's processors do not have and AMD's (Zen 4) do: ST(0) is denormal and comes
 * out as it is, because the divisor is infinite (FPREM, FPREM1) or the scale zero (FSCALE). */
static inline bool underflow_by_vendor(const x87_insn *insn, const uint8_t *record)
{
    uint64_t a, b;
    uint16_t a_exponent, b_exponent;
    memcpy(&a, record + 28, 8);
    memcpy(&a_exponent, record + 36, 2);
    memcpy(&b, record + 38, 8);
    memcpy(&b_exponent, record + 46, 2);
    bool remainder = strncmp(insn->name, "fprem", 5) == 0, scale = strcmp(insn->name, "fscale") == 0;
    bool denormal = !(a_exponent & 0x7fff) && a, zero = !(b_exponent & 0x7fff) && !b,
         infinite = (b_exponent & 0x7fff) == 0x7fff && b == 1ull << 63;
    return !__builtin_cpu_is("intel") && !(record[0] & UNDERFLOW) && denormal &&
           ((remainder && infinite) || (scale && zero));
}

/* --- Both sides: the same bytes between FRSTOR and FNSAVE of each record --- */

typedef void host_code(uint8_t *record, uint8_t *memory);

/* mov rcx, rsi; frstor [rdi]; the bytes; fnsave [rdi]; ret */
static inline host_code *assemble_host(uint8_t *page, const uint8_t *bytes, size_t size)
{
    static const uint8_t before[] = {0x48, 0x89, 0xf1, 0xdd, 0x27}, after[] = {0xdd, 0x37, 0xc3};
    memcpy(page, before, sizeof before);
    memcpy(page + sizeof before, bytes, size);
    memcpy(page + sizeof before + size, after, sizeof after);
    host_code *code;
    memcpy(&code, &page, sizeof code);
    return code;
}

/* On the host, as Intel's do it. */
static inline void run_host(host_code *code, const x87_insn *insn, uint8_t *record)
{
    bool masked = underflow_by_vendor(insn, record);
    record[0] |= masked ? UNDERFLOW : 0;
    code(record, record + MEMORY);
    record[0] &= (uint8_t) ~(masked ? UNDERFLOW : 0);
}

/* 1: lea ecx, [esi + MEMORY]; frstor [esi]; the bytes; fnsave [esi]; add esi, RECORD; dec ebx; jnz 1b; hlt */
static inline void assemble_guest(guest *g, const uint8_t *bytes, size_t size)
{
    uint8_t code[127], *p = code;
    static const uint8_t before[] = {0x8d, 0x8e, MEMORY, 0, 0, 0, 0xdd, 0x26};
    static const uint8_t after[] = {0xdd, 0x36, 0x81, 0xc6, RECORD & 0xff, RECORD >> 8, 0, 0, 0x4b, 0x75};
    memcpy(p, before, sizeof before);
    p += sizeof before;
    memcpy(p, bytes, size);
    p += size;
    memcpy(p, after, sizeof after);
    p += sizeof after;
    *p = (uint8_t)(code - p - 1);
    p++;
    *p++ = 0xf4;
    memcpy(engine_ram(g->e, GUEST_CODE, sizeof code), code, (size_t)(p - code));
    engine_flush_code(g->e, GUEST_CODE, sizeof code);
}

#endif
