/* Single cases that were wrong once or that the manual leaves open. The expected states are those of the manual, or
 * were measured on processors (docs/fidelity.md). The program runs as a guest and natively.
 *   rows [native] [p54c]     exit status 1 with a line for each difference; native leaves out what later processors do
 *                            differently, p54c the MMX instructions */
#include "snippet_run.h"

enum { SIGILL = 4, SIGTRAP = 5, SIGFPE = 8, SIGSEGV = 11 };
enum { MAPERR = 1, ACCERR = 2, KERNEL = 0x80, FLTINV = 7, BRKPT = 1, TRACE = 2 };
enum { CF = 1, PF = 4, AF = 16, ZF = 64, SF = 128, TF = 0x100, OF = 0x800, RF = 0x10000 };
enum { IOPL_NT = 0x7000, ABSENT = MISSING + 0x100, FRAME = STACK + PAGE - 256, BELOW = 0x20040000 };
enum { SETS = 8, MMX = 1, NOT_AMD = 2, NOT_INTEL = 4, NOT_NATIVE = 8 };
typedef enum number { ONE, SNAN, QNAN, NUMBERS } number;

typedef struct pair {
    u32 at, value;
} pair;
typedef struct row {
    const char *name, *code;
    u32 size, which;
    /* Before: EAX 1, EBX, ESI and EDI a data page, ESP and EBP the stack, others 0, EFLAGS 202h; */
    pair set[SETS], memory[10]; /* registers; dwords, at = 0 ends */
    u32 flags, ss_at;
    u32 cw, sw, tw; /* x87 state if cw */
    number st0;
    /* after it: */
    u32 signal, signal_code, trap, error, cr2, eip; /* signal 0: it went through */
    pair becomes[SETS];                             /* registers; the others stay */
    u32 eflags, ignore;                             /* 0: not looked at */
    u32 sw_then, tw_then, fip;                      /* if cw; FIP as offset + 1, 0: not looked at */
    pair memory_then[2];
} row;

#define CODE(text) .code = (text), .size = sizeof(text) - 1
#define REGISTER(name, number)                                                                               \
    {                                                                                                        \
        (name) + 1, (number)                                                                                 \
    }
#define POPPED(at)                                                                                           \
    {(at), 70}, {(at) + 4, 60}, {(at) + 8, 50}, {(at) + 12, 40}, {(at) + 16, 30}, {(at) + 20, 20},           \
        {(at) + 24, 10},                                                                                     \
    {                                                                                                        \
        (at) + 28, 99                                                                                        \
    }
#define POPS(at)                                                                                             \
    REGISTER(EDI, 70), REGISTER(ESI, 60), REGISTER(EBP, 50), REGISTER(EBX, 30), REGISTER(EDX, 20),           \
        REGISTER(ECX, 10), REGISTER(EAX, 99), REGISTER(ESP, (at) + 32)
#define PAGE_FAULT(code, at, offset)                                                                         \
    .signal = SIGSEGV, .signal_code = (code)&1 ? ACCERR : MAPERR, .trap = 14, .error = (code), .cr2 = (at),  \
    .eip = (offset)
#define PROTECTION(offset)         .signal = SIGSEGV, .signal_code = KERNEL, .trap = 13, .eip = (offset)
#define MATH(offset)               .signal = SIGFPE, .signal_code = FLTINV, .trap = 16, .eip = (offset)
#define SET_DATA(text)             "\xc7\x03\x11\x00\x00\x80" text /* mov dword [ebx], 80000011h */
#define AT_ABSENT                  "\x00\x51\x03\x20"
#define X87(control, status, tags) .cw = (control), .sw = (status), .tw = (tags)
#define X87_THEN(status, tags)     .sw_then = (status), .tw_then = (tags)
#define SHIFTS(text, by, result, flags_then)                                                                 \
    CODE(SET_DATA(text)), .set = {REGISTER(ECX, 1), REGISTER(EAX, by)}, .eflags = (flags_then),              \
                          .ignore = AF, .memory_then = {{DATA, result}}

static const row rows[] = {
    {.name = "POPA behind PAUSE", CODE("\xf3\x90\x61"), .memory = {POPPED(FRAME)}, .becomes = {POPS(FRAME)}},
    {.name = "POPA behind POP SS",
     CODE("\x16\x17\x58\x61"),
     .memory = {{FRAME, 5}, POPPED(FRAME + 4)},
     .becomes = {POPS(FRAME + 4)}},
    {.name = "POPA behind MOV SS",
     CODE("\x8e\x15\x40\x10\x00\x20\x90\x61"),
     .ss_at = DATA + 0x40,
     .memory = {POPPED(FRAME)},
     .becomes = {POPS(FRAME)}},

    {.name = "BSWAP of 16 bits",
     CODE("\x66\x0f\xc8"),
     .set = {REGISTER(EAX, 0x12345678)},
     .becomes = {REGISTER(EAX, 0x12340000)}},
    {.name = "LOOPNE that leaves",
     CODE("\x2b\xc2\xe0\x00"),
     .set = {REGISTER(EAX, 0x44003), REGISTER(EDX, 0x44000), REGISTER(ECX, 1)},
     .becomes = {REGISTER(EAX, 3), REGISTER(ECX, 0)},
     .eflags = 0x206},
    {.name = "LOOPE that leaves",
     CODE("\x2b\xc2\xe1\x00"),
     .set = {REGISTER(EAX, 0x44003), REGISTER(EDX, 0x44000), REGISTER(ECX, 1)},
     .becomes = {REGISTER(EAX, 3), REGISTER(ECX, 0)},
     .eflags = 0x206},
    {.name = "INT3 behind LOOPNE",
     CODE("\x2b\xc2\xe0\x00\xcc"),
     .set = {REGISTER(EAX, 0x44003), REGISTER(EDX, 0x44000), REGISTER(ECX, 1)},
     .signal = SIGTRAP,
     .signal_code = KERNEL,
     .trap = 3,
     .eip = 5,
     .becomes = {REGISTER(EAX, 3), REGISTER(ECX, 0)},
     .eflags = 0x206},

    {.name = "SHL m32,CL", SHIFTS("\xd3\x23", 1, 0x22, 0xa07)},
    {.name = "SHR m32,CL", SHIFTS("\xd3\x2b", 1, 0x40000008, 0xa03)},
    {.name = "SAR m32,CL", SHIFTS("\xd3\x3b", 1, 0xc0000008, 0x283)},
    {.name = "SHR m16,CL", SHIFTS("\x66\xd3\x2b", 1, 0x80000008, 0x203)},
    {.name = "SHL m8,CL", SHIFTS("\xd2\x23", 1, 0x80000022, 0x206)},
    {.name = "SHRD m32,r,imm", SHIFTS("\x0f\xac\x03\x01", 1, 0xc0000008, 0x283)},
    {.name = "SHRD m32,r,CL", SHIFTS("\x0f\xad\x03", 1, 0xc0000008, 0x283)},
    {.name = "SHLD m32,r,imm", SHIFTS("\x0f\xa4\x03\x01", 0x80000001, 0x23, 0xa03)},
    {.name = "SHLD m32,r,CL", SHIFTS("\x0f\xa5\x03", 0x80000001, 0x23, 0xa03)},

    {.name = "FCOMPP with a pending error",
     CODE("\xd8\xc1\x03\xc2\xde\xd9"),
     X87(0x340, 0, 0),
     .st0 = SNAN,
     .set = {REGISTER(EAX, 0x7fffffff), REGISTER(EDX, 1)},
     MATH(4),
     .becomes = {REGISTER(EAX, 0x80000000)},
     .eflags = 0x10a96,
     X87_THEN(0x8081, 0xaaaa)},
    {.name = "FUCOMPP with a pending error",
     CODE("\xd8\xc1\x03\xc2\xda\xe9"),
     X87(0x340, 0, 0),
     .st0 = SNAN,
     .set = {REGISTER(EAX, 0x7fffffff), REGISTER(EDX, 1)},
     MATH(4),
     .becomes = {REGISTER(EAX, 0x80000000)},
     .eflags = 0x10a96,
     X87_THEN(0x8081, 0xaaaa)},

    {.name = "RCL on a read-only page",
     CODE("\x0f\xaf\xc2\xb8\x00\x00\x01\x20\xd1\x10"),
     .set = {REGISTER(EAX, 2), REGISTER(EDX, 3)},
     PAGE_FAULT(7, CONSTANT, 8),
     .becomes = {REGISTER(EAX, CONSTANT)},
     .eflags = 0x10202,
     .ignore = SF | ZF | AF | PF},
    {.name = "RCR on a read-only page",
     CODE("\x0f\xaf\xc2\xb8\x00\x00\x01\x20\xd1\x18"),
     .set = {REGISTER(EAX, 2), REGISTER(EDX, 3)},
     PAGE_FAULT(7, CONSTANT, 8),
     .becomes = {REGISTER(EAX, CONSTANT)},
     .eflags = 0x10202,
     .ignore = SF | ZF | AF | PF},
    {.name = "SETC on a read-only page",
     CODE("\xf9\x0f\x92\x03"),
     .set = {REGISTER(EBX, CONSTANT)},
     PAGE_FAULT(7, CONSTANT, 1),
     .eflags = 0x10203},

    {.name = "INSD at CPL 3",
     CODE("\x6d"),
     PROTECTION(0),
     .memory = {{DATA, 0x1234}},
     .memory_then = {{DATA, 0x1234}}},
    {.name = "INSB at CPL 3",
     CODE("\x6c"),
     PROTECTION(0),
     .memory = {{DATA, 0x1234}},
     .memory_then = {{DATA, 0x1234}}},
    {.name = "INSB at CPL 3 to an absent page", CODE("\x6c"), .set = {REGISTER(EDI, ABSENT)}, PROTECTION(0)},
    {.name = "OUTSB at CPL 3 from an absent page",
     CODE("\x6e"),
     .set = {REGISTER(ESI, ABSENT)},
     PROTECTION(0)},
    {.name = "REP INSB at CPL 3, none", CODE("\xf3\x6c"), PROTECTION(0)},

    {.name = "PADDW from an absent page",
     CODE("\x0f\xfd\x0d" AT_ABSENT),
     .which = MMX,
     X87(0x37f, 0x2800, 0xaaaa),
     PAGE_FAULT(4, ABSENT, 0),
     X87_THEN(0x2800, 0)},
    {.name = "MOVQ to an absent page",
     CODE("\x0f\x7f\x0d" AT_ABSENT),
     .which = MMX | NOT_INTEL,
     X87(0x37f, 0x2800, 0xaaaa),
     PAGE_FAULT(6, ABSENT, 0),
     X87_THEN(0x2800, 0)},
    {.name = "FADD m32 from an absent page",
     CODE("\xd8\x05" AT_ABSENT),
     X87(0x37f, 0x7600, 0),
     .st0 = QNAN,
     PAGE_FAULT(4, ABSENT, 0),
     X87_THEN(0x7600, 0xaaaa)},
    {.name = "PUNPCKLBW at a page's end",
     CODE("\x0f\x60\x0d\xfc\x0f\x02\x20"),
     .which = MMX,
     X87(0x37f, 0, 0),
     X87_THEN(0, 8)},
    {.name = "PUNPCKLWD at a page's end",
     CODE("\x0f\x61\x0d\xfc\x0f\x02\x20"),
     .which = MMX,
     X87(0x37f, 0, 0),
     X87_THEN(0, 8)},
    {.name = "PUNPCKLDQ at a page's end",
     CODE("\x0f\x62\x0d\xfc\x0f\x02\x20"),
     .which = MMX,
     X87(0x37f, 0, 0),
     X87_THEN(0, 8)},

    {.name = "FIP of FNOP",
     CODE("\xd9\xe8\xd9\xd0"),
     .which = NOT_AMD,
     X87(0x37f, 0, 0xffff),
     .fip = 3,
     X87_THEN(0x3800, 0x3fff)},
    {.name = "FIP and FNSTSW AX",
     CODE("\xd9\xe8\xdf\xe0"),
     .which = NOT_AMD,
     X87(0x37f, 0, 0xffff),
     .fip = 1,
     X87_THEN(0x3800, 0x3fff),
     .becomes = {REGISTER(EAX, 0x3800)}},
    {.name = "FIP and DB E0",
     CODE("\xd9\xe8\xdb\xe0"),
     .which = NOT_AMD,
     X87(0x37f, 0, 0xffff),
     .fip = 1,
     X87_THEN(0x3800, 0x3fff)},
    {.name = "FIP and DB E1",
     CODE("\xd9\xe8\xdb\xe1"),
     .which = NOT_AMD,
     X87(0x37f, 0, 0xffff),
     .fip = 1,
     X87_THEN(0x3800, 0x3fff)},
    {.name = "FIP and DB E4",
     CODE("\xd9\xe8\xdb\xe4"),
     .which = NOT_AMD,
     X87(0x37f, 0, 0xffff),
     .fip = 1,
     X87_THEN(0x3800, 0x3fff)},

    {.name = "ADD to an absent page", CODE("\x01\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "INC of an absent page", CODE("\xff\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "BTS of an absent page", CODE("\x0f\xab\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "XCHG with an absent page", CODE("\x87\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "CMPXCHG with an absent page", CODE("\x0f\xb1\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "ROL of an absent page", CODE("\xd1\x05" AT_ABSENT), PAGE_FAULT(6, ABSENT, 0)},
    {.name = "CMP with an absent page", CODE("\x39\x05" AT_ABSENT), PAGE_FAULT(4, ABSENT, 0)},
    {.name = "ADD across the end of a read-only page, the next one absent",
     CODE("\x01\x05\xfe\x0f\x01\x20"),
     PAGE_FAULT(7, CONSTANT + PAGE - 2, 0)},
    {.name = "CMP across the end of a read-only page, the next one absent",
     CODE("\x39\x05\xfe\x0f\x01\x20"),
     PAGE_FAULT(4, CONSTANT + PAGE, 0)},

    {.name = "D9 D9, ST(0) empty", CODE("\xd9\xd9"), X87(0x37f, 0, 0xffff), X87_THEN(0x800, 0xffff)},
    {.name = "DD D9, ST(0) empty", CODE("\xdd\xd9"), X87(0x37f, 0, 0xffff), X87_THEN(0x841, 0xfffb)},
    {.name = "DF D1, ST(0) empty", CODE("\xdf\xd1"), X87(0x37f, 0, 0xffff), X87_THEN(0x841, 0xfffb)},
    {.name = "DF D9, ST(0) empty", CODE("\xdf\xd9"), X87(0x37f, 0, 0xffff), X87_THEN(0x841, 0xfffb)},
    {.name = "66 C8 00 00 00",
     CODE("\x66\xc8\x00\x00\x00"),
     .set = {REGISTER(EBP, 0xabcd1234)},
     .becomes = {REGISTER(EBP, 0xabcd0000 | ((FRAME - 2) & 0xffff)), REGISTER(ESP, FRAME - 2)},
     .memory = {{FRAME - 4, 0}},
     .memory_then = {{FRAME - 4, 0x12340202}}},
    {.name = "FSTP m80 to an absent page, ST(0) empty, unmasked",
     CODE("\xdb\x3d" AT_ABSENT),
     .which = NOT_AMD,
     X87(0x37e, 0, 0xffff),
     X87_THEN(0x80c1, 0xffff)},
    {.name = "the same, masked",
     CODE("\xdb\x3d" AT_ABSENT),
     X87(0x37f, 0, 0xffff),
     PAGE_FAULT(6, ABSENT, 0),
     X87_THEN(0, 0xffff)},
    {.name = "FST m32 to an absent page, ST(0) empty, unmasked",
     CODE("\xd9\x15" AT_ABSENT),
     .which = NOT_AMD,
     X87(0x37e, 0, 0xffff),
     X87_THEN(0x80c1, 0xffff)},
    {.name = "FSTP m64 to an absent page, ST(0) empty, unmasked",
     CODE("\xdd\x1d" AT_ABSENT "\x40"),
     .which = NOT_AMD,
     X87(0x37e, 0, 0xffff),
     X87_THEN(0x80c1, 0xffff),
     .becomes = {REGISTER(EAX, 2)}},
    {.name = "FIST m32 to a read-only page, not a number, unmasked",
     CODE("\xdb\x15\x00\x00\x01\x20\x40"),
     .which = NOT_AMD,
     X87(0x37e, 0, 0),
     .st0 = QNAN,
     X87_THEN(0x8081, 0xaaaa),
     .becomes = {REGISTER(EAX, 2)}},
    {.name = "FBSTP to an absent page, ST(0) empty, unmasked",
     CODE("\xdf\x35" AT_ABSENT "\x40"),
     .which = NOT_AMD,
     X87(0x37e, 0, 0xffff),
     X87_THEN(0x80c1, 0xffff),
     .becomes = {REGISTER(EAX, 2)}},
    {.name = "FST m32, signalling NaN, unmasked",
     CODE("\xd9\x13"),
     X87(0x37e, 0, 0),
     .st0 = SNAN,
     X87_THEN(0x8081, 0xaaaa),
     .memory = {{DATA, 0x1234}},
     .memory_then = {{DATA, 0x1234}}},
    {.name = "FSTP m64 unmasked, then FADD",
     CODE("\xdd\x1b\xd8\xc1"),
     X87(0x37e, 0, 0),
     .st0 = SNAN,
     MATH(2),
     X87_THEN(0x8081, 0xaaaa)},

    {.name = "single step between iterations of REP",
     CODE("\xf3\xa4"),
     .which = NOT_INTEL,
     .set = {REGISTER(ECX, 2), REGISTER(EDI, DATA + 0x40)},
     .flags = TF,
     .signal = SIGTRAP,
     .signal_code = TRACE,
     .trap = 1,
     .becomes = {REGISTER(ECX, 1), REGISTER(EDI, DATA + 0x41), REGISTER(ESI, DATA + 1)},
     .eflags = 0x302},
    {.name = "ICEBP",
     CODE("\xf1"),
     .which = NOT_AMD, /* a virtual machine on one may report it as a fault, with EIP at the instruction */
     .signal = SIGTRAP,
     .signal_code = BRKPT,
     .trap = 1,
     .eip = 1,
     .eflags = 0x202},
    {.name = "REPNE SCASB into an absent page: flags",
     CODE("\xf2\xae"),
     .which = NOT_AMD,
     .set = {REGISTER(EAX, 0x5a), REGISTER(ECX, 9), REGISTER(EDI, DATA + 2 * PAGE - 2)},
     .flags = CF | ZF | OF,
     .memory = {{DATA + 2 * PAGE - 4, 0}},
     PAGE_FAULT(4, DATA + 2 * PAGE, 0),
     .becomes = {REGISTER(ECX, 7), REGISTER(EDI, DATA + 2 * PAGE)},
     .eflags = 0x10a43},

    {.name = "ARPL that changes nothing, read-only",
     CODE("\x63\x03"),
     .set = {REGISTER(EBX, CONSTANT), REGISTER(EAX, 0)},
     .flags = ZF,
     .eflags = 0x202},
    {.name = "ARPL that changes, read-only",
     CODE("\x63\x03"),
     .set = {REGISTER(EBX, CONSTANT), REGISTER(EAX, 3)},
     PAGE_FAULT(7, CONSTANT, 0)},
    {.name = "ARPL through CS that changes",
     CODE("\x2e\x63\x03"),
     .set = {REGISTER(EAX, 3)},
     .memory = {{DATA, 0x1230}},
     PROTECTION(0)},
    {.name = "ARPL through CS that changes nothing",
     CODE("\x2e\x63\x03"),
     .set = {REGISTER(EAX, 0)},
     .memory = {{DATA, 0x1230}},
     .flags = ZF,
     .eflags = 0x202},
    {.name = "POP to CS, the stack is not there",
     CODE("\xbc" AT_ABSENT "\x2e\x8f\x03"),
     PAGE_FAULT(4, ABSENT, 5),
     .becomes = {REGISTER(ESP, ABSENT)}},
    {.name = "POP to CS", CODE("\x2e\x8f\x03"), PROTECTION(0)},
    {.name = "single step over PAUSE",
     CODE("\xf3\x90\x40"),
     .flags = TF,
     .signal = SIGTRAP,
     .signal_code = TRACE,
     .trap = 1,
     .eip = 2,
     .eflags = 0x302},
    {.name = "ENTER 1,0 onto a read-only page",
     CODE("\xc8\x01\x00\x00"),
     .set = {REGISTER(ESP, BELOW + PAGE + 4)},
     PAGE_FAULT(7, BELOW + PAGE - 1, 0)},
    {.name = "ENTER 8,0 onto an absent page",
     CODE("\xc8\x08\x00\x00"),
     .set = {REGISTER(ESP, STACK + 8)},
     PAGE_FAULT(6, STACK - 4, 0)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static u32 failures;
static void print_hex(u32 value)
{
    char text[9] = {0};
    for (u32 i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    guest_print(2, text);
}
static void say(const char *name, const char *what, u32 expected, u32 got)
{
    if (expected == got)
        return;
    failures++;
    guest_print(2, name), guest_print(2, ": "), guest_print(2, what);
    guest_print(2, " must be "), print_hex(expected);
    guest_print(2, ", is "), print_hex(got), guest_print(2, "\n");
}

static void poke(const pair *p, u32 most)
{
    for (u32 i = 0; i < most && p[i].at; i++)
        *(volatile u32 *)p[i].at = p[i].value;
}

static void begin(record *r)
{
    static const u32 before[8] = {1, 0, 0, DATA, FRAME, FRAME + 64, DATA, DATA};
    for (u32 i = 0; i < 8; i++)
        r->before[i] = before[i];
    r->flags_before = 0x202;
}

static void begin_x87(record *r, const row *w)
{
    static const u8 numbers[NUMBERS][10] = {[ONE] = {[7] = 0x80, 0xff, 0x3f},
                                            [SNAN] = {1, [7] = 0x80, 0xff, 0x7f},
                                            [QNAN] = {[7] = 0xc0, 0xff, 0x7f}};
    r->uses_x87 = 1;
    r->x87_before[0] = w->cw, r->x87_before[1] = w->sw, r->x87_before[2] = w->tw;
    r->x87_before[3] = r->x87_before[4] = r->x87_before[5] = r->x87_before[6] = 0;
    for (u32 i = 0; i < 8; i++)
        for (u32 k = 0; k < 10; k++)
            ((u8 *)r->x87_before)[28 + 10 * i + k] = numbers[w->st0][k];
}

/* Writes the code to the next slot, between POPF and a jump to snippet_exit. */
static void put(record *r, const char *code, u32 size)
{
    u8 *to = (u8 *)CODE;
    static u32 slot;
    to += slot++ % SLOTS * SLOT;
    r->code_at = (u32)to + 1;
    r->size = (u16)size;
    *to++ = 0x9d;
    for (u32 i = 0; i < size; i++)
        *to++ = (u8)code[i];
    *to++ = 0xe9;
    *(u32 *)to = (u32)snippet_exit - (u32)(to + 4);
}

static void run_row(const row *w)
{
    static record r;
    r = (record){.index = 0};
    put(&r, w->code, w->size);
    begin(&r);
    r.flags_before |= w->flags;
    for (u32 i = 0; i < SETS && w->set[i].at; i++)
        r.before[w->set[i].at - 1] = w->set[i].value;
    u32 expected[8];
    for (u32 i = 0; i < 8; i++)
        expected[i] = r.before[i];
    for (u32 i = 0; i < SETS && w->becomes[i].at; i++)
        expected[w->becomes[i].at - 1] = w->becomes[i].value;
    if (w->cw)
        begin_x87(&r, w);
    fill(0);
    poke(w->memory, 10);
    if (w->ss_at)
        __asm__ volatile("mov %%ss, %0" : "=m"(*(u16 *)w->ss_at));
    r.code_at--, r.size++; /* with POPF */
    run_filled(&r);
    r.code_at++;
    say(w->name, "the signal", w->signal, r.signal);
    say(w->name, "its code", w->signal_code, r.signal_code);
    say(w->name, "the vector", w->trap, r.trap);
    say(w->name, "the error code", w->error, r.error);
    say(w->name, "CR2", w->cr2, r.cr2);
    say(w->name, "EIP", w->signal ? w->eip : w->size, r.eip - r.code_at);
    static const char *const names[8] = {"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"};
    for (u32 i = 0; i < 8; i++)
        say(w->name, names[i], expected[i], r.registers[i]);
    if (w->eflags)
        say(w->name, "EFLAGS", w->eflags & ~w->ignore, r.flags & ~w->ignore);
    if (w->cw) {
        say(w->name, "the status word", w->sw_then, r.x87[1] & 0xffff);
        say(w->name, "the tag word", w->tw_then, r.x87[2] & 0xffff);
        if (w->fip)
            say(w->name, "FIP", w->fip - 1, r.x87[3] - r.code_at);
    }
    for (u32 i = 0; i < 2 && w->memory_then[i].at; i++)
        say(w->name, "memory", w->memory_then[i].value, *(const u32 *)w->memory_then[i].at);
}

/* ENTER by the manual's pseudo-code, on a copy of the stack. */
static void run_enter(u32 bytes, u32 level, u32 narrow)
{
    static record r;
    static u8 stack[PAGE];
    const u32 size = narrow ? 2 : 4, mask = narrow ? 0xffff : 0xffffffff;
    char code[5] = {(char)0x66, (char)0xc8, (char)bytes, (char)(bytes >> 8), (char)level};
    r = (record){.index = 0};
    put(&r, code + !narrow, 5 - !narrow);
    begin(&r);
    for (u32 i = 0; i < PAGE / 4; i++)
        ((u32 *)stack)[i] = ((u32 *)STACK)[i] = i * 0x01030507;
    u32 sp = r.before[ESP], bp = r.before[EBP] = STACK + PAGE - 128, n = level % 32;
    r.before[ESP] = sp;
#define AT(address) (*(u32 *)(stack + ((address)-STACK)))
    sp -= size, AT(sp) = (AT(sp) & ~mask) | (bp & mask);
    u32 frame = sp;
    if (n > 0) {
        for (u32 i = 1; i < n; i++) {
            bp -= size;
            sp -= size, AT(sp) = (AT(sp) & ~mask) | (AT(bp) & mask);
        }
        sp -= size, AT(sp) = (AT(sp) & ~mask) | (frame & mask);
    }
#undef AT
    sp -= bytes;
    r.code_at--, r.size++; /* with POPF */
    run_filled(&r);
    ((u32 *)stack)[(r.before[ESP] - 4 - STACK) / 4] =
        *(u32 *)(r.before[ESP] - 4); /* POPF took it from there */
    char name[32] = "ENTER level ", digits[24];
    const char *number = guest_number(digits, (s64)level);
    for (u32 i = 12; (name[i] = *number++) != 0; i++)
        ;
    say(name, "the signal", 0, r.signal);
    say(name, "ESP", sp, r.registers[ESP]);
    say(name, "EBP", ((STACK + PAGE - 128) & ~mask) | (frame & mask), r.registers[EBP]);
    for (u32 i = 0; i < PAGE / 4; i++)
        if (((u32 *)stack)[i] != ((u32 *)STACK)[i]) {
            say(name, "the stack", ((u32 *)stack)[i], ((u32 *)STACK)[i]);
            break;
        }
}

static int same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static u32 out; /* which rows are left out */
static void run_all(void)
{
    run_prepare();
    map(BELOW, 2, 3);
    *(volatile u32 *)BELOW = 0; /* so that it is there */
    guest_syscall(SYS_mprotect, BELOW, PAGE, 1);
    for (u32 i = 0; i < ROWS; i++)
        if (!(rows[i].which & out))
            run_row(&rows[i]);
    for (u32 level = 0; level < 64; level++)
        for (u32 narrow = 0; narrow < 2; narrow++)
            for (u32 bytes = 0; bytes < 64; bytes += 21)
                run_enter(bytes, level, narrow);
    guest_syscall(SYS_exit, failures != 0);
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    if (argc > 1 && same_text(argv[1], "p54c"))
        out = MMX;
    if (argc > 1 && same_text(argv[1], "native")) {
        u32 leaf = 0, b, c, d;
        __asm__("cpuid" : "+a"(leaf), "=b"(b), "=c"(c), "=d"(d));
        out = NOT_NATIVE | (b == 0x756e6547 ? NOT_INTEL : NOT_AMD); /* "Genu" */
    }
    run_apart(run_all);
    return 0;
}
