/* Runs random snippets of the instructions in forms.h with random registers, flags, x87 state and memory. A Linux
 * program; its output is the same on every processor of the family, except for what the masks in each record leave
 * out. compare.c compares the output of two processors.
 *   snippets FIRST COUNT [STATES [ONLY]]
 *      writes a record for each snippet, or for each of STATES initial states, or only for state ONLY
 *   snippets
 *      prints after how many snippets every encoding was the first of one */
#include "form_kinds.h"
#include "snippet_run.h"

enum { CF = 1, AF = 16, ZF = 64, SF = 128, PF = 4, OF = 0x800, ALL_FLAGS = 0x8d5 };
typedef struct form {
    u8 prefix, escape, opcode, modrm, imm, narrow_imm, kind;
    u16 flags, reads, defines, undefined;
} form;
static const form forms[] = {
#include "forms.h"
};
enum { FORMS = sizeof forms / sizeof forms[0], INSNS = RECORD_INSNS };

static u32 longer; /* this snippet is to get beyond its first instructions */
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

static const u8 __attribute__((aligned(2))) x87_values[][10] = {
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

static void make_x87(u32 *x87)
{
    u16 *image = (u16 *)(x87 + 7);
    u32 control = below(2)   ? 0x37f
                  : below(2) ? 0x340 | (next_random() & 0xc3f)
                             : (next_random() & 0xf3f) | 0x40;
    u32 status = (below(2) ? 0 : below(8) << 11) | (below(4) ? 0 : next_random() & 0x47ff);
    x87[0] = control;
    x87[1] = status;
    x87[2] = below(3) == 0 ? 0 : below(2) ? 0xffff : next_random() & 0xffff;
    x87[3] = x87[4] = x87[5] = x87[6] = 0;
    for (u32 i = 0; i < 8; i++, image += 5) {
        const u16 *value = (const u16 *)x87_values[below(sizeof x87_values / sizeof x87_values[0])];
        for (u32 k = 0; k < 5; k++)
            image[k] = value[k];
        if (below(3) == 0) /* any number of moderate size */
            for (u32 k = 0; k < 4; k++)
                image[k] = (u16)next_random();
    }
}

static u32 put32(u8 *to, u32 value)
{
    for (u32 i = 0; i < 4; i++)
        to[i] = (u8)(value >> 8 * i);
    return 4;
}

/* With 16-bit addresses: nothing is there. */
static u32 put_address16(u8 *to, u32 reg)
{
    u32 n = 0, mod = below(3), rm = below(8), bytes = mod == 0 && rm == 6 ? 2 : mod;
    to[n++] = (u8)(mod << 6 | reg << 3 | rm);
    while (bytes-- > 0)
        to[n++] = (u8)next_random();
    return n;
}

/* ModRM with a memory operand, most of which exist; in a longer snippet, which overwrites what points there,
 * most do not need a register. */
static u32 put_address(u8 *to, u32 reg)
{
    static const u8 pointers[] = {EBX, EBX, EBX, ESI, EDI, EBP};
    u32 n = 0, kind = below(8), base = pointers[below(6)];
    if (longer && below(12)) {
        to[n++] = (u8)(reg << 3 | 5);
        return n + put32(to + n, DATA + (below(4) ? 4 * below(60) : below(240)));
    }
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

static int is_jump(u32 kind)
{
    return kind == JUMP8 || kind == JUMP32 || kind == CALL32 || kind == LOOP_8;
}

/* Writes the prefixes of an instruction and returns their bytes. *narrow: it has 66h; *address16: it has 67h. */
static u32 put_prefixes(u8 *to, const form *f, u32 *narrow, u32 *address16)
{
    u32 n = 0, lock = 0;
    *narrow = *address16 = 0;
    if (!(f->flags & WIDE_ONLY) && below(5) == 0 && f->kind != RET && f->kind != RET_IMM &&
        f->kind != JUMP_INDIRECT && f->kind != CALL_INDIRECT) {
        if (is_jump(f->kind))
            *narrow = below(8) == 0;
        else
            *narrow = !(f->escape && f->kind == SHIFT_CL); /* a count beyond 16 is undefined */
    }
    if (f->flags & LOCKABLE && f->flags & MEMORY && (f->modrm & 0xc0) == 0 && below(12) == 0)
        lock = 1;
    if (!longer && below(40) == 0)
        lock = 1;
    if (f->escape && (f->opcode & 0xfc) == 0x20) /* AMD's name for CR8 */
        lock = 0;
    if (lock)
        to[n++] = 0xf0;
    if (*narrow)
        to[n++] = 0x66;
    if (below(60) == 0 && f->kind == PLAIN) {
        to[n++] = 0x67;
        *address16 = 1;
    }
    if (below(40) == 0) {
        static const u8 segments[] = {0x26, 0x36, 0x3e, 0x2e, 0x64, 0x65};
        to[n++] = segments[below(6)];
    }
    if (!(f->flags & NO_REP) && below(60) == 0 && f->kind == PLAIN)
        to[n++] = (u8)(0xf2 + below(2));
    if (f->prefix)
        to[n++] = f->prefix;
    return n;
}

/* Returns which flags are undefined after an instruction, if `undefined` were before. A shift of an operand of `size`
 * bits by `count` leaves flags defined by its count; `known`: the count is known. */
static u32 undefined_after(const form *f, u32 undefined, u32 count, u32 known, u32 size)
{
    if (f->kind != SHIFT && f->kind != SHIFT_CL)
        return (undefined & ~(u32)f->defines) | f->undefined;
    u32 shifts = f->undefined & AF;
    if (!known)
        return undefined | f->undefined;
    if (count == 0)
        return undefined;
    u32 not = count == 1 ? (shifts ? AF : 0) : f->undefined & (AF | OF);
    if (shifts && count >= size)
        not |= CF | (f->escape ? ALL_FLAGS : 0);
    u32 all = shifts ? ALL_FLAGS : CF | OF;
    return (undefined & ~all) | not ;
}

/* Writes an instruction and returns its bytes. `first`: it is the snippet's first one, so CL is that of `ecx`. Sets
 * *displacement to where the displacement of a jump lies, to be filled in later, and its bytes in bits 8 and up; 0: it
 * is no jump. Updates the undefined flags. */
static u32 put_form(u8 *to, const form *f, u32 first, u32 ecx, u32 *displacement, u32 *undefined)
{
    u32 narrow, address16, n = put_prefixes(to, f, &narrow, &address16);
    *displacement = 0;
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
            n += address16 ? put_address16(to + n, reg) : put_address(to + n, reg);
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
    if (!f->escape && (f->opcode & 0xfc) == 0xa0) { /* moffs */
        value = data_pointer();
        imm = address16 ? 2 : 4;
    }
    if (is_jump(f->kind))
        *displacement = n | imm << 8;
    for (u32 i = 0; i < imm; i++)
        to[n++] = (u8)(value >> 8 * i);
    u32 by = f->kind == SHIFT ? (imm ? value : 1) : ecx;
    *undefined = undefined_after(f, *undefined, by & 31, f->kind == SHIFT || first, size);
    return n;
}

/* Writes the instruction that stores the target of a jump where `f` reads it. *hole is where the target lies, to be
 * filled in later. */
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

static void begin_random(u32 seed)
{
    random_state = seed ? seed : 1;
    for (u32 i = 0; i < 8; i++)
        next_random();
}

static void make_state(record *r)
{
    u32 *registers = r->before;
    for (u32 i = 0; i < 8; i++)
        registers[i] = any_value();
    registers[EBX] = data_pointer();
    registers[ESI] = data_pointer();
    registers[EDI] = data_pointer();
    registers[EBP] = below(3) ? STACK + PAGE - 4 * below(64) : data_pointer();
    registers[ESP] = STACK + PAGE - 16 - 4 * below(96);
    if (below(12) == 0)
        registers[ESP] = STACK + PAGE - 4 - below(12);
    if (below(2))
        registers[EDX] = below(32);
    if (below(2))
        registers[ECX] = below(40);
    u32 flags = (next_random() & ALL_FLAGS) | 0x202;
    if (below(6) == 0)
        flags |= 0x400;
    if (below(50) == 0)
        flags |= 0x100;
    if (below(50) == 0)
        flags |= 0x40000;
    if (below(50) == 0)
        flags |= 0x4000;
    r->flags_before = flags;
}

/* The same snippet in another state. Which flags are undefined depends on CL, which stays. */
static void make_again(u32 number, const record *first, record *r)
{
    begin_random((first->index * 64 + number) * 2654435761u ^ 0x165667b1u);
    r->run = number;
    make_state(r);
    r->before[ECX] = (r->before[ECX] & ~31u) | (first->before[ECX] & 31);
    if (r->uses_x87)
        make_x87(r->x87_before);
}

/* Returns whether a longer snippet is to have the form after its first one: most that fault do not. */
static int goes_on(const form *f)
{
    return !longer || !(f->flags & STOPS || (f->flags & MAY_STOP && below(8)));
}

/* A jump whose target is filled in when the snippet is complete: where its displacement or address lies. */
typedef struct jump {
    u32 at;
    enum { NO_JUMP, RELATIVE8, RELATIVE16, RELATIVE32, ABSOLUTE } kind;
} jump;

/* Writes RET, or a jump or call through a register or memory, after the instruction that stores its target. */
static u32 put_indirect(u8 *to, const form *f, jump *out)
{
    u32 hole, n = put_jump_target(to, f, &hole);
    *out = (jump){hole, ABSOLUTE};
    if (f->kind == RET || f->kind == RET_IMM) {
        to[n++] = f->opcode;
        if (f->kind == RET_IMM) {
            to[n++] = (u8)(4 * below(8));
            to[n++] = 0;
        }
    } else {
        to[n++] = 0xff;
        if ((f->modrm & 0xc0) == 0xc0) {
            to[n++] = (u8)(0xc0 | (f->modrm & 0x38));
        } else {
            to[n++] = (u8)((f->modrm & 0x38) | 5);
            n += put32(to + n, DATA + 0x40);
        }
    }
    return n;
}

/* Directs the jumps to later instructions, so that nothing repeats, but never past one that defines flags. */
static void aim_jumps(const record *r, u8 *code, const u32 *starts, const jump *jumps)
{
    for (u32 i = 0; i < r->count; i++) {
        u32 at = jumps[i].at, target = starts[i + 1 + (r->undefined[i + 1] ? 0 : below(r->count - i))];
        if (jumps[i].kind == RELATIVE8 && target > at + 128)
            target = starts[i + 1];
        if (jumps[i].kind == ABSOLUTE)
            put32(code + at, (u32)code + target);
        else if (jumps[i].kind == RELATIVE8)
            code[at] = (u8)(target - at - 1);
        else if (jumps[i].kind == RELATIVE16)
            code[at] = (u8)(target - at - 2), code[at + 1] = (u8)((target - at - 2) >> 8);
        else if (jumps[i].kind == RELATIVE32)
            put32(code + at, target - at - 4);
    }
}

/* Makes snippet number `index`: its instructions at `code`, and the state in which it begins. */
static void make(u32 index, record *r, u8 *code)
{
    static const record nothing;
    begin_random(index * 2654435761u ^ 0x5bd1e995u);
    *r = nothing;
    r->index = index;
    longer = index / FORMS % 2;
    make_state(r);

    u32 n = 0, undefined = 0, last_bit = 0, count = 1 + below(longer ? INSNS : 6), starts[INSNS + 1];
    jump jumps[INSNS] = {{0, NO_JUMP}};
    code[n++] = 0x9d; /* popf */
    for (u32 i = 0; i < count; i++) {
        enum { MOST = 40 }; /* bytes of an instruction with what it needs */
        const form *f = &forms[i == 0 ? index % FORMS : below(FORMS)];
        u32 displacement, before = n;
        if (n + MOST > RECORD_CODE) {
            count = i;
            break;
        }
        while (f->reads & undefined || (last_bit && f->flags & X87) || (i > 0 && !goes_on(f)) ||
               (i > 0 && f->kind == PLAIN && f->flags & X87 && !r->uses_x87 && below(4)))
            f = &forms[below(FORMS)];
        if (i > 0 && r->uses_x87 && !(f->flags & X87) && below(2)) {
            i--;
            continue;
        }
        r->uses_x87 |= (f->flags & X87) != 0;
        last_bit |= f->flags & LAST_BIT;
        starts[i] = n;
        r->starts[i] = (u16)n;
        r->undefined[i] = (u16)undefined;
        if (f->kind == RET || f->kind == RET_IMM || f->kind == JUMP_INDIRECT || f->kind == CALL_INDIRECT) {
            n += put_indirect(code + n, f, &jumps[i]);
            jumps[i].at += before;
            continue;
        }
        n += put_form(code + n, f, i == 0, r->before[ECX], &displacement, &undefined);
        if (!f->escape && (f->opcode == 0xd9 || f->opcode == 0xdd) && (f->modrm & 0xf8) == 0x30) {
            /* what FNSTENV and FNSAVE store differs between processors; no instruction reads it */
            count = i + 1;
            r->stores_x87 = 1;
        }
        if (displacement)
            jumps[i] = (jump){before + (displacement & 0xff), displacement >> 8 == 1   ? RELATIVE8
                                                              : displacement >> 8 == 2 ? RELATIVE16
                                                                                       : RELATIVE32};
    }
    r->starts[count] = (u16)n;
    r->undefined[count] = (u16)undefined;
    r->count = (u16)count;
    starts[count] = n;
    aim_jumps(r, code, starts, jumps);
    r->size = (u16)n;
    for (u32 i = 0; i < n && i < sizeof r->code; i++)
        r->code[i] = code[i];
    code[n++] = 0xe9;
    put32(code + n, (u32)snippet_exit - (u32)(code + n + 4));
    r->code_at = (u32)code;
    if (r->uses_x87)
        make_x87(r->x87_before);
}

/* --- The program --- */

static u32 number(const char *text)
{
    u32 n = 0;
    while (*text)
        n = n * 10 + (u32)(*text++ - '0');
    return n;
}

static u32 first, left, runs, only_run = ~0u;
static record batch[64], *batch_end = batch; /* not yet written */
static void write_batch(void)
{
    const u8 *at = (const u8 *)batch;
    for (int n; at < (const u8 *)batch_end; at += n)
        if ((n = guest_syscall(SYS_write, 1, at, (const u8 *)batch_end - at)) <= 0)
            guest_syscall(SYS_exit, 2);
    batch_end = batch;
}
static void run_in(const record *snippet, u32 number)
{
    record *r = batch_end;
    if (only_run != ~0u && only_run != number)
        return;
    copy(r, snippet, sizeof *r - sizeof r->memory);
    if (number != 0)
        make_again(number, snippet, r);
    fill(snippet->index);
    run_filled(r);
    u32 *to = r->memory;
    for (u32 i = 0; i < RECORD_WINDOWS; to += windows[i].size / 4, i++)
        copy(to, (const void *)windows[i].at, windows[i].size);
    if (++batch_end == batch + sizeof batch / sizeof batch[0])
        write_batch();
}

static void run_all(void)
{
    static record snippets[SLOTS] __attribute__((aligned(PAGE))); /* which none may store to */
    enum { READ = 1, WRITE = 2 };
    run_prepare();
    while (left != 0) {
        u32 count = left < SLOTS ? left : SLOTS;
        guest_syscall(SYS_mprotect, snippets, sizeof snippets, READ | WRITE);
        for (u32 i = 0; i < count; i++)
            make(first + i, &snippets[i], (u8 *)CODE + i * SLOT);
        guest_syscall(SYS_mprotect, snippets, sizeof snippets, READ);
        for (u32 i = 0; i < count; i++)
            for (u32 k = 0; k < runs; k++)
                run_in(&snippets[i], k);
        first += count;
        left -= count;
    }
    write_batch();
    guest_syscall(SYS_exit, 0);
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
    first = number(argv[1]);
    left = number(argv[2]);
    runs = argc > 3 ? number(argv[3]) : 1;
    if (argc > 4)
        only_run = number(argv[4]);
    run_apart(run_all);
    return 0;
}
