/* Modes, ports and the instructions that the owner answers. */
#include "guest.h"

/* --- Modes --- */

/* Real mode: vector table, INT and IRET, then into protected mode by a far jump. */
GUEST16(
    real,
    "mov ax, 0x1234\n int 0x21\n mov bx, ax\n"
    "lgdt [0x100]\n mov eax, cr0\n or al, 1\n mov cr0, eax\n .byte 0x66, 0xea\n .long 0x20000\n .word 0x08");
GUEST16(real_handler, "inc ax\n iret");
GUEST(protected_part, "mov edx, 0x55\n hlt");

TEST(test_real_to_protected)
{
    OPEN_GUEST(g);
    engine_set(g.e, ENGINE_CR0, 0x10);
    engine_segment segment = {0, 0, 0xffff, 0x9300};
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++)
        engine_set_segment(g.e, s, &segment);
    segment = (engine_segment){0x0900, 0x9000, 0xffff, 0x9b00};
    engine_set_segment(g.e, ENGINE_CS, &segment);
    engine_set_table(g.e, true, 0, 0x3ff);
    engine_set(g.e, ENGINE_ESP, 0x7000);
    engine_set(g.e, ENGINE_EIP, 0x10);
    guest_put(&g, 0x9010, real, real_end);
    guest_put(&g, 0x6000, real_handler, real_handler_end);
    guest_put(&g, 0x20000, protected_part, protected_part_end);
    guest_poke32(&g, 4 * 0x21, 0x0600u << 16);
    guest_poke32(&g, 0x100, GUEST_GDT << 16 | 0x3f);
    assert_int_equal(engine_mode(g.e), P5_MODE_REAL);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(engine_get(g.e, ENGINE_EBX), 0x1235);
    assert_int_equal(engine_get(g.e, ENGINE_EDX), 0x55);
    assert_int_equal(engine_mode(g.e), P5_MODE_PROTECTED);
    assert_int_equal(g.insns[0].mode, P5_MODE_REAL);
    assert_int_equal(g.insns[0].address, 0x9010);
    assert_int_equal(g.insns[g.count - 1].mode, P5_MODE_PROTECTED);
    assert_int_equal(g.deliveries[0].handler, 0x6000);
    unsigned vectors = 0;
    for (unsigned i = 0; i < g.deliveries[0].access_count; i++)
        vectors += g.delivery_accesses[0][i].linear == 4 * 0x21 && g.delivery_accesses[0][i].size == 4;
    assert_int_equal(vectors, 1);
}

/* Real mode: what misses a segment of 64 KB, wherever that lies in a page, and when the pages are known. */
#define KNOWN "mov al, [0xfff0]\n mov [0xfff0], al\n mov al, es:[0]\n mov es:[0], al\n"
GUEST16(nop, "nop");
GUEST16(halt, "hlt");
#define END(name, text) GUEST16(name, KNOWN text "\n hlt")
END(word_inside, "mov ax, [0xfffe]");
END(word, "mov ax, [0xffff]");
END(dword, "mov eax, [0xfffd]");
END(word_store, "mov [0xffff], ax");
END(changed, "add dword ptr [0xfffd], 1");
END(pointer_inside, "lds bx, [0xfffc]");
END(pointer, "lds bx, [0xfffe]");
END(wide_inside, "mov ebx, 0xffff\n mov al, [ebx]");
END(wide, "mov ebx, 0xffff\n mov ax, [ebx]");
END(wide_beyond, "mov ebx, 0x10000\n mov al, [ebx]");
END(stack_word, "mov bp, 0xffff\n mov ax, [bp]");
END(bound, "xor ax, ax\n bound ax, [0xfffe]");
END(m64_inside, "fld qword ptr [0xfff8]");
END(m64, "fld qword ptr [0xfff9]");
END(m80_inside, "fld tbyte ptr [0xfff6]");
END(m80, "fld tbyte ptr [0xfff8]");
END(m80_store, "fninit\n fld1\n fstp tbyte ptr [0xfff8]");
END(image_inside, "fnsave [0xffa2]");
END(image, "fnsave [0xffa4]");
END(two_dwords, "cmpxchg8b [0xfff9]");
END(string_inside, "mov si, 0xfff0\n mov cx, 9\n rep lodsw");
END(string, "mov si, 0xfff1\n mov cx, 9\n rep lodsw");
END(string_wide, "mov esi, 0xfff0\n mov ecx, 9\n .byte 0x67\n rep lodsw");
END(string_down, "std\n mov di, 0xffff\n mov cx, 2\n rep stosw");
END(falls, "mov ax, 0xffff\n jmp ax");
END(jump, "mov eax, 0x10000\n jmp eax");

TEST(test_real_ends)
{
    enum { CODE = 0x9000, HANDLER = 0x6000, SS = 12, GP = 13, SIXTEEN_BITS = 0xffff };
#define CASE(name, vector) #name, name, name##_end, vector
    static const struct {
        const char *name;
        const uint8_t *code, *end;
        unsigned vector; /* 0: none */
    } cases[] = {
        {CASE(word_inside, 0)},   {CASE(word, GP)},        {CASE(dword, GP)},         {CASE(word_store, GP)},
        {CASE(changed, GP)},      {CASE(pointer, GP)},     {CASE(pointer_inside, 0)}, {CASE(wide_inside, 0)},
        {CASE(wide, GP)},         {CASE(wide_beyond, GP)}, {CASE(stack_word, SS)},    {CASE(bound, GP)},
        {CASE(m64_inside, 0)},    {CASE(m64, GP)},         {CASE(m80_inside, 0)},     {CASE(m80, GP)},
        {CASE(m80_store, GP)},    {CASE(image_inside, 0)}, {CASE(image, GP)},         {CASE(two_dwords, GP)},
        {CASE(string_inside, 0)}, {CASE(string, GP)},      {CASE(string_wide, GP)},   {CASE(string_down, GP)},
        {CASE(falls, GP)},        {CASE(jump, GP)},
    };
    static const uint32_t bases[] = {0x20000, 0x20010, 0x20ff0};
    (void)state;
    for (unsigned i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        OPEN_GUEST(g);
        engine_set(g.e, ENGINE_CR0, 0x10);
        engine_segment segment = {(uint16_t)(bases[i % 3] >> 4), bases[i % 3], SIXTEEN_BITS, 0x9300};
        for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++)
            engine_set_segment(g.e, s, &segment);
        segment.selector += 0x1000, segment.base += 0x10000;
        engine_set_segment(g.e, ENGINE_ES, &segment);
        segment = (engine_segment){CODE >> 4, CODE, SIXTEEN_BITS, 0x9b00};
        engine_set_segment(g.e, ENGINE_CS, &segment);
        engine_set_table(g.e, true, 0, 0x3ff);
        guest_poke32(&g, 4 * GP, (HANDLER >> 4) << 16);
        guest_poke32(&g, 4 * SS, (HANDLER >> 4) << 16);
        engine_set(g.e, ENGINE_ESP, 0x7000);
        engine_set(g.e, ENGINE_EIP, 0);
        guest_put(&g, CODE, cases[i / 3].code, cases[i / 3].end);
        guest_put(&g, CODE + SIXTEEN_BITS, nop, nop_end);
        guest_put(&g, HANDLER, halt, halt_end);
        guest_run(&g, ENGINE_HALTED);
        if (g.event_count != (cases[i / 3].vector != 0) ||
            (g.event_count != 0 && g.events[0].vector != cases[i / 3].vector))
            fail_msg("%s at %x: %u events, the first %x", cases[i / 3].name, bases[i % 3],
                     (unsigned)g.event_count, (unsigned)g.events[0].vector);
    }
}

GUEST16(v86_code, "mov ax, 7\n int 0x21\n hlt");

/* V86 by IRET; its INT n with IOPL 0 is #GP in the monitor. */
GUEST_TEST(v86,
           "push 0\n push 0\n push 0\n push 0\n push 0\n push 0x7000\n push 0x20002\n push 0x0900\n push "
           "0x10\n iretd")
{
    guest_put(g, 0x9010, v86_code, v86_code_end);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 13);
    assert_int_equal(g->events[0].eip, 0x13);
    assert_int_equal(g->insns[10].mode, P5_MODE_V86);
    assert_int_equal(g->insns[10].cpl, 3);
    assert_int_equal(g->insns[10].address, 0x9010);
    assert_int_equal(g->insns[9].cpl_after, 3);
    assert_int_equal(g->deliveries[0].mode, P5_MODE_V86);
    assert_int_equal(g->deliveries[0].mode_after, P5_MODE_PROTECTED);
    assert_int_equal(engine_get(g->e, ENGINE_ESP), GUEST_KERNEL_STACK - 40);
}

/* A segment load reads one descriptor of 8 bytes; a null selector reads nothing. */
GUEST_TEST(descriptors,
           "mov eax, 0x10\n mov ds, ax\n mov fs, ax\n xor eax, eax\n mov gs, ax\n push ds\n pop es\n "
           "lds eax, [0x30000]\n hlt")
{
    guest_poke32(g, 0x30004, GUEST_DATA0);
    guest_run(g, ENGINE_HALTED);
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(g->insns[i].accesses, 1);
        guest_expect_access(g, i, 0, GUEST_GDT + GUEST_DATA0, 8, P5_ACCESS_SYSTEM);
        assert_true(g->insns[i].descriptor);
    }
    assert_int_equal(g->insns[4].accesses, 0);
    assert_false(g->insns[4].descriptor);
    assert_int_equal(g->insns[6].accesses, 2);
    assert_int_equal(g->insns[7].accesses, 3);
    guest_expect_access(g, 7, 2, GUEST_GDT + GUEST_DATA0, 8, P5_ACCESS_SYSTEM);
}

/* A stack from something that is no TSS: #TS, which needs that stack too, and so on to shutdown - not the end
 * of the host. */
GUEST_TEST(no_tss, "int 0x80")
{
    engine_segment tr = {GUEST_TR, GUEST_TSS, 0x67, 0x008100 | 2 << 8};
    tr.flags = 0x008200;
    engine_set_segment(g->e, ENGINE_TR, &tr);
    guest_enter(g, 3, GUEST_CODE, GUEST_STACK);
    guest_run(g, ENGINE_SHUTDOWN);
    assert_int_equal(g->events[0].vector, 0x80);
    assert_int_equal(g->events[1].vector, 10);
}

/* --- Ports --- */

GUEST_TEST(ports,
           "mov eax, 0x11223344\n out 0x80, al\n mov dx, 0x3f8\n out dx, ax\n out dx, eax\n in al, dx\n in "
           "eax, dx\n hlt")
{
    g->port_input = 0xa1b2c3d4;
    guest_run(g, ENGINE_HALTED);
    static const uint32_t expected[] = {0x1010080, 0x10203f8, 0x10403f8, 0x103f8, 0x403f8};
    static const uint32_t values[] = {0x44, 0x3344, 0x11223344};
    static const unsigned retired[] = {1, 3, 4, 5, 6};
    assert_int_equal(g->port_count, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(g->ports[i], expected[i]);
        assert_int_equal(g->port_insns[i], retired[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(g->port_values[i], values[i]);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0xa1b2c3d4);
    guest_expect_access(g, 1, 0, 0x80, 1, P5_ACCESS_IO | P5_ACCESS_WRITE);
    guest_expect_access(g, 6, 0, 0x3f8, 4, P5_ACCESS_IO);
}

GUEST_TEST(string_ports,
           "mov edi, 0x30000\n mov esi, 0x30100\n mov dx, 0x1f0\n mov ecx, 3\n rep insw\n outsb\n "
           "insb\n mov ecx, 2\n rep outsd\n hlt")
{
    g->port_input = 0x4321;
    guest_poke32(g, 0x30100, 0x99);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, 0x30000), 0x43214321);
    assert_int_equal(g->port_count, 7);
    unsigned in = 0, parts = 0;
    for (unsigned i = 4; i < g->count && in < 3; i++, parts++) {
        assert_int_equal(g->insns[i].accesses, 2);
        assert_int_equal(g->insns[i].repeats, 1);
        guest_expect_access(g, i, 0, 0x1f0, 2, P5_ACCESS_IO);
        guest_expect_access(g, i, 1, 0x30000 + 2 * in, 2, P5_ACCESS_WRITE);
        in += g->insns[i].repeats;
    }
    assert_int_equal(parts, 3);
    assert_false(g->insns[6].part);
    guest_expect_access(g, 7, 0, 0x30100, 1, 0);
    guest_expect_access(g, 7, 1, 0x1f0, 1, P5_ACCESS_IO | P5_ACCESS_WRITE);
    guest_expect_access(g, 8, 0, 0x1f0, 1, P5_ACCESS_IO);
    guest_expect_access(g, 8, 1, 0x30006, 1, P5_ACCESS_WRITE);
}

/* CPL 3 with IOPL 0 needs zero bits in the TSS's map for every byte of the port. */
GUEST(in60, "nop\n in al, 0x60\n hlt");
GUEST(in61w, "nop\n in ax, 0x61\n hlt");

static void port_right(const uint8_t *code, const uint8_t *end, unsigned iopl, uint32_t map, uint32_t limit,
                       bool allowed)
{
    OPEN_GUEST(g);
    guest_put(&g, GUEST_CODE, code, end);
    guest_poke32(&g, GUEST_TSS + 0x68 + 0x60 / 8, map);
    engine_segment tr = {GUEST_TR, GUEST_TSS, limit, 0x008900};
    engine_set_segment(g.e, ENGINE_TR, &tr);
    guest_enter(&g, 3, GUEST_CODE, GUEST_STACK);
    engine_set(g.e, ENGINE_EFLAGS, 2 | iopl << 12);
    guest_run(&g, ENGINE_HALTED);
    /* Allowed: the next is HLT, #GP at CPL 3. */
    assert_int_equal(g.events[0].vector, 13);
    assert_int_equal(g.events[0].error_code, 0);
    assert_int_equal(g.events[0].eip, GUEST_CODE + (allowed ? (uint32_t)(end - code) - 1 : 1));
    assert_int_equal(g.port_count, allowed);
    if (allowed && iopl < 3)
        assert_int_equal(g.insns[1].accesses, 3); /* map base, two bytes of map, the port */
}

TEST(test_port_rights)
{
    port_right(in60, in60_end, 3, 0xffffffff, 0x20ff, true);
    port_right(in60, in60_end, 0, 0xfffffffe, 0x20ff, true);
    port_right(in60, in60_end, 0, 0x00000001, 0x20ff, false);
    port_right(in60, in60_end, 0, 0, 0x68 + 0x60 / 8, false); /* the second byte of the pair lies outside */
    port_right(in61w, in61w_end, 0, 0xfffffff9, 0x20ff, true);
    port_right(in61w, in61w_end, 0, 0x00000004, 0x20ff, false);
}

/* --- Answered instructions --- */

static engine_action answer(guest *g, engine_special_call *call)
{
    switch (call->which) {
    case ENGINE_RDTSC:
        engine_set(g->e, ENGINE_EAX, 1000);
        engine_set(g->e, ENGINE_EDX, 2000);
        break;
    case ENGINE_RDPMC:
        assert_int_equal(engine_get(g->e, ENGINE_ECX), 1);
        engine_set(g->e, ENGINE_EBP, 77);
        break;
    case ENGINE_CPUID:
        engine_set(g->e, ENGINE_EBX, 0x543);
        break;
    default:
        break;
    }
    return ENGINE_CONTINUE;
}

GUEST_TEST(specials,
           "nop\n rdtsc\n mov esi, eax\n mov ecx, 0x11\n rdmsr\n wrmsr\n mov ecx, 1\n rdpmc\n mov eax, "
           "1\n cpuid\n wbinvd\n invd\n"
           "mov eax, cr0\n mov cr0, eax\n clts\n lmsw ax\n nop\n hlt")
{
    g->special = answer;
    guest_run(g, ENGINE_HALTED);
    static const engine_special expected[] = {
        ENGINE_RDTSC,  ENGINE_RDMSR, ENGINE_WRMSR,     ENGINE_RDPMC,     ENGINE_CPUID,
        ENGINE_WBINVD, ENGINE_INVD,  ENGINE_MOV_TO_CR, ENGINE_MOV_TO_CR, ENGINE_MOV_TO_CR};
    static const unsigned retired[] = {1, 4, 5, 7, 9, 10, 11, 13, 14, 15};
    assert_int_equal(g->special_count, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(g->specials[i], expected[i]);
        assert_int_equal(g->special_insns[i], retired[i]);
    }
    assert_int_equal(engine_get(g->e, ENGINE_ESI), 1000);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 0x543);
    assert_int_equal(engine_get(g->e, ENGINE_EBP), 77);
    assert_int_equal(g->count, 18);
}

static engine_action refuse(guest *g, engine_special_call *call)
{
    (void)g;
    call->vector = 13;
    call->error_code = 0;
    return ENGINE_FAULT;
}

GUEST_TEST(refused, "mov ebx, 5\n cmp ebx, 5\n rdpmc\n hlt")
{
    g->special = refuse;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 13);
    assert_int_equal(g->events[0].eip, GUEST_CODE + 8);
    assert_int_equal(g->count, 3);
    /* ZF and PF of the compare, and RF: a fault is returned to with RF set */
    assert_int_equal(guest_peek32(g, engine_get(g->e, ENGINE_ESP) + 12), 0x10046);
}

/* Privileged instructions at CPL 3 never reach the owner. */
static void privileged(const uint8_t *bytes, size_t size)
{
    OPEN_GUEST(g);
    memcpy(engine_ram(g.e, GUEST_CODE, 8), bytes, size);
    guest_enter(&g, 3, GUEST_CODE, GUEST_STACK);
    guest_run(&g, ENGINE_HALTED);
    if (g.events[0].vector != 13 || g.events[0].eip != GUEST_CODE || g.special_count)
        fail_msg("%02x %02x at CPL 3: vector %u, %u questions to the owner", bytes[0], bytes[1],
                 g.events[0].vector, g.special_count);
}

TEST(test_privileged)
{
    static const uint8_t codes[][3] = {{0x0f, 0x30},       {0x0f, 0x32},       {0x0f, 0x08},
                                       {0x0f, 0x09},       {0xf4, 0x90},       {0x0f, 0x06},
                                       {0x0f, 0x20, 0xc0}, {0x0f, 0x22, 0xc0}, {0x0f, 0x23, 0xc0},
                                       {0x0f, 0x01, 0x38}, {0xfa, 0x90}};
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++)
        privileged(codes[i], 3);
}

/* Reserved CR4 bits, PG without PE. */
static void control(unsigned family, bool cr4, uint32_t value, bool allowed)
{
    OPEN_GUEST_AS(g, family, false);
    uint8_t code[] = {0x0f, 0x22, cr4 ? 0xe0 : 0xc0, 0xf4};
    memcpy(engine_ram(g.e, GUEST_CODE, 4), code, 4);
    engine_set(g.e, ENGINE_EAX, value);
    guest_run(&g, ENGINE_HALTED);
    if (g.event_count != !allowed)
        fail_msg("family %u, %s = %08x: %u faults", family, cr4 ? "CR4" : "CR0", value, g.event_count);
    if (allowed)
        assert_int_equal(engine_get(g.e, cr4 ? ENGINE_CR4 : ENGINE_CR0), value);
}

TEST(test_control_registers)
{
    for (unsigned bit = 0; bit < 32; bit++) {
        bool common = bit <= 4 || bit == 6; /* VME PVI TSD DE PSE, MCE */
        control(P5_FAMILY_P54C, true, 1u << bit, common);
        control(P5_FAMILY_P55C, true, 1u << bit, common || bit == 8);
    }
    control(P5_FAMILY_P55C, false, 0x80000010, false);
    control(P5_FAMILY_P55C, false, 0x20000011, false);
    control(P5_FAMILY_P55C, false, 0x60000011, true);
}

/* An enabled execution breakpoint must not end the host; DR6 and DR7 keep their fixed bits; DR4 is DR6 unless
 * CR4.DE. */
GUEST_TEST(debug_registers,
           "mov eax, 0x10000\n mov dr0, eax\n xor eax, eax\n mov dr6, eax\n mov eax, 0x3\n mov dr7, eax\n "
           "nop\n mov ebx, dr7\n mov ecx, dr6\n mov edx, dr4\n"
           "mov eax, 8\n mov cr4, eax\n mov edx, dr4\n hlt")
{
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 0x403);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 0xffff0ff0);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 0xffff0ff0);
    assert_int_equal(g->events[0].vector, 6);
}
