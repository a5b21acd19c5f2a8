/* Blocks that Unicorn ends earlier than planned: after PAUSE, after a load of SS, with TF set. The block with the
 * instruction at the plan's end, and no other, gets what that instruction needs. */
#include "guest.h"

GUEST(pause, "pause\n nop");
GUEST(pop_ss, "push ss\n pop ss\n nop");
GUEST(move_ss, "mov eax, ss\n mov ss, eax\n nop");
GUEST(trap, "pushf\n or dword ptr [esp], 0x100\n popf\n nop\n nop");
GUEST(resume, "iretd");

GUEST(popa, "popa");
GUEST(pusha, "pusha");
GUEST(bsf, "bsf eax, ecx");
GUEST(bsr, "bsr eax, ecx");
GUEST(rotate, "rcl eax, cl");
GUEST(string, "rep movsb");
GUEST(mark, ".byte 0x64, 0x67, 0x90");
GUEST(halt, "nop\n nop\n hlt");

typedef struct piece {
    const uint8_t *code, *end;
} piece;
#define PIECE(name)                                                                                          \
    {                                                                                                        \
        name, name##_end                                                                                     \
    }

static const piece starts[] = {PIECE(pause), PIECE(pop_ss), PIECE(move_ss), PIECE(trap)};

typedef struct last {
    piece code;
    unsigned accesses, values;
    uint32_t repeats;
} last;
static const last lasts[] = {{PIECE(popa), 8, 0, 0}, {PIECE(pusha), 8, 0, 0},  {PIECE(bsf), 0, 1, 0},
                             {PIECE(bsr), 0, 1, 0},  {PIECE(rotate), 0, 1, 0}, {PIECE(string), 4, 0, 2},
                             {PIECE(mark), 0, 0, 0}};

/* `nops` stand between the start and the last instruction: it is planned as the second of a block, or the
 * third, ... */
static void run_cut(const piece *start, const last *l, unsigned nops)
{
    OPEN_GUEST(g);
    uint32_t at = GUEST_CODE;
    guest_put(&g, at, start->code, start->end);
    at += (uint32_t)(start->end - start->code);
    memset(engine_ram(g.e, at, nops), 0x90, nops);
    at += nops;
    const uint32_t where = at;
    guest_put(&g, at, l->code.code, l->code.end);
    at += (uint32_t)(l->code.end - l->code.code);
    guest_put(&g, at, halt, halt_end);
    guest_put(&g, GUEST_HANDLERS + 16, resume, resume_end);
    engine_set(g.e, ENGINE_ECX, 2);
    engine_set(g.e, ENGINE_ESI, GUEST_DATA);
    engine_set(g.e, ENGINE_EDI, GUEST_DATA + 0x100);
    guest_run(&g, ENGINE_HALTED);
    unsigned found = 0, accesses = 0, values = 0, repeats = 0;
    for (unsigned i = 0; i < g.count; i++) { /* a trap stands between iterations, too: parts of a string */
        const guest_insn *insn = &g.insns[i];
        if (insn->address != where)
            continue;
        found += !insn->part;
        accesses += insn->accesses;
        values += insn->values;
        repeats += insn->repeats;
    }
    assert_int_equal(accesses, l->accesses);
    assert_int_equal(values, l->values);
    assert_int_equal(repeats, l->repeats);
    assert_int_equal(found, 1);
}

TEST(test_cut)
{
    for (unsigned s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (unsigned l = 0; l < sizeof lasts / sizeof lasts[0]; l++) {
            for (unsigned nops = 0; nops < 3; nops++)
                run_cut(&starts[s], &lasts[l], nops);
        }
    }
}

/* POPA reads the slot of ESP, too: in order, and across a page's end. */
TEST(test_popped)
{
    OPEN_GUEST(g);
    uint32_t esp = GUEST_STACK - 12;
    guest_put(&g, GUEST_CODE, pause, pause_end);
    guest_put(&g, GUEST_CODE + 3, popa, popa_end);
    guest_put(&g, GUEST_CODE + 4, halt, halt_end);
    engine_set(g.e, ENGINE_ESP, esp);
    guest_run(&g, ENGINE_HALTED);
    for (unsigned i = 0; i < 8; i++)
        guest_expect_access(&g, 2, i, esp + 4 * i, 4, 0);
}

/* What overwrites itself is executed with the flags that there were. */
GUEST_TEST(rotate_itself, "mov edi, 0x10007\n xor eax, eax\n rcl word ptr [edi], 1\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, GUEST_CODE + 7) & 0xffff, (0xd166 * 2) & 0xffff);
}

GUEST_TEST(rotate_itself_with_carry, "mov edi, 0x10006\n stc\n rcl word ptr [edi], 1\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, GUEST_CODE + 6) & 0xffff, ((0xd166 * 2) & 0xffff) | 1);
}
