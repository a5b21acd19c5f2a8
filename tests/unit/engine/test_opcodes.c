/* Executes every one-byte and two-byte opcode once per ModRM form. An instruction of the processor raises no #UD, makes
 * as many data references as its form says, and continues at the next instruction. Any other raises #UD at its own
 * address and is not retired. The decoder says which of them exist; isa/test_opcodes.c checks it. */
#define _GNU_SOURCE /* memmem */
#include "guest.h"

enum { POINTER = 0x30000, REGISTER_FORMS = 64 };

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

static void execute(guest *g, const uint8_t code[16])
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
    static const uint8_t rsm[] = {0x0f, 0xaa}; /* #UD because of the mode */
    isa_insn insn;
    if (!isa_decode(guest_decoder, code, 16, GUEST_CODE, true, &insn))
        fail_msg("%02x %02x %02x: the decoder wants more bytes", code[0], code[1], code[2]);
    const bool exists = !(insn.flags & ISA_UNDEFINED) && !memmem(code, 3, rsm, 2);
    const bool undefined = g->event_count && g->events[0].vector == 6;
    if (exists == undefined)
        complain(g, code, exists ? "exists but raised #UD" : "does not exist but ran");
    if (undefined && (g->count || g->events[0].eip != GUEST_CODE))
        complain(g, code, "#UD not at the instruction");
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
                uint8_t code[16] = {0};
                unsigned at = 0;
                if (prefix)
                    code[at++] = prefix;
                if (map)
                    code[at++] = 0x0f;
                code[at++] = (uint8_t)opcode;
                code[at] = modrm_of(i);
                execute(&g, code);
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
