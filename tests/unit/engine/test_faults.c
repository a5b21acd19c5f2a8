/* Faults, traps and interrupts: what was retired before them, what delivery pushes, and what delivery itself
 * touches. */
#include "guest.h"

/* Where a handler's HLT leaves EIP. */
#define AFTER_HANDLER(vector) (GUEST_HANDLERS + 16 * (vector) + 1)
enum { ZF = 0x40 };

static uint32_t stack_at(guest *g, unsigned n)
{
    return guest_peek32(g, engine_get(g->e, ENGINE_ESP) + 4 * n);
}

/* The third instruction of the block faults, after two that touched memory. */
GUEST_TEST(middle_of_block, "mov eax, [0x30000]\n push eax\n div edx\n inc ebx\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), AFTER_HANDLER(0));
    assert_int_equal(g->event_count, 1);
    assert_int_equal(g->events[0].vector, 0);
    assert_int_equal(g->events[0].kind, P5_TRANSFER_FAULT);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 6);
    assert_int_equal(g->count, 2 + 1); /* and the handler's HLT */
    assert_int_equal(g->insns[0].accesses, 1);
    assert_int_equal(g->insns[1].accesses, 1);
    assert_int_equal(stack_at(g, 0), GUEST_CODE + 6);
    assert_int_equal(stack_at(g, 1), GUEST_CODE0);
    /* Delivery: the gate, the code descriptor, three pushes. */
    assert_int_equal(g->delivery_count, 1);
    assert_int_equal(g->deliveries[0].handler, GUEST_HANDLERS);
    unsigned gates = 0, descriptors = 0, pushes = 0;
    for (unsigned i = 0; i < g->deliveries[0].access_count; i++) {
        const p5_access *a = &g->delivery_accesses[0][i];
        gates += a->linear == GUEST_IDT && a->size == 8;
        descriptors += a->linear == GUEST_GDT + GUEST_CODE0 && a->size == 8;
        pushes += (a->flags & P5_ACCESS_WRITE) != 0 && a->size == 4;
        assert_true(a->flags & P5_ACCESS_SYSTEM);
    }
    assert_int_equal(gates, 1);
    assert_int_equal(descriptors, 1);
    assert_int_equal(pushes, 3);
}

static void paging_on(guest *g)
{
    guest_poke32(g, GUEST_PAGES, (GUEST_PAGES + 0x1000) | 7);
    guest_poke32(g, GUEST_PAGES + 4, (GUEST_PAGES + 0x2000) | 7);
    for (unsigned i = 0; i < 2048; i++)
        guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * i, i << 12 | 7);
    engine_set(g->e, ENGINE_CR3, GUEST_PAGES);
    engine_set(g->e, ENGINE_CR0, 0x80010033); /* PG, WP */
}

/* A read-modify-write whose page is read-only: the read is not reported, nothing of it happened. */
GUEST_TEST(read_only, "mov eax, [0x31000]\n add [0x30000], eax\n hlt")
{
    paging_on(g);
    guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * 0x30, 0x30000 | 5);
    guest_poke32(g, 0x30000, 77);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 14);
    assert_int_equal(g->events[0].error_code, 3); /* present, write, supervisor */
    assert_int_equal(g->events[0].fault_address, 0x30000);
    assert_int_equal(stack_at(g, 0), 3);
    assert_int_equal(stack_at(g, 1), GUEST_CODE + 5);
    assert_int_equal(g->count, 2);
    assert_int_equal(g->access_count, 1);
    assert_int_equal(guest_peek32(g, 0x30000), 77);
}

/* The page at 32000h is missing. */
static void paging_with_hole(guest *g)
{
    paging_on(g);
    guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * 0x32, 0);
}

/* REP MOVSB into a missing page: two iterations are done, the third is not. */
GUEST(rep, "mov esi, 0x30000\n mov edi, 0x31ffe\n mov ecx, 10\n rep movsb\n hlt");

TEST_OF_GUEST(test_rep_fault, rep)
{
    paging_with_hole(g);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 14);
    assert_int_equal(g->events[0].error_code, 2);
    assert_int_equal(g->events[0].fault_address, 0x32000);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 15);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 8);
    assert_true(g->insns[3].part);
    assert_int_equal(g->insns[3].repeats, 2);
    assert_int_equal(g->insns[3].accesses, 4);
}

/* The first iteration faults: what stood before it in its batch has been executed, and nothing of it. */
GUEST_TEST(rep_fault_at_once, "mov esi, 0x30000\n mov edi, 0x32000\n mov ecx, 10\n rep movsb\n hlt")
{
    paging_with_hole(g);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 14);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 10);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(g->insns[i].address, GUEST_CODE + 5 * i);
    assert_int_equal(g->insns[3].address, GUEST_HANDLERS + 16 * 14); /* the handler's HLT */
    assert_int_equal(g->access_count, 0);
}

/* Continuing the REP after the page came: the rest of it completes the instruction. */
static engine_action map_page(guest *g, const engine_event *event)
{
    assert_int_equal(event->vector, 14);
    guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * (event->fault_address >> 12),
                 (event->fault_address & ~0xfffu) | 7);
    engine_flush_translations(g->e);
    return ENGINE_CONTINUE;
}

TEST_OF_GUEST(test_rep_resumed, rep)
{
    paging_with_hole(g);
    g->event = map_page;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->count, 6);
    assert_true(g->insns[3].part);
    assert_false(g->insns[4].part);
    assert_int_equal(g->insns[4].repeats, 8);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 0);
}

/* Fetch faults: the EIP is the instruction's, also when only its second page is missing; CR2 is the missing
 * page. */
GUEST_TEST(fetch_second_page, "mov eax, 1\n mov ebx, 2\n hlt")
{
    paging_on(g);
    uint32_t at = GUEST_CODE + 0x1000 - 7;
    guest_put(g, at, fetch_second_page, fetch_second_page_end);
    guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * (GUEST_CODE / 0x1000 + 1), 0);
    engine_set(g->e, ENGINE_EIP, at);
    g->event = map_page;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->event_count, 1);
    assert_int_equal(g->events[0].eip, at + 5);
    assert_int_equal(g->events[0].fault_address, GUEST_CODE + 0x1000);
    assert_int_equal(g->count, 3);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 2);
}

/* A jump into a missing page: the jump is complete, the fault is at its target. */
GUEST_TEST(fetch_target, "mov eax, 1\n mov ecx, 0x100000\n jmp ecx")
{
    paging_on(g);
    guest_poke32(g, GUEST_PAGES + 0x1000 + 4 * 0x100, 0);
    *engine_ram(g->e, 0x100000, 1) = 0xf4;
    g->event = map_page;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].eip, 0x100000);
    assert_int_equal(g->events[0].error_code, 0);
    assert_int_equal(g->count, 4);
    assert_int_equal(g->insns[2].next, 0x100000);
}

/* INT n completes before its event; it pushes the next address. */
GUEST(software, "mov eax, 7\n int 0x80\n hlt");
TEST_OF_GUEST(test_software, software)
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].kind, P5_TRANSFER_SOFTWARE);
    assert_int_equal(g->events[0].vector, 0x80);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 7);
    assert_int_equal(g->count, 3);
    assert_int_equal(stack_at(g, 0), GUEST_CODE + 7);
}

/* The host handles the INT: the guest continues after it with the changed registers. */
static engine_action answer(guest *g, const engine_event *event)
{
    assert_int_equal(event->vector, 0x80);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), GUEST_CODE + 7);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 7);
    engine_set(g->e, ENGINE_EAX, 99);
    return ENGINE_CONTINUE;
}

TEST_OF_GUEST(test_software_answered, software)
{
    g->event = answer;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 99);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), GUEST_CODE + 8);
    assert_int_equal(g->delivery_count, 0);
}

GUEST(kernel_iret, "iretd");

/* From CPL 3: INT 80h changes the stack by the TSS, IRET goes back; INT 20h (DPL 0) is #GP with the INT's own
 * EIP. */
GUEST_TEST(privilege, "int 0x80\n int 0x20\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 0x80, kernel_iret, kernel_iret_end);
    guest_enter(g, 3, GUEST_CODE, GUEST_STACK);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->deliveries[0].cpl, 3);
    assert_int_equal(g->deliveries[0].cpl_after, 0);
    assert_string_equal(g->insns[1].mnemonic, "IRET");
    assert_int_equal(g->insns[1].cpl, 0);
    assert_int_equal(g->insns[1].cpl_after, 3);
    assert_true(g->insns[1].descriptor);
    assert_int_equal(g->events[1].vector, 13);
    assert_int_equal(g->events[1].kind, P5_TRANSFER_FAULT);
    assert_int_equal(g->events[1].error_code, 0x20 * 8 + 2);
    assert_int_equal(g->events[1].eip, GUEST_CODE + 2);
    assert_int_equal(stack_at(g, 0), 0x20 * 8 + 2);
    assert_int_equal(stack_at(g, 1), GUEST_CODE + 2);
    assert_int_equal(stack_at(g, 4), GUEST_STACK);
    /* The second INT did not complete. */
    assert_int_equal(g->count, 2 + 1);
}

GUEST_TEST(int3_into, "int3\n nop\n push 2\n popfd\n mov al, 0x7f\n inc al\n into\n nop\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 3, kernel_iret, kernel_iret_end);
    guest_put(g, GUEST_HANDLERS + 16 * 4, kernel_iret, kernel_iret_end);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->event_count, 2);
    assert_int_equal(g->events[0].vector, 3);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 1);
    assert_int_equal(g->events[1].vector, 4);
    assert_int_equal(g->events[1].kind, P5_TRANSFER_SOFTWARE);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), GUEST_CODE + (uint32_t)(int3_into_end - int3_into));
}

static engine_action count_trap(guest *g, const engine_event *event)
{
    if (event->vector == 1 && g->event_count == 2)
        engine_set(g->e, ENGINE_EFLAGS, 2);
    return event->vector == 1 ? ENGINE_CONTINUE : ENGINE_DELIVER;
}

/* TF: a trap after each instruction, with the next one's EIP. */
GUEST_TEST(single_step, "pushfd\n or dword ptr [esp], 0x100\n popfd\n inc eax\n inc eax\n hlt")
{
    g->event = count_trap;
    guest_run(g, ENGINE_HALTED);
    uint32_t inc = GUEST_CODE + (uint32_t)(single_step_end - single_step) - 3;
    assert_int_equal(g->event_count, 2);
    assert_int_equal(g->events[0].kind, P5_TRANSFER_TRAP);
    assert_int_equal(g->events[0].eip, inc + 1);
    assert_int_equal(g->events[1].eip, inc + 2);
    assert_int_equal(g->count, 6);
}

/* ICEBP is #DB with the next EIP. */
GUEST_TEST(icebp, "nop\n .byte 0xf1\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 1);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 2);
    assert_int_equal(g->count, 3);
}

GUEST(too_long, "nop\n .fill 15, 1, 0x66\n nop\n hlt");

/* Undefined instructions: alone, after others in a straight run, and longer than 15 bytes (#GP). */
GUEST_TEST(undefined, "mov eax, [0x30000]\n .byte 0x0f, 0x0b\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->event_count, 1);
    assert_int_equal(g->events[0].vector, 6);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 5);
    assert_int_equal(g->insns[0].accesses, 1);
    assert_int_equal(g->count, 2);
    GUEST_LOAD(g, too_long);
    engine_flush_code(g->e, GUEST_CODE, 64);
    guest_enter(g, 0, GUEST_CODE, GUEST_STACK);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[1].vector, 13);
    assert_int_equal(g->events[1].eip, GUEST_CODE + 1);
}

/* A store through CS: whether there is an x87 is looked at before the operand (manual: order of exceptions).
 */
GUEST(code_store, "fnstcw cs:[0x30000]\n hlt");

TEST(test_code_store)
{
    enum { CR0_EM = 4, CR0_TS = 8, GP = 13, NM = 7 };
    static const uint32_t bits[] = {0, CR0_EM, CR0_TS};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        OPEN_GUEST_OF(g, code_store);
        engine_set(g.e, ENGINE_CR0, engine_get(g.e, ENGINE_CR0) | bits[i]);
        guest_run(&g, ENGINE_HALTED);
        assert_int_equal(g.events[0].vector, bits[i] != 0 ? NM : GP);
        assert_int_equal(g.events[0].eip, GUEST_CODE);
    }
}

/* Without an IDT every fault becomes a double and then a triple fault. */
GUEST_TEST(shutdown, "nop\n ud2")
{
    engine_set_table(g->e, true, GUEST_IDT, 0);
    guest_run(g, ENGINE_SHUTDOWN);
    assert_int_equal(g->events[0].vector, 6);
    assert_int_equal(g->events[1].vector, 13);
    assert_int_equal(g->events[2].vector, 8);
    assert_int_equal(g->event_count, 3);
    assert_int_equal(g->delivery_count, 0);
}

static engine_action inject_once(guest *g)
{
    if (g->delivery_count == 0 && engine_inject(g->e, 0x90, P5_TRANSFER_INTERRUPT))
        g->want_attention = false;
    return ENGINE_CONTINUE;
}

/* Interrupts: refused with IF clear and in the shadow of STI, taken at the boundary, after HLT too. */
GUEST_TEST(injection, "sti\n nop\n 1: inc eax\n cmp eax, 100000\n jne 1b\n cli\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 0x90, kernel_iret, kernel_iret_end);
    g->attention = inject_once;
    g->want_attention = true;
    assert_false(engine_inject(g->e, 0x90, P5_TRANSFER_INTERRUPT));
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->delivery_count, 1);
    assert_int_equal(g->deliveries[0].kind, P5_TRANSFER_INTERRUPT);
    /* STI, then the instruction in its shadow, then the interrupt. */
    assert_int_equal(g->insns[1].address, GUEST_CODE + 1);
    assert_string_equal(g->insns[2].mnemonic, "IRET");
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 100000);
}

GUEST_TEST(injection_after_halt, "sti\n hlt\n inc ebx\n cli\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 0x90, kernel_iret, kernel_iret_end);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EIP), GUEST_CODE + 2);
    assert_true(engine_inject(g->e, 0x90, P5_TRANSFER_INTERRUPT));
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 1);
    assert_int_equal(g->delivery_count, 1);
    assert_int_equal(guest_peek32(g, GUEST_STACK - 12), GUEST_CODE + 2);
}

static engine_action step_then_stop(guest *g)
{
    if (g->count == 8)
        engine_inject(g->e, 0x90, P5_TRANSFER_INTERRUPT);
    if (g->count >= 10)
        engine_step_mode(g->e, false);
    return ENGINE_CONTINUE;
}

/* Step mode: every instruction is a stretch, an interrupt can be taken at each boundary; switching back
 * restores whole blocks. */
GUEST_TEST(
    step_mode,
    "sti\n nop\n mov ecx, 3\n 1: inc eax\n inc ebx\n loop 1b\n inc edx\n inc edx\n inc edx\n cli\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 0x90, kernel_iret, kernel_iret_end);
    g->attention = step_then_stop;
    engine_step_mode(g->e, true);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 3);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 3);
    assert_int_equal(g->count, 3 + 9 + 3 + 2 + 1);
    for (unsigned i = 0; i < 10; i++)
        assert_true(g->insns[i].last);
    assert_string_equal(g->insns[8].mnemonic, "IRET");
    assert_int_equal(g->delivery_count, 1);
    unsigned together = 0;
    for (unsigned i = 10; i < g->count; i++)
        together += !g->insns[i].last;
    assert_true(together > 0);
}

static engine_action inject_in_rep(guest *g)
{
    if (g->delivery_count == 0 && engine_get(g->e, ENGINE_ECX) == 900)
        assert_true(engine_inject(g->e, 0x90, P5_TRANSFER_INTERRUPT));
    engine_request_attention(g->e);
    return ENGINE_CONTINUE;
}

/* A request from outside breaks a long REP string between iterations. */
GUEST_TEST(rep_interrupted, "sti\n nop\n mov edi, 0x100000\n mov ecx, 1000\n rep stosb\n cli\n hlt")
{
    guest_put(g, GUEST_HANDLERS + 16 * 0x90, kernel_iret, kernel_iret_end);
    g->attention = inject_in_rep;
    engine_request_attention(g->e);
    guest_run(g, ENGINE_HALTED);
    unsigned iterations = 0, complete = 0;
    for (unsigned i = 0; i < g->count; i++) {
        iterations += g->insns[i].repeats;
        complete += strncmp(g->insns[i].mnemonic, "REP", 3) == 0 && !g->insns[i].part;
    }
    assert_int_equal(iterations, 1000);
    assert_int_equal(complete, 1);
    assert_int_equal(g->delivery_count, 1);
    assert_int_equal(guest_peek32(g, GUEST_STACK - 12), GUEST_CODE + 12);
}
