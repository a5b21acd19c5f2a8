/* Random snippets of the instructions in forms.h, run one after the other with random registers, flags, x87
 * state and memory. A Linux program: what it writes is the same on every processor of the family, but for
 * what the masks in each record leave out. compare.c reads what two processors wrote.
 *   snippets FIRST COUNT      writes one record for each
 *   snippets                  how many there are until every encoding was the first of one */
#include "../guests/guest.h"
#include "form_kinds.h"
#include "record.h"

enum { CF = 1, AF = 16, ZF = 64, SF = 128, PF = 4, OF = 0x800, ALL_FLAGS = 0x8d5 };
typedef struct form {
    u8 prefix, escape, opcode, modrm, imm, narrow_imm, kind;
    u16 flags, reads, defines, undefined;
} form;
static const form forms[] = {
#include "forms.h"
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Memory: two pages with nothing behind them, one page alone, one that can be written below one that can not,
 * a stack. */
enum {
    CODE = 0x30000000,
    DATA = 0x20001000,
    LAST = 0x20020000,
    LOW = 0x2000f000,
    CONSTANT = 0x20010000,
    STACK = 0x20030000,
    MISSING = 0x20035000,
    PAGE = 4096,
    SLOT = 160,
    CHUNK = 2048,
    INSNS = 6,
    EAX = 0,
    ECX,
    EDX,
    EBX,
    ESP,
    EBP,
    ESI,
    EDI
};
/* What is filled before a snippet and looked at behind it. */
static const struct {
    u32 at, dwords;
} windows[RECORD_WINDOWS] = {{DATA, 64},
                             {DATA + PAGE - 128, 64},
                             {DATA + 2 * PAGE - 128, 32},
                             {LAST + PAGE - 128, 32},
                             {LOW + PAGE - 64, 16},
                             {STACK + PAGE - 512, 128}};

static u32 random_state;
static u32 next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state * 0x9e3779b1u >> 7 ^ random_state;
}
static u32 below(u32 n)
{
    return next_random() % n;
}

static const u32 values[] = {
    0,          1,          2,          0xffffffff, 0x80000000, 0x7fffffff, 0x80,       0x7f,
    0xff,       0x8000,     0x7fff,     0xffff,     0x12345678, 0x9999,     0x99,       31,
    32,         33,         15,         16,         8,          9,          0x80000011, 0xaaaaaaaa,
    0x7f800000, 0x7fa00000, 0xffc00000, 0x3f800000, 0x00000400, 0xfff00000, 0x7ff80000, 0x00010000};
static u32 any_value(void)
{
    return below(3) ? values[below(sizeof values / sizeof values[0])] : next_random() << below(24);
}

static u32 data_pointer(void)
{
    switch (below(16)) {
    case 0:
        return DATA + PAGE - below(12);
    case 1:
        return DATA + 2 * PAGE - below(12);
    case 2:
        return LAST + PAGE - below(24);
    case 3:
        return CONSTANT - below(12);
    case 4:
        return CONSTANT + 4 * below(32);
    case 5:
        return MISSING + 0x100;
    case 6:
        return STACK - below(8);
    default:
        return DATA + (below(4) ? 4 * below(48) : below(192));
    }
}

/* --- One snippet --- */

typedef struct state {
    u32 registers[8], flags; /* loaded before the snippet */
    u32 x87[27];
    int uses_x87;
} state;
static record records[CHUNK];
static state states[CHUNK];

static const u8 x87_values[][10] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                               /* 0 */
    {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f},                      /* 1 */
    {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xbf},                      /* -1 */
    {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f},                      /* infinity */
    {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xff},                      /* indefinite */
    {1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f},                      /* signalling NaN */
    {5, 4, 3, 0, 0, 0, 0, 0xc0, 0xff, 0x7f},                      /* quiet NaN */
    {1, 0, 0, 0, 0, 0, 0, 0, 0, 0},                               /* denormal */
    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x7f}, /* largest */
    {0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0},                            /* smallest normal */
    {0, 0, 0, 0, 0, 0, 0, 0x40, 0xff, 0x3f},                      /* unnormal */
    {0x35, 0xc2, 0x68, 0x21, 0xa2, 0xda, 0x0f, 0xc9, 0, 0x40},    /* pi */
    {0, 0, 0, 0, 0, 0, 0, 0xa0, 0x02, 0x40},                      /* 10 */
    {0, 0, 0, 0, 0, 0, 0, 0xff, 0x1d, 0x40},                      /* beyond 31 bits */
    {0, 0, 0, 0, 0, 0, 0, 0x80, 0x3e, 0x40},                      /* 2^63 */
    {0, 0, 0, 0, 0, 0x10, 0, 0x80, 0x80, 0x3f},                   /* small */
};

static void make_x87(state *s)
{
    u8 *image = (u8 *)s->x87;
    u32 control = below(2)   ? 0x37f
                  : below(2) ? 0x340 | (next_random() & 0xc3f)
                             : (next_random() & 0xf3f) | 0x40;
    u32 status = (below(2) ? 0 : below(8) << 11) | (below(4) ? 0 : next_random() & 0x47ff);
    s->x87[0] = control;
    s->x87[1] = status;
    s->x87[2] = below(3) == 0 ? 0 : below(2) ? 0xffff : next_random() & 0xffff;
    s->x87[3] = s->x87[4] = s->x87[5] = s->x87[6] = 0;
    for (u32 i = 0; i < 8; i++) {
        const u8 *value = x87_values[below(sizeof x87_values / sizeof x87_values[0])];
        for (u32 k = 0; k < 10; k++)
            image[28 + 10 * i + k] = value[k];
        if (below(3) == 0) /* any number of moderate size */
            for (u32 k = 0; k < 8; k++)
                image[28 + 10 * i + k] = (u8)next_random();
    }
}

static u32 put32(u8 *to, u32 value)
{
    for (u32 i = 0; i < 4; i++)
        to[i] = (u8)(value >> 8 * i);
    return 4;
}

/* ModRM with a memory operand, most of which exist. */
static u32 put_address(u8 *to, u32 reg)
{
    static const u8 pointers[] = {EBX, EBX, EBX, ESI, EDI, EBP};
    u32 n = 0, kind = below(8), base = pointers[below(6)];
    if (kind == 0) { /* disp32 */
        to[n++] = (u8)(reg << 3 | 5);
        return n + put32(to + n, data_pointer());
    }
    if (kind == 1) { /* anything */
        u32 mod = below(3), rm = below(8);
        to[n++] = (u8)(mod << 6 | reg << 3 | rm);
        u32 sib = next_random() & 0xff;
        if (rm == 4)
            to[n++] = (u8)sib;
        if (mod == 1)
            to[n++] = (u8)next_random();
        else if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
            n += put32(to + n, below(2) ? data_pointer() : below(256));
        return n;
    }
    if (kind == 2) { /* index, small */
        to[n++] = (u8)(1 << 6 | reg << 3 | 4);
        to[n++] = (u8)(below(4) << 6 | EDX << 3 | base);
        to[n++] = (u8)below(16);
        return n;
    }
    if (kind == 3) { /* the stack */
        to[n++] = (u8)(1 << 6 | reg << 3 | 4);
        to[n++] = 4 << 3 | 4;
        to[n++] = (u8)below(32);
        return n;
    }
    if (kind == 4) {
        to[n++] = (u8)(2 << 6 | reg << 3 | base);
        return n + put32(to + n, below(16));
    }
    if (kind > 5 && base != EBP) {
        to[n++] = (u8)(reg << 3 | base);
        return n;
    }
    to[n++] = (u8)(1 << 6 | reg << 3 | base);
    to[n++] = (u8)(below(40) - 16);
    return n;
}

static int jumps(u32 kind)
{
    return kind == JUMP8 || kind == JUMP32 || kind == CALL32 || kind == LOOP_8;
}

/* An instruction into `to`; where its displacement lies, to be filled in later, if it jumps. */
static u32 put_form(u8 *to, const form *f, u32 first, u32 ecx, u32 *displacement, u32 *undefined,
                    u32 *narrow_jump)
{
    u32 n = 0, narrow = 0, lock = 0;
    *displacement = 0;
    if (!(f->flags & WIDE_ONLY) && below(5) == 0 && f->kind != RET && f->kind != RET_IMM &&
        f->kind != JUMP_INDIRECT && f->kind != CALL_INDIRECT) {
        if (jumps(f->kind))
            narrow = below(8) == 0;
        else
            narrow = !(f->escape && f->kind == SHIFT_CL); /* a count beyond 16 is undefined */
    }
    if (f->flags & LOCKABLE && f->flags & MEMORY && (f->modrm & 0xc0) == 0 && below(12) == 0)
        lock = 1;
    if (below(40) == 0)
        lock = 1;
    if (f->escape && (f->opcode & 0xfc) == 0x20) /* AMD's name for CR8 */
        lock = 0;
    if (lock)
        to[n++] = 0xf0;
    if (narrow)
        to[n++] = 0x66;
    if (below(60) == 0 && f->kind == PLAIN)
        to[n++] = 0x67;
    if (below(40) == 0) {
        static const u8 segments[] = {0x26, 0x36, 0x3e, 0x2e, 0x64, 0x65};
        to[n++] = segments[below(6)];
    }
    if (!(f->flags & NO_REP) && below(60) == 0 && f->kind == PLAIN)
        to[n++] = (u8)(0xf2 + below(2));
    if (f->prefix)
        to[n++] = f->prefix;
    if (f->escape)
        to[n++] = 0x0f;
    to[n++] = f->opcode;
    u32 size = f->opcode & 1 ? (narrow ? 16 : 32) : 8, memory = 0;
    if (f->flags & MODRM) {
        u32 reg = f->flags & ANY_REG ? below(8) : f->modrm >> 3 & 7;
        memory = (f->modrm & 0xc0) != 0xc0;
        if (f->flags & FIXED_MODRM)
            to[n++] = f->modrm;
        else if (memory)
            n += put_address(to + n, reg);
        else
            to[n++] = (u8)(0xc0 | reg << 3 | below(8));
    }
    u32 imm = narrow ? f->narrow_imm : f->imm;
    u32 value = below(2) ? any_value() : below(256);
    if (f->kind == INT_N && (value & 0xff) == 0x80)
        value = 0x21;
    if (f->kind == ENTER) {
        static const u8 levels[] = {0, 0, 1, 2, 3, 4, 8, 33};
        value = below(64) | (u32)levels[below(8)] << 16;
    }
    if (f->kind == RET_IMM)
        value = below(32);
    if (f->escape && f->kind == SHIFT) { /* beyond the operand's size the result is undefined */
        size = narrow ? 16 : 32;
        if (narrow)
            value = below(17);
    }
    if (!f->escape && (f->opcode & 0xfc) == 0xa0) /* moffs */
        value = data_pointer();
    if (jumps(f->kind))
        *displacement = n | imm << 8;
    *narrow_jump = narrow;
    for (u32 i = 0; i < imm; i++)
        to[n++] = (u8)(value >> 8 * i);
    /* flags */
    if (f->kind == SHIFT || f->kind == SHIFT_CL) {
        u32 by = f->kind == SHIFT ? (imm ? value : 1) : ecx, known = f->kind == SHIFT || first;
        u32 shifts = f->undefined & AF, count = by & 31;
        if (!known) {
            *undefined |= f->undefined;
        } else if (count != 0) {
            u32 not = count == 1 ? (shifts ? AF : 0) : f->undefined & (AF | OF);
            if (shifts && count >= size)
                not |= CF | (f->escape ? ALL_FLAGS : 0);
            u32 all = shifts ? ALL_FLAGS : CF | OF;
            *undefined = (*undefined & ~all) | not ;
        }
    } else {
        *undefined = (*undefined & ~(u32)f->defines) | f->undefined;
    }
    return n;
}

static u32 put_jump_target(u8 *to, const form *f, u32 *hole)
{
    u32 n = 0;
    if (f->kind == RET || f->kind == RET_IMM) {
        to[n++] = 0x68; /* push */
        *hole = n;
        return n + put32(to + n, 0);
    }
    if ((f->modrm & 0xc0) == 0xc0) {
        to[n++] = 0xb8 | EAX; /* mov eax */
        *hole = n;
        return n + put32(to + n, 0);
    }
    to[n++] = 0xc7; /* mov [data] */
    to[n++] = 0x05;
    n += put32(to + n, DATA + 0x40);
    *hole = n;
    return n + put32(to + n, 0);
}

extern void snippet_exit(void);

static void make(u32 index, record *r, state *s, u8 *code)
{
    random_state = index * 2654435761u ^ 0x5bd1e995u;
    if (random_state == 0)
        random_state = 1;
    for (u32 i = 0; i < 8; i++)
        next_random();
    u8 *bytes = (u8 *)r;
    for (u32 i = 0; i < sizeof *r; i++)
        bytes[i] = 0;
    r->index = index;
    for (u32 i = 0; i < 8; i++)
        s->registers[i] = any_value();
    s->registers[EBX] = data_pointer();
    s->registers[ESI] = data_pointer();
    s->registers[EDI] = data_pointer();
    s->registers[EBP] = below(3) ? STACK + PAGE - 4 * below(64) : data_pointer();
    s->registers[ESP] = STACK + PAGE - 16 - 4 * below(96);
    if (below(12) == 0)
        s->registers[ESP] = STACK + PAGE - 4 - below(12);
    if (below(2))
        s->registers[EDX] = below(32);
    if (below(2))
        s->registers[ECX] = below(40);
    s->flags = (next_random() & ALL_FLAGS) | 0x202;
    if (below(6) == 0)
        s->flags |= 0x400;
    if (below(50) == 0)
        s->flags |= 0x100;
    if (below(50) == 0)
        s->flags |= 0x40000;
    if (below(50) == 0)
        s->flags |= 0x4000;
    s->uses_x87 = 0;

    u32 n = 0, undefined = 0, count = 1 + below(INSNS), fix[INSNS] = {0}, fix_kind[INSNS] = {0},
        starts[INSNS + 1];
    code[n++] = 0x9d; /* popf */
    for (u32 i = 0; i < count; i++) {
        const form *f = &forms[i == 0 ? index % FORMS : below(FORMS)];
        u32 narrow, displacement, before = n;
        while (f->reads & undefined ||
               (i > 0 && f->kind == PLAIN && f->flags & X87 && !s->uses_x87 && below(4)))
            f = &forms[below(FORMS)];
        if (i > 0 && s->uses_x87 && !(f->flags & X87) && below(2)) {
            i--;
            continue;
        }
        s->uses_x87 |= (f->flags & X87) != 0;
        starts[i] = n;
        r->starts[i] = (u8)n;
        r->undefined[i] = (u16)undefined;
        if (f->kind == RET || f->kind == RET_IMM || f->kind == JUMP_INDIRECT || f->kind == CALL_INDIRECT) {
            u32 hole;
            n += put_jump_target(code + n, f, &hole);
            fix[i] = before + hole;
            fix_kind[i] = 4; /* absolute */
            if (f->kind == RET || f->kind == RET_IMM) {
                code[n++] = f->opcode;
                if (f->kind == RET_IMM) {
                    code[n++] = (u8)(4 * below(8));
                    code[n++] = 0;
                }
            } else {
                code[n++] = 0xff;
                if ((f->modrm & 0xc0) == 0xc0) {
                    code[n++] = (u8)(0xc0 | (f->modrm & 0x38));
                } else {
                    code[n++] = (u8)((f->modrm & 0x38) | 5);
                    n += put32(code + n, DATA + 0x40);
                }
            }
            continue;
        }
        n += put_form(code + n, f, i == 0, s->registers[ECX], &displacement, &undefined, &narrow);
        if (!f->escape && (f->opcode == 0xd9 || f->opcode == 0xdd) && (f->modrm & 0xf8) == 0x30) {
            /* FNSTENV and FNSAVE: what they store is not the same on all processors, nobody reads it */
            count = i + 1;
            r->stores_x87 = 1;
        }
        if (displacement) {
            fix[i] = before + (displacement & 0xff);
            fix_kind[i] = displacement >> 8;
            if (fix_kind[i] == 4)
                fix_kind[i] = 5; /* relative */
        }
    }
    r->starts[count] = (u8)n;
    r->undefined[count] = (u16)undefined;
    r->count = (u8)count;
    starts[count] = n;
    /* Jumps go to a later instruction: nothing repeats. */
    for (u32 i = 0; i < count; i++) {
        u32 target = starts[i + 1 + below(count - i)];
        if (fix_kind[i] == 4)
            put32(code + fix[i], (u32)code + target);
        else if (fix_kind[i] == 1)
            code[fix[i]] = (u8)(target - fix[i] - 1);
        else if (fix_kind[i] == 2)
            code[fix[i]] = (u8)(target - fix[i] - 2), code[fix[i] + 1] = 0;
        else if (fix_kind[i] == 5)
            put32(code + fix[i], target - fix[i] - 4);
        if (fix_kind[i] && target != starts[i + 1]) /* what was jumped over defined no flags */
            for (u32 k = i + 1; k <= count; k++)
                r->undefined[k] |= r->undefined[i + 1];
    }
    r->size = (u8)n;
    for (u32 i = 0; i < n && i < sizeof r->code; i++)
        r->code[i] = code[i];
    code[n++] = 0xe9;
    put32(code + n, (u32)snippet_exit - (u32)(code + n + 4));
    r->code_at = (u32)code;
    for (u32 i = 0; i < 8; i++)
        r->before[i] = s->registers[i];
    r->flags_before = s->flags;
    r->uses_x87 = (u8)s->uses_x87;
    if (s->uses_x87) {
        make_x87(s);
        for (u32 i = 0; i < 27; i++)
            r->x87_before[i] = s->x87[i];
    }
}

/* --- Running it --- */

u32 load_registers[8], load_flags, load_x87, *load_image, load_code; /* what snippet_run takes */
u32 found_registers[8], found_flags, found_image[27];                /* what snippet_exit leaves */
u32 run_esp, run_ebp, run_ebx, run_esi, run_edi;
u32 found_signal; /* 0: none */
void snippet_run(void);
void snippet_back(void);
void snippet_handler(void);
__asm__(".text\n"
        ".globl snippet_run, snippet_exit, snippet_back, snippet_handler\n"
        "snippet_run:\n"
        "  movl %ebx, run_ebx\n  movl %esi, run_esi\n  movl %edi, run_edi\n  movl %ebp, run_ebp\n  movl "
        "%esp, run_esp\n"
        "  cmpl $0, load_x87\n  je 1f\n  movl load_image, %eax\n  frstor (%eax)\n"
        "1: movl load_registers+16, %esp\n  subl $4, %esp\n  movl load_flags, %eax\n  movl %eax, (%esp)\n"
        "  movl load_registers, %eax\n  movl load_registers+4, %ecx\n  movl load_registers+8, %edx\n"
        "  movl load_registers+12, %ebx\n  movl load_registers+20, %ebp\n  movl load_registers+24, %esi\n"
        "  movl load_registers+28, %edi\n  jmp *load_code\n"
        "snippet_exit:\n"
        "  movl %eax, found_registers\n  movl %ecx, found_registers+4\n  movl %edx, found_registers+8\n"
        "  movl %ebx, found_registers+12\n  movl %esp, found_registers+16\n  movl %ebp, found_registers+20\n"
        "  movl %esi, found_registers+24\n  movl %edi, found_registers+28\n  movl run_esp, %esp\n"
        "  pushfl\n  popl found_flags\n  pushl $0x202\n  popfl\n"
        "  cmpl $0, load_x87\n  je snippet_back\n  fnsave found_image\n"
        "snippet_back:\n"
        "  pushl $0x202\n  popfl\n" /* a handler may have been entered with AC */
        "  movl run_esp, %esp\n  movl run_ebp, %ebp\n  movl run_ebx, %ebx\n  movl run_esi, %esi\n  movl "
        "run_edi, %edi\n  ret\n"
        "snippet_handler:\n" /* of a signal: signal, info, context */
        "  pushl $0x202\n  popfl\n  jmp snippet_signal\n");

static record *current;

typedef struct signal_context {
    u32 gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap, error, eip, cs, eflags, esp_at_signal,
        ss;
    u32 *x87;
    u32 mask, cr2;
} signal_context;

void snippet_signal(int signal, const void *info, const u8 *context);
void snippet_signal(int signal, const void *info, const u8 *context)
{
    const signal_context *c = (const signal_context *)(context + 20);
    record *r = current;
    (void)info;
    r->signal = (u32)signal;
    r->trap = c->trap;
    r->error = c->trap >= 10 && c->trap <= 14 ? c->error : 0;
    r->cr2 = c->trap == 14 ? c->cr2 : 0;
    r->eip = c->eip;
    r->flags = c->eflags;
    const u32 registers[8] = {c->eax, c->ecx, c->edx, c->ebx, c->esp_at_signal, c->ebp, c->esi, c->edi};
    for (u32 i = 0; i < 8; i++)
        r->registers[i] = registers[i];
    if (r->uses_x87 && c->x87)
        for (u32 i = 0; i < 27; i++)
            r->x87[i] = c->x87[i];
    __asm__ volatile("jmp snippet_back");
    __builtin_unreachable();
}

static u32 pattern[256];
static void fill(u32 index)
{
    u32 from = index * 7 % 128;
    for (u32 w = 0; w < RECORD_WINDOWS; w++) {
        u32 to = windows[w].at, count = windows[w].dwords, source = (u32)(pattern + (from + 16 * w) % 128);
        __asm__ volatile("rep movsl" : "+D"(to), "+S"(source), "+c"(count) : : "memory");
    }
}
static u32 look(u32 w)
{
    const u32 *at = (const u32 *)windows[w].at;
    u32 sum = 0;
    for (u32 i = 0; i < windows[w].dwords; i++)
        sum = (sum << 5 | sum >> 27) + at[i];
    return sum;
}

static void run(record *r, const state *s)
{
    fill(r->index);
    for (u32 i = 0; i < 8; i++)
        load_registers[i] = s->registers[i];
    load_flags = s->flags;
    load_x87 = (u32)s->uses_x87;
    load_image = (u32 *)s->x87;
    load_code = r->code_at;
    current = r;
    snippet_run();
    if (r->signal == 0) {
        for (u32 i = 0; i < 8; i++)
            r->registers[i] = found_registers[i];
        r->flags = found_flags;
        r->eip = r->code_at + r->size;
        if (s->uses_x87)
            for (u32 i = 0; i < 27; i++)
                r->x87[i] = found_image[i];
    }
    for (u32 w = 0; w < RECORD_WINDOWS; w++)
        r->memory[w] = look(w);
}

/* --- The program --- */

static u32 map(u32 at, u32 pages, u32 rights)
{
    return (u32)guest_syscall(SYS_mmap2, at, pages * PAGE, rights, 0x32 /* private, fixed, anonymous */, -1,
                              0);
}

static void prepare(void)
{
    enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11 };
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};
    static u32 stack[4096];
    const u32 place[3] = {(u32)stack, 0, sizeof stack};
    guest_syscall(SYS_sigaltstack, place, 0);
    for (u32 i = 0; i < 5; i++) {
        enum { SA_SIGINFO = 4, SA_ONSTACK = 0x08000000, SA_NODEFER = 0x40000000, SA_RESTORER = 0x04000000 };
        u32 action[5] = {(u32)snippet_handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER, 0, 0, 0};
        guest_syscall(SYS_rt_sigaction, signals[i], action, 0, 8);
    }
    for (u32 i = 0; i < 256; i++)
        pattern[i] = i % 3 == 0 ? values[i / 3 % 32] : i % 3 == 1 ? i * 0x01010101u : 0x3ff00000u + (i << 12);
    map(CODE, CHUNK * SLOT / PAGE, 7);
    map(DATA, 2, 3);
    map(LAST, 1, 3);
    map(LOW, 2, 3);
    map(STACK, 1, 3);
    u32 *constant = (u32 *)CONSTANT;
    for (u32 i = 0; i < PAGE / 4; i++)
        constant[i] = pattern[i % 256];
    guest_syscall(SYS_mprotect, CONSTANT, PAGE, 1);
}

static u32 number(const char *text)
{
    u32 n = 0;
    while (*text)
        n = n * 10 + (u32)(*text++ - '0');
    return n;
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    if (argc < 3) {
        char text[24];
        guest_print(1, guest_number(text, FORMS));
        guest_print(1, "\n");
        return 0;
    }
    u32 first = number(argv[1]), left = number(argv[2]);
    prepare();
    while (left != 0) {
        u32 count = left < CHUNK ? left : CHUNK;
        for (u32 i = 0; i < count; i++)
            make(first + i, &records[i], &states[i], (u8 *)CODE + i * SLOT);
        for (u32 i = 0; i < count; i++)
            run(&records[i], &states[i]);
        const char *at = (const char *)records;
        u32 bytes = count * sizeof records[0];
        while (bytes != 0) {
            int written = guest_syscall(SYS_write, 1, at, bytes);
            if (written <= 0)
                return 2;
            at += written;
            bytes -= (u32)written;
        }
        first += count;
        left -= count;
    }
    return 0;
}
