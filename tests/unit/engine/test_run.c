/* Running code: the retired stream of plain instructions, REP strings, page crossings and HLT; batches; requests of
 * attention; undefined flags. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "guest.h"

GUEST_TEST(plain,
           "mov eax, 5\n mov ebx, 0x30000\n mov [ebx], eax\n add [ebx], eax\n mov ecx, [ebx]\n push ecx\n "
           "pop edx\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->count, 8);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 10);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), GUEST_CODE + (uint32_t)(plain_end - plain));
    assert_int_equal(guest_peek32(g, 0x30000), 10);
    guest_expect_access(g, 2, 0, 0x30000, 4, P5_ACCESS_WRITE);
    guest_expect_access(g, 3, 0, 0x30000, 4, 0);
    guest_expect_access(g, 3, 1, 0x30000, 4, P5_ACCESS_WRITE);
    guest_expect_access(g, 4, 0, 0x30000, 4, 0);
    guest_expect_access(g, 5, 0, GUEST_STACK - 4, 4, P5_ACCESS_WRITE);
    guest_expect_access(g, 6, 0, GUEST_STACK - 4, 4, 0);
}

GUEST(loop, "mov ecx, 1000\n 1: inc eax\n dec ecx\n jnz 1b\n hlt");
TEST_OF_GUEST(test_loop, loop)
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->count, 1 + 3 * 1000 + 1);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 1000);
    unsigned taken = 0;
    for (unsigned i = 0; i < g->count; i++)
        taken += g->insns[i].last && g->insns[i].next == GUEST_CODE + 5;
    assert_int_equal(taken, 999);
}

GUEST(either, "test eax, eax\n jz 1f\n inc ebx\n 1: hlt");

/* Code that was translated while another engine was open still runs after that engine was closed, on both paths of its
 * branch. */
TEST(test_other_engine)
{
    OPEN_GUEST_OF(g, either);
    isa_decoder *decoder = guest_decoder;
    guest other;
    guest_open(&other);
    guest_run(&g, ENGINE_HALTED);
    guest_close(&other);
    guest_decoder = decoder;
    guest_enter(&g, 0, GUEST_CODE, GUEST_STACK);
    engine_set(g.e, ENGINE_EAX, 1);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(engine_get(g.e, ENGINE_EBX), 1);
}

/* A batch takes blocks until it has ENGINE_BATCH instructions, and then one more block; HLT ends the last batch. There are
 * no batches unless engine_batch permits them. */
TEST(test_batch)
{
    for (int on = 0; on < 2; on++) {
        OPEN_GUEST_OF(g, loop);
        engine_batch(g.e, on ? ENGINE_BATCH_CLOCKS : 0);
        guest_run(&g, ENGINE_HALTED);
        assert_int_equal(g.count, 1 + 3 * 1000 + 1);
        /* Each of the 1000 blocks is a round of 3 instructions. The first also has the MOV, which may shorten the
         * first batch by a block, but does not change the number of batches. */
        unsigned blocks = 1000, full = (ENGINE_BATCH + 2) / 3 + 1;
        assert_int_equal(g.batches, on ? (blocks + full - 1) / full : 0);
    }
}

static unsigned event_insns; /* instructions retired before the last event */

static engine_action note_event(guest *g, const engine_event *event)
{
    (void)event;
    event_insns = g->count;
    return ENGINE_DELIVER;
}

/* Everything before a special instruction, a port access or a fault is reported before that. */
GUEST_TEST(batch_outside,
           "mov ecx, 5\n 1: dec ecx\n jnz 1b\n rdtsc\n mov ecx, 3\n 2: dec ecx\n jnz 2b\n out 0x80, al\n "
           "mov ecx, 2\n 3: dec ecx\n jnz 3b\n mov eax, 0\n div ecx")
{
    g->event = note_event;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->special_insns[0], 1 + 2 * 5);
    assert_int_equal(g->port_insns[0], 11 + 1 + 1 + 2 * 3);
    assert_int_equal(g->event_count, 1);
    assert_int_equal(event_insns, 19 + 1 + 1 + 2 * 2 + 1);
    assert_int_equal(g->deliveries[0].vector, 0);
    assert_int_equal(g->count, event_insns + 1 /* HLT of the handler */);
}

GUEST_TEST(rep,
           "mov esi, 0x30000\n mov edi, 0x31000\n mov ecx, 3\n rep movsd\n mov ecx, 0\n rep stosb\n mov ecx, "
           "10\n mov al, 0\n mov edi, 0x30000\n repne scasb\n hlt")
{
    for (unsigned i = 0; i < 3; i++)
        guest_poke32(g, 0x30000 + 4 * i, 0x11111111 * (i + 1));
    *engine_ram(g->e, 0x30004, 1) = 0;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->count, 11);
    assert_int_equal(g->insns[3].repeats, 3);
    assert_int_equal(g->insns[3].accesses, 6);
    assert_false(g->insns[3].part);
    for (unsigned i = 0; i < 3; i++) {
        guest_expect_access(g, 3, 2 * i, 0x30000 + 4 * i, 4, 0);
        guest_expect_access(g, 3, 2 * i + 1, 0x31000 + 4 * i, 4, P5_ACCESS_WRITE);
    }
    assert_int_equal(g->insns[5].repeats, 0);
    assert_int_equal(g->insns[5].accesses, 0);
    assert_int_equal(g->insns[9].repeats, 5);
    assert_int_equal(g->insns[9].accesses, 5);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 5);
}

/* 100,000 iterations are reported in parts, of which all but the last are incomplete. */
GUEST_TEST(long_rep, "mov edi, 0x100000\n mov ecx, 100000\n rep stosd\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    unsigned iterations = 0;
    assert_true(g->count > 4);
    for (unsigned i = 2; i + 1 < g->count; i++) {
        assert_int_equal(g->insns[i].accesses, g->insns[i].repeats);
        iterations += g->insns[i].repeats;
        assert_int_equal(g->insns[i].part, i + 2 < g->count);
    }
    assert_int_equal(iterations, 100000);
}

/* Each string fits into one stretch, so only a request can divide it. */
GUEST(many_reps, "mov ebx, 400\n 1: mov edi, 0x100000\n mov ecx, 25000\n rep stosd\n dec ebx\n jnz 1b\n hlt");

typedef struct asker {
    engine *e;
    void (*ask)(engine *e);
    atomic_bool over;
} asker;

static void *ask_all_the_time(void *context)
{
    asker *a = context;
    while (!a->over) {
        a->ask(a->e);
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    }
    return NULL;
}

static unsigned parts, answers;

static engine_action count_answer(guest *g)
{
    (void)g;
    answers++;
    return ENGINE_CONTINUE;
}

static void run_beside(void (*ask)(engine *e))
{
    OPEN_GUEST_OF(g, many_reps);
    g.attention = count_answer;
    parts = answers = 0;
    asker a = {.e = g.e, .ask = ask};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_all_the_time, &a), 0);
    guest_run(&g, ENGINE_HALTED);
    a.over = true;
    pthread_join(thread, NULL);
    for (unsigned i = 0; i < g.count; i++)
        parts += g.insns[i].part;
}

/* A request of attention from another thread comes at a time that does not depend on the guest. It is answered, but does
 * not divide strings. */
TEST(test_rep_beside_requests)
{
    run_beside(engine_request_attention_async);
    assert_true(answers > 0);
    assert_int_equal(parts, 0);
    run_beside(
        engine_request_attention); /* divides strings: they take long enough for a request to come in one */
    assert_true(parts > 0);
}

/* A load or store across the end of a page is one access, and an instruction there is one instruction. */
GUEST(crossing, "mov eax, [0x30ffe]\n mov [0x31fff], eax\n hlt");

TEST(test_crossing)
{
    OPEN_GUEST(g);
    uint32_t at = GUEST_CODE + 0x1000 - 2;
    guest_put(&g, at, crossing, crossing_end);
    guest_poke32(&g, 0x30ffe, 0x12345678);
    engine_set(g.e, ENGINE_EIP, at);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(g.count, 3);
    guest_expect_access(&g, 0, 0, 0x30ffe, 4, 0);
    guest_expect_access(&g, 1, 0, 0x31fff, 4, P5_ACCESS_WRITE);
    assert_int_equal(guest_peek32(&g, 0x31fff), 0x12345678);
}

/* Nothing responds outside RAM: reads give ones, writes are lost. */
GUEST_TEST(open_bus, "mov eax, [0x10000000]\n mov dword ptr [0x10000000], 0\n mov ebx, [0x10000000]\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0xffffffff);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 0xffffffff);
}

/* Flags that are undefined after a bit test keep their values, in a block and in single steps: how code is divided into
 * blocks has no effect. */
#define BIT_TEST(name, code)                                                                                 \
    GUEST(name,                                                                                              \
          "mov ebx, 0x30000\n mov dword ptr [ebx], 0xc0000000\n mov ecx, 0xc0000000\n or ecx, ecx\n" code    \
          "\n pushf\n pop edx\n hlt")
BIT_TEST(bt_memory, "bt dword ptr [ebx], 0");
BIT_TEST(btr_memory, "btr dword ptr [ebx], 30");
BIT_TEST(btc_register, "btc ecx, 30");
BIT_TEST(bts_by_register, "bts ecx, esi");

TEST(test_bit_test)
{
    enum { CF = 1, SF = 0x80, PF = 4, ALWAYS = 2 };
    static const struct {
        const uint8_t *code, *end;
        bool carry;
    } cases[] = {{bt_memory, bt_memory_end, false},
                 {btr_memory, btr_memory_end, true},
                 {btc_register, btc_register_end, true},
                 {bts_by_register, bts_by_register_end, false}};
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        OPEN_GUEST(g);
        engine_step_mode(g.e, i % 2 != 0);
        guest_put(&g, GUEST_CODE, cases[i / 2].code, cases[i / 2].end);
        guest_run(&g, ENGINE_HALTED);
        /* OR ECX,ECX of C0000000h: SF and PF set, OF, ZF and AF clear */
        assert_int_equal(engine_get(g.e, ENGINE_EDX), ALWAYS | SF | PF | (cases[i / 2].carry ? CF : 0));
    }
}
