/* Executes every one-byte and two-byte opcode once per ModRM form. An instruction of the processor raises no #UD, makes
 * as many data references as its form says, and continues at the next instruction. Any other raises #UD at its own
 * address and is not retired. The table of existing instructions is the manual's opcode map, written a second time. */
#define _GNU_SOURCE /* memmem */
#include "guest.h"

enum { POINTER = 0x30000, REGISTER_FORMS = 64 };

/* Second opcode bytes that the P5 has after 0Fh, by row; 'x' both processors, 'm' P55C only (MMX, RDPMC), '.'
 * neither, 'g' depends on ModRM. */
static const char *const two_byte[16] = {
    "ggxx..x.xx.u....",                     /* 0_: 0B is the reserved #UD */
    "................", "cxcx............", /* 2_: MOV CR, MOV DR; 24h and 26h (test registers) are gone */
    "xxxm............", "................", "................", "mmmmmmmmmmmm..mm", ".hhhmmmm......mm",
    "xxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxx", "xxxxxx..xxrxxx.x", /* A_: AA is RSM, #UD outside SMM; A6, A7 and
                                                                   AE do not exist */
    "xxlxllxx..gxxxxx",                                         /* B_: far pointer loads need memory */
    "xx.....gxxxxxxxx", ".mmm.m..mm.mmm.m", ".mm..m..mm.mmm.m", ".mmm.m..mmm.mmm.",
};

static bool exists_two_byte(unsigned opcode, uint8_t modrm, unsigned family)
{
    unsigned reg = modrm >> 3 & 7;
    bool memory = modrm < 0xc0, p55c = family == P5_FAMILY_P55C;
    switch (two_byte[opcode >> 4][opcode & 15]) {
    case 'x':
        return true;
    case 'm':
        return p55c;
    case 'l':
        return memory;
    case 'h': /* MMX shifts by an immediate */
        return p55c && !memory && (opcode == 0x73 ? reg == 2 || reg == 6 : reg == 2 || reg == 4 || reg == 6);
    case 'c':
        return reg == 0 || reg == 2 || reg == 3 || reg == 4;
    case 'g':
        switch (opcode) {
        case 0x00:
            return reg < 6;
        case 0x01:
            return memory ? reg != 5 : reg == 4 || reg == 6;
        case 0xba:
            return reg >= 4;
        default:
            return memory && reg == 1; /* 0F C7: CMPXCHG8B */
        }
    default:
        return false;
    }
}

static bool exists_one_byte(unsigned opcode, uint8_t modrm)
{
    unsigned reg = modrm >> 3 & 7;
    bool memory = modrm < 0xc0;
    switch (opcode) {
    case 0x62:
    case 0x8d:
    case 0xc4:
    case 0xc5:
        return memory;
    case 0x8c:
        return reg < 6;
    case 0x8e:
        return reg < 6 && reg != 1;
    case 0x8f:
    case 0xc6:
    case 0xc7:
        return reg == 0;
    case 0xfe:
        return reg < 2;
    case 0xff:
        return reg != 7 && (memory || (reg != 3 && reg != 5));
    default:
        return true;
    }
}

/* The reserved encodings of the x87 with a register operand. */
static bool exists_x87(unsigned opcode, uint8_t modrm)
{
    unsigned reg = modrm >> 3 & 7;
    if (modrm < 0xc0)
        return !((opcode == 0xd9 && reg == 1) || (opcode == 0xdb && (reg == 1 || reg == 4 || reg == 6)) ||
                 ((opcode == 0xdd || opcode == 0xdf) && reg == 1) || (opcode == 0xdd && reg == 5));
    switch (opcode) {
    case 0xd9:
        return reg < 2 || modrm == 0xd0 || reg == 3 ||
               (reg >= 4 && modrm != 0xe2 && modrm != 0xe3 && modrm != 0xe6 && modrm != 0xe7 &&
                modrm != 0xef);
    case 0xda:
        return modrm == 0xe9;
    case 0xdb:
        return modrm >= 0xe0 && modrm <= 0xe4;
    case 0xdd:
        return reg < 6;
    case 0xde:
        return reg != 3 || modrm == 0xd9;
    case 0xdf:
        return reg < 4 || modrm == 0xe0;
    default:
        return true;
    }
}

/* LOCK is only for read-modify-writes in memory. Manual: LOCK. */
static bool lockable(unsigned map, unsigned opcode, uint8_t modrm)
{
    unsigned reg = modrm >> 3 & 7;
    if (modrm >= 0xc0)
        return false;
    if (map)
        return opcode == 0xab || opcode == 0xb3 || opcode == 0xbb || (opcode == 0xba && reg >= 5) ||
               opcode == 0xb0 || opcode == 0xb1 || opcode == 0xc0 || opcode == 0xc1 ||
               (opcode == 0xc7 && reg == 1);
    if (opcode < 0x38)
        return (opcode & 7) < 2;
    return (opcode >= 0x80 && opcode <= 0x83 && reg != 7) || opcode == 0x86 || opcode == 0x87 ||
           ((opcode & 0xfe) == 0xf6 && (reg == 2 || reg == 3)) || ((opcode & 0xfe) == 0xfe && reg < 2);
}

/* What a prefix takes away: on later processors 66h, F2h and F3h make SSE instructions of MMX ones. */
static bool exists_with(uint8_t prefix, unsigned map, unsigned opcode, uint8_t modrm)
{
    if (prefix == 0xf0)
        return lockable(map, opcode, modrm);
    char kind = map ? two_byte[opcode >> 4][opcode & 15] : 'x';
    return !prefix || kind != 'h' ? !(prefix && kind == 'm' && opcode != 0x33) : false;
}

static engine_action stop_after_one(guest *g)
{
    return g->count ? ENGINE_STOP : ENGINE_CONTINUE;
}

static engine_action stop_at_event(guest *g, const engine_event *event)
{
    (void)g, (void)event;
    return ENGINE_STOP;
}

/* Control registers stay as they are: the owner refuses to change them. */
static engine_action keep_control(guest *g, engine_special_call *call)
{
    (void)g;
    call->vector = 13;
    call->error_code = 0;
    return call->which == ENGINE_MOV_TO_CR ? ENGINE_FAULT : ENGINE_CONTINUE;
}

static unsigned mismatches;

static void complain(const guest *g, const uint8_t *code, const char *what)
{
    if (mismatches++ < 40)
        print_error("%02x %02x %02x %02x: %s (%u retired, %u events, vector %u, EIP %08x)\n", code[0],
                    code[1], code[2], code[3], what, g->count, g->event_count,
                    g->event_count ? g->events[0].vector : 0, engine_get(g->e, ENGINE_EIP));
}

static void execute(guest *g, const uint8_t code[16], bool exists)
{
    static uint8_t fresh_x87[108] = {0x7f, 3, 0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff};
    memset(engine_ram(g->e, POINTER - 0x1000, 0x3000), 0, 0x3000);
    memset(engine_ram(g->e, GUEST_STACK - 0x200, 0x400), 0, 0x400);
    memcpy(engine_ram(g->e, GUEST_CODE, 16), code, 16);
    engine_flush_code(g->e, GUEST_CODE, 16);
    engine_set(g->e, ENGINE_EFLAGS, 2);
    guest_enter(g, 0, GUEST_CODE, GUEST_STACK);
    engine_set_table(g->e, true, GUEST_IDT, 0x7ff);
    engine_set_table(g->e, false, GUEST_GDT, 0x3f);
    engine_set_x87(g->e, fresh_x87);
    for (engine_register r = ENGINE_EAX; r <= ENGINE_EDI; r++) {
        if (r != ENGINE_ESP)
            engine_set(g->e, r, POINTER);
    }
    engine_set(g->e, ENGINE_ECX, 2);
    g->count = g->event_count = g->access_count = g->special_count = g->port_count = g->value_count = 0;
    engine_stop stop = engine_run(g->e);
    if (stop == ENGINE_FAILED)
        fail_msg("%02x %02x %02x %02x: %s", code[0], code[1], code[2], code[3], engine_failure(g->e));
    bool undefined = g->event_count && g->events[0].vector == 6;
    if (exists == undefined)
        complain(g, code, exists ? "exists but raised #UD" : "does not exist but ran");
    if (undefined && (g->count || g->events[0].eip != GUEST_CODE))
        complain(g, code, "#UD not at the instruction");
    static const uint8_t rsm[] = {0x0f, 0xaa}; /* #UD because of the mode */
    isa_insn insn;
    if (!isa_decode(guest_decoder, code, 16, GUEST_CODE, true, &insn) ||
        (!(insn.flags & ISA_UNDEFINED) != exists && !memmem(code, 3, rsm, 2)))
        complain(g, code, "the decoder disagrees");
    bool straight = isa_forms[insn.form].branch == ISA_NOT_BRANCH && !(insn.flags & ISA_STRING);
    if (exists && !g->event_count && g->count && straight &&
        g->insns[0].next != (uint32_t)GUEST_CODE + insn.length)
        complain(g, code, "did not continue at the next instruction");
}

/* ModRM bytes to try: each reg field with [EAX], and each register form. */
static uint8_t modrm_of(unsigned i)
{
    return (uint8_t)(i < 8 ? i << 3 : 0xc0 + (i - 8));
}

static bool is_prefix(unsigned opcode)
{
    return opcode == 0x0f || opcode == 0x26 || opcode == 0x2e || opcode == 0x36 || opcode == 0x3e ||
           (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 || opcode == 0xf2 || opcode == 0xf3;
}

static void all_opcodes(unsigned family, uint8_t prefix)
{
    OPEN_GUEST_AS(g, family, false);
    g.attention = stop_after_one;
    g.event = stop_at_event;
    g.special = keep_control;
    g.collect = true;
    engine_step_mode(g.e, true);
    mismatches = 0;
    for (unsigned map = 0; map < 2; map++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            if (map == 0 && is_prefix(opcode))
                continue;
            for (unsigned i = 0; i < 8 + REGISTER_FORMS; i++) {
                uint8_t code[16] = {0}, modrm = modrm_of(i);
                unsigned at = 0;
                if (prefix)
                    code[at++] = prefix;
                if (map)
                    code[at++] = 0x0f;
                code[at++] = (uint8_t)opcode;
                code[at] = modrm;
                bool exists = map                                ? exists_two_byte(opcode, modrm, family)
                              : opcode >= 0xd8 && opcode <= 0xdf ? exists_x87(opcode, modrm)
                                                                 : exists_one_byte(opcode, modrm);
                execute(&g, code, exists && exists_with(prefix, map, opcode, modrm));
            }
        }
    }
    mismatches += g.complaints;
    if (mismatches)
        fail_msg("family %u, prefix %02x: %u mismatches", family, prefix, mismatches);
}

TEST(test_p54c)
{
    all_opcodes(P5_FAMILY_P54C, 0);
}

TEST(test_p55c)
{
    all_opcodes(P5_FAMILY_P55C, 0);
}

TEST(test_prefixes)
{
    all_opcodes(P5_FAMILY_P55C, 0x66);
    all_opcodes(P5_FAMILY_P55C, 0xf3);
    all_opcodes(P5_FAMILY_P55C, 0xf0);
}

/* Instructions of the next processor run only when they are let, and are counted each time. */
GUEST(later, "mov ecx, 10\n mov ebx, 7\n 1: cmp ecx, 5\n cmove eax, ebx\n dec ecx\n jnz 1b\n hlt");

TEST(test_permissive)
{
    OPEN_GUEST_AS(g, P5_FAMILY_P55C, true);
    GUEST_LOAD(&g, later);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(engine_get(g.e, ENGINE_EAX), 7);
    assert_int_equal(engine_permissive_count(g.e), 10);
    assert_int_equal(g.event_count, 0);
}

TEST_OF_GUEST(test_not_permissive, later)
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 6);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 13);
    assert_int_equal(engine_permissive_count(g->e), 0);
}

/* FCMOVcc moves a register that the instructions before it have loaded, if the condition holds. */
GUEST(x87_moves,
      "mov dword ptr [0x30000], 3\n mov dword ptr [0x30004], 4\n fninit\n fild dword ptr [0x30000]\n "
      "fild dword ptr [0x30004]\n stc\n fcmovnb st, st(1)\n fist dword ptr [0x30008]\n fcmovb st, st(1)\n "
      "fistp dword ptr [0x3000c]\n fldz\n fcomi st, st(1)\n fcmovbe st, st(1)\n fistp dword ptr [0x30010]\n "
      "mov ebx, [0x30008]\n mov ecx, [0x3000c]\n mov edx, [0x30010]\n hlt");

TEST(test_x87_moves)
{
    OPEN_GUEST_AS(g, P5_FAMILY_P55C, true);
    GUEST_LOAD(&g, x87_moves);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(engine_get(g.e, ENGINE_EBX), 4);
    assert_int_equal(engine_get(g.e, ENGINE_ECX), 3);
    assert_int_equal(engine_get(g.e, ENGINE_EDX), 3);
}

/* FCOMI is invalid for a quiet NaN, FUCOMI is not; both set ZF, PF and CF. */
GUEST(x87_compares,
      "mov dword ptr [0x30000], 0x7fc00000\n fninit\n fld dword ptr [0x30000]\n fucomi st, st(0)\n pushfd\n "
      "pop ecx\n fnstsw ax\n mov ebx, eax\n fcomi st, st(0)\n pushfd\n pop edx\n fnstsw ax\n hlt");

TEST(test_x87_compares)
{
    enum { IE = 1, ZF_PF_CF = 0x45 };
    OPEN_GUEST_AS(g, P5_FAMILY_P55C, true);
    GUEST_LOAD(&g, x87_compares);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(engine_get(g.e, ENGINE_ECX) & ZF_PF_CF, ZF_PF_CF);
    assert_int_equal(engine_get(g.e, ENGINE_EDX) & ZF_PF_CF, ZF_PF_CF);
    assert_int_equal(engine_get(g.e, ENGINE_EBX) & IE, 0);
    assert_int_equal(engine_get(g.e, ENGINE_EAX) & IE, IE);
}

/* Rotations by a count of which the translator finds out that it is 0, or knows nothing, or that it is more
 * than the operand has bits. */
GUEST_TEST(rotations,
           "mov ecx, 0x0ee00000\n mov cx, 0\n rol dword ptr [0x30000], cl\n rol eax, cl\n rol ax, cl\n "
           "mov cl, [0x30010]\n rol dword ptr [0x30004], cl\n rol ebx, cl\n rol dx, cl\n rol dh, cl\n "
           "rol esi, 31\n hlt")
{
    const uint32_t value = 0x81234567;
    const uint8_t count = 0x24; /* 4 */
    memcpy(engine_ram(g->e, 0x30000, 4), &value, 4);
    memcpy(engine_ram(g->e, 0x30004, 4), &value, 4);
    memcpy(engine_ram(g->e, 0x30010, 1), &count, 1);
    for (unsigned id = ENGINE_EAX; id <= ENGINE_ESI; id++)
        if (id != ENGINE_ESP)
            engine_set(g->e, id, value);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, 0x30000), 0x81234567);
    assert_int_equal(guest_peek32(g, 0x30004), 0x12345678);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0x81234567);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 0x12345678);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 0x81236574); /* 4567 -> 5674, then 56 -> 65 */
    assert_int_equal(engine_get(g->e, ENGINE_ESI), 0xc091a2b3);
}
