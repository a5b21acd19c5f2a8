/* The x87 against the host's own: every instruction on random and special operands, with random control
 * words, sticky flags and empty registers; registers, tags, status word and memory operand must be the same.
 * P5SCOPE_X87_ROUNDS=N takes N times as many cases: 2000 of them are 10^6 of each instruction and rounding
 * mode. */
#include <sys/mman.h>

#include "x87_cases.h"

enum { CASES = 2000 };

TEST(test_differential)
{
    OPEN_GUEST(g);
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *before = malloc((size_t)CASES * RECORD), *host = malloc((size_t)CASES * RECORD);
    const char *wanted = getenv("P5SCOPE_X87_ROUNDS");
    const unsigned long rounds = wanted ? strtoul(wanted, NULL, 10) : 1,
                        forms = sizeof insns / sizeof insns[0];
    unsigned long total = 0, wrong = 0;
    for (unsigned long n = 0; n < rounds * forms; n++) {
        const x87_insn *insn = &insns[n % forms];
        uint8_t *records = engine_ram(g.e, RECORDS, CASES * RECORD);
        for (unsigned i = 0; i < CASES; i++)
            random_record(before + i * RECORD, insn);
        memcpy(host, before, (size_t)CASES * RECORD);
        memcpy(records, before, (size_t)CASES * RECORD);
        host_code *code = assemble_host(page, insn->bytes, insn->size);
        for (unsigned i = 0; i < CASES; i++)
            run_host(code, insn, host + i * RECORD);
        assemble_guest(&g, insn->bytes, insn->size);
        engine_set(g.e, ENGINE_EIP, GUEST_CODE);
        engine_set(g.e, ENGINE_ESI, RECORDS);
        engine_set(g.e, ENGINE_EBX, CASES);
        g.count = g.access_count = g.value_count = 0;
        guest_run(&g, ENGINE_HALTED);
        unsigned differing = 0;
        for (unsigned i = 0; i < CASES; i++) {
            const uint8_t *h = host + i * RECORD, *r = records + i * RECORD;
            if (!same(h, r) && !(transcendental(insn) && nearly_same(h, r)) && differing++ == 0) {
                print_error("%s, case %u\n", insn->name, i);
                show("before", before + i * RECORD);
                show("host", h);
                show("guest", r);
            }
        }
        if (differing)
            print_error("%s: %u of %u differ\n", insn->name, differing, CASES);
        total += CASES;
        wrong += differing;
    }
    munmap(page, 4096);
    free(before);
    free(host);
    assert_true(total >= 100000);
    if (wrong)
        fail_msg("%lu of %lu cases differ from the host's x87", wrong, total);
}

/* --- What the comparison with the host does not show --- */

/* An unmasked division by zero waits for the next waiting instruction: its #MF, with nothing retired of it;
 * FNSTSW before does not wait. */
GUEST(pending,
      "fninit\n push 0x37b\n fldcw [esp]\n fld1\n fldz\n fdivp st(1), st\n fnstsw ax\n nop\n fld1\n hlt");
GUEST(pending_mmx,
      "fninit\n push 0x37b\n fldcw [esp]\n fld1\n fldz\n fdivp st(1), st\n nop\n movd mm0, eax\n hlt");

static void math_fault(const uint8_t *code, const uint8_t *end, unsigned retired)
{
    OPEN_GUEST(g);
    guest_put(&g, GUEST_CODE, code, end);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(g.event_count, 1);
    assert_int_equal(g.events[0].vector, 16);
    assert_int_equal(g.count, retired + 1);
    assert_int_equal(g.events[0].eip, g.insns[retired - 1].address + 1); /* after the NOP */
    uint8_t image[108];
    engine_get_x87(g.e, image);
    assert_int_equal(image[4] & 0x84, 0x84); /* ES, ZE */
    assert_int_equal(image[5] >> 3 & 7, 6);  /* the operands are still there */
}

TEST(test_pending)
{
    math_fault(pending, pending_end, 8);
    math_fault(pending_mmx, pending_mmx_end, 7);
}

/* FNSTENV masks all exceptions, FNSAVE leaves the state of FNINIT; in 16-bit code seven words. */
GUEST_TEST(environment,
           "fninit\n fld1\n push 0x340\n fldcw [esp]\n fnstenv [0x30000]\n fnstcw [0x30100]\n .byte "
           "0x66\n fnstenv [0x30200]\n fnsave [0x30300]\n"
           "fnstcw [0x30102]\n fldenv [0x30000]\n fnstcw [0x30104]\n frstor [0x30300]\n fstp qword "
           "ptr [0x30400]\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, 0x30000), 0xffff0340);
    assert_int_equal(guest_peek32(g, 0x30004) & 0xffff, 0x3800);
    assert_int_equal(guest_peek32(g, 0x30008) & 0xffff, 0x3fff);
    assert_int_equal(guest_peek32(g, 0x30010) & 0xffff, GUEST_CODE0);
    assert_int_equal(guest_peek32(g, 0x30100), 0x037f037f);
    assert_int_equal(guest_peek32(g, 0x30104) & 0xffff, 0x340);
    assert_int_equal(guest_peek32(g, 0x30200), 0x3800037f);
    assert_int_equal(guest_peek32(g, 0x30404), 0x3ff00000);
    for (unsigned i = 0; i < 7; i++) {
        guest_expect_access(g, 4, i, 0x30000 + 4 * i, 4, P5_ACCESS_WRITE);
        guest_expect_access(g, 6, i, 0x30200 + 2 * i, 2, P5_ACCESS_WRITE);
    }
}

/* The environment has the opcode of the last instruction that is no control instruction: the low bits of the first byte, and the
 * second byte. FNINIT and FLDENV set it. */
GUEST_TEST(
    opcode,
    "fninit\n fnstenv [0x30000]\n fld1\n fnstenv [0x30020]\n .byte 0x3e\n fadd qword ptr [0x30200]\n fnstenv "
    "[0x30040]\n fldz\n faddp st(1), st\n fnclex\n fnstcw [0x30210]\n fnstsw ax\n fnstenv [0x30060]\n fldenv "
    "[0x30020]\n fnstenv [0x30080]\n fxch st(1)\n fnsave [0x300a0]\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    /* D9 E8, DC 05, DE C1, D9 E8 as loaded, D9 C9 */
    static const uint16_t expected[] = {0, 0x1e8, 0x405, 0x6c1, 0x1e8, 0x1c9};
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(guest_peek32(g, 0x30010 + 0x20 * i) >> 16, expected[i]);
}

/* The owner's image has that opcode, too. */
GUEST_TEST(opcode_of_image, "fld1\n hlt")
{
    uint8_t image[108];
    guest_run(g, ENGINE_HALTED);
    engine_get_x87(g->e, image);
    assert_int_equal(image[18] | image[19] << 8, 0x1e8); /* D9 E8 */
}

GUEST_TEST(opcode_from_image, "fnstenv [0x30000]\n hlt")
{
    uint8_t image[108];
    const uint16_t fxch = 0x1c9;
    engine_get_x87(g->e, image);
    memcpy(image + 18, &fxch, sizeof fxch);
    engine_set_x87(g->e, image);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, 0x30010) >> 16, fxch);
}

/* Safe instruction recognition: doubles and zero are safe; large exponents, infinities and unmasked inexact
 * are not; the window is the processor's. */
GUEST(recognition, "fld tbyte ptr [0x30000]\n fld1\n fadd st, st\n fadd st(1), st\n fmul st, st(1)\n hlt");
/* Results of safe operands become unsafe. */
GUEST(growing,
      "fld tbyte ptr [0x30000]\n fadd st, st\n fadd st, st\n fadd st, st\n fsub st, st\n fadd st, st\n hlt");
GUEST(
    vanishing,
    "fld tbyte ptr [0x30000]\n fld tbyte ptr [0x30010]\n fsubp st(1), st\n fadd st, st\n fmul st, st\n hlt");

static void unsafe_in(const uint8_t *code, const uint8_t *end, unsigned family, uint16_t exponent,
                      uint64_t mantissa, const char *expected)
{
    OPEN_GUEST_AS(g, family, false);
    guest_put(&g, GUEST_CODE, code, end);
    uint8_t image[108] = {0x7f, 3, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const uint64_t power = 1ull << 63;
    engine_set_x87(g.e, image);
    memcpy(engine_ram(g.e, 0x30000, 8), &mantissa, 8);
    memcpy(engine_ram(g.e, 0x30008, 2), &exponent, 2);
    memcpy(engine_ram(g.e, 0x30010, 8), &power, 8); /* the power of two below */
    memcpy(engine_ram(g.e, 0x30018, 2), &exponent, 2);
    guest_run(&g, ENGINE_HALTED);
    for (unsigned i = 0; expected[i]; i++) {
        if (g.insns[i].unsafe != (expected[i] == '1'))
            fail_msg("family %u, exponent %04x: instruction %u unsafe %u, expected %c", family, exponent, i,
                     g.insns[i].unsafe, expected[i]);
    }
}

static void unsafe_mask(unsigned family, uint16_t exponent, uint64_t mantissa, const char *expected)
{
    unsafe_in(recognition, recognition_end, family, exponent, mantissa, expected);
}

TEST(test_unsafe)
{
    unsafe_mask(P5_FAMILY_P55C, 0x3fff, 1ull << 63, "000000");
    unsafe_mask(P5_FAMILY_P55C, 0, 0, "000000");
    unsafe_mask(P5_FAMILY_P55C, 0x7fff, 1ull << 63, "000110");
    unsafe_mask(P5_FAMILY_P55C, 0x3fff + 0x1000, 1ull << 63, "000000");
    unsafe_mask(P5_FAMILY_P55C, 0x3fff + 0x1001, 1ull << 63, "000110");
    unsafe_mask(P5_FAMILY_P54C, 0x3fff + 0x1001, 1ull << 63, "000000");
    unsafe_mask(P5_FAMILY_P54C, 0x3fff + 0x1ffe, 1ull << 63, "000000");
    unsafe_mask(P5_FAMILY_P54C, 0x3fff + 0x1fff, 1ull << 63, "000110");
    unsafe_mask(P5_FAMILY_P55C, 0x3fff - 0x0fff, 1ull << 63, "000000");
    /* 2^4095 and 2^4096 are safe, 2^4097 is not, and neither is 2^8190 * 2; zero always is */
    unsafe_in(growing, growing_end, P5_FAMILY_P55C, 0x3fff + 0x0fff, 1ull << 63, "0001100");
    unsafe_in(growing, growing_end, P5_FAMILY_P54C, 0x3fff + 0x1ffd, 1ull << 63, "0001100");
    /* 2^-e (1 + 2^-63) - 2^-e = 2^-(e + 63) */
    unsafe_in(vanishing, vanishing_end, P5_FAMILY_P55C, 0x3fff - 0x0fff, 1ull << 63 | 1, "000110");
    unsafe_in(vanishing, vanishing_end, P5_FAMILY_P55C, 0x3fff - 0x0fc0, 1ull << 63 | 1, "000000");
    unsafe_in(vanishing, vanishing_end, P5_FAMILY_P55C, 0x3fff - 0x0fc1, 1ull << 63 | 1, "000100");
}

/* Operands of instructions whose clocks depend on them. */
GUEST_TEST(values,
           "fninit\n push 4\n fild dword ptr [esp]\n fld1\n fdiv st, st(1)\n fdivr dword ptr [0x30000]\n "
           "fsqrt\n fsin\n hlt")
{
    guest_poke32(g, 0x30000, 0x41200000); /* 10.0f */
    guest_run(g, ENGINE_HALTED);
    static const double expected[][2] = {{1, 4}, {0.25, 10}, {40, 0}};
    assert_int_equal(g->value_count, 4);
    for (unsigned i = 0; i < 3; i++) {
        double a, b;
        memcpy(&a, &g->values[i].a, 8);
        memcpy(&b, &g->values[i].b, 8);
        assert_int_equal(g->values[i].kind, ISA_VALUE_X87);
        assert_int_equal(g->values[i].fpu_control, 0x37f);
        if (a != expected[i][0] || b != expected[i][1])
            fail_msg("value %u: %g, %g", i, a, b);
    }
}
