/* Executes random system code: segments and their limits, rights of pages, gates, tasks, V86 mode, all privilege levels.
 * Each test enters a random state, executes one to three instructions and ends with INT 20h or an exception. Its number
 * determines it. It leaves a record of the result in memory; if parameters.port is set, as for p5scope, it also writes
 * it to port E9h. The same diskette runs under p5scope, Bochs and QEMU; system_compare.c compares the records. */
#include "system_record.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* Parameters in the boot sector: number of the first test and of tests, whether there are breakpoints, and whether
 * records also go to port E9h. */
static struct parameters {
    u32 first, count, breakpoints, port;
} parameters;

enum {
    KERNEL = 0x10000,
    DIRECTORY = 0x200000,
    TABLE0 = 0x201000,
    TABLE1 = 0x202000,
    TABLE2 = 0x203000, /* two of them */
    PHYSICAL = 0x300000,
    KEPT = 0x340000, /* copy of the pages' contents before a test */
    PARAMETERS = 0x7dec,
    TEST = 0x400000, /* linear address of the test's pages, which begin at PHYSICAL */
    CODE = TEST,
    DATA = TEST + 0x1000,
    READ_ONLY = TEST + 0x3000,
    SUPERVISOR = TEST + 0x4000,
    MISSING = TEST + 0x6000,
    STACK = TEST + 0x7000,
    INNER = TEST + 0x8000, /* stacks for gates to levels 0 to 2 */
    INNER_TOP0 = 0x800,
    INNER_TOP1 = 0xc00,
    INNER_TOP2 = 0xe00,
    PAGES = 10,
    END = 0xa00, /* offset of INT 20h in the code page; no other segment's stores reach it */
    INT_20H = 0x20cd,
    CODE_BYTES = 128,      /* room for the code of a test: three instructions of 26 bytes and INT 20h */
    RECORDS = 0x30000000,  /* linear; no test refers to it */
    RECORDS_AT = 0x800000, /* the same, physical: 8 MB */
    V86 = 0x80000,         /* pages of tests in V86 and real mode */
    V86_PAGES = 4,
    V86_END = V86 + 0x14000, /* end of the segments of these tests */
    LOW = V86 + 0x1000,      /* their data that is compared */
    LOW_BYTES = 1024,
    LEVEL = 8,  /* first descriptor of level 0 */
    KINDS = 10, /* descriptors of each level */
    SPECIAL = 48,
    DESCRIPTORS = 64,
    MAIN_TSS = 3,
    DOUBLE_TSS = 4,
    MAIN_LDT = 5
};

typedef struct tss {
    u32 link, esp0, ss0, esp1, ss1, esp2, ss2, cr3, eip, eflags, eax, ecx, edx, ebx, esp, ebp, esi, edi, es,
        cs, ss, ds, fs, gs, ldt, map;
    u8 bitmap[64];
} tss;

enum { PROTECTED0, PROTECTED, VIRTUAL, REAL }; /* kinds of a test; run_test knows them */
enum { VECTORS = 64 };
/* The registers after and before a test, in the order of system_stubs.asm. */
u32 found[32], test_frame[17];
u32 real_vectors[VECTORS];
tss double_fault_tss;
static u64 gdt[DESCRIPTORS], ldt[8], idt[VECTORS], gdt_kept[DESCRIPTORS], ldt_kept[8];
static tss main_tss, other_tss, main_kept, other_kept;
static u16 small_tss[32], small_kept[32];
static u32 table_kept[16];
extern u8 table_stubs[], double_stub[], real_stubs[];
void run_test(void);

static u32 random_state;
static u32 next_random(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state ^ random_state >> 15;
}
static u32 below(u32 n)
{
    return (u32)((u64)next_random() * n >> 32);
}

static void out8(u16 port, u8 value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}
static u64 segment(u32 base, u32 limit, u32 access, u32 flags)
{
    u32 low = base << 16 | (limit & 0xffff);
    u32 high = (base & 0xff000000) | flags << 20 | (limit & 0xf0000) | access << 8 | (base >> 16 & 0xff);
    return (u64)high << 32 | low;
}
static u64 gate(u32 selector, u32 offset, u32 access, u32 count)
{
    return (u64)((offset & 0xffff0000) | access << 8 | count) << 32 | selector << 16 | (offset & 0xffff);
}
static u32 selector(u32 index)
{
    return index * 8;
}

static void copy(void *to, const void *from, u32 bytes)
{
    bytes /= 4;
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
/* Restores memory from a copy. Returns a checksum of the differences, 0 if there are none. */
static u32 restored(void *at, const void *kept, u32 dwords)
{
    u32 *p = at, left = dwords, s = 0;
    for (;;) {
        u8 same;
        __asm__ volatile("testl %%ecx, %%ecx\n repe cmpsl" /* none left: the same */
                         : "=@cce"(same), "+D"(p), "+S"(kept), "+c"(left)
                         :
                         : "memory");
        if (same)
            return s;
        s = (s << 7 | s >> 25) + (p[-1] ^ left * 0x9e3779b1u);
        p[-1] = ((const u32 *)kept)[-1];
    }
}

static void make_descriptors(void)
{
    gdt[1] = segment(0, 0xfffff, 0x9a, 12);
    gdt[2] = segment(0, 0xfffff, 0x92, 12);
    gdt[MAIN_TSS] = segment((u32)&main_tss, sizeof main_tss - 1, 0x89, 0);
    gdt[DOUBLE_TSS] = segment((u32)&double_fault_tss, sizeof main_tss - 1, 0x89, 0);
    gdt[MAIN_LDT] = segment((u32)ldt, sizeof ldt - 1, 0x82, 0);
    gdt[6] = segment(KERNEL, 0xffff, 0x9a, 0);
    gdt[7] = segment(0, 0xffff, 0x92, 0);
    for (u32 v = 0; v < VECTORS; v++)
        real_vectors[v] = (KERNEL >> 4) << 16 | ((u32)real_stubs + 8 * v - KERNEL);
    for (u32 level = 0; level < 4; level++) {
        u64 *d = gdt + LEVEL + KINDS * level;
        u32 dpl = level << 5;
        d[0] = segment(0, 0xfffff, 0x9a | dpl, 12);
        d[1] = segment(0, 0xfffff, 0x92 | dpl, 12);
        d[2] = segment(CODE, 0xffff, 0x9a | dpl, 0);
        d[3] = segment(DATA, 0x7ff, 0x92 | dpl, 4);
        d[4] = segment(0, 0xfffff, 0x90 | dpl, 12);
        d[5] = segment(DATA, 0x7ff, 0x96 | dpl, 4);
        d[6] = segment(DATA, 0x7ff, 0x96 | dpl, 0);
        d[7] = segment(0, 0xfffff, 0x9e | dpl, 12);
        d[8] = segment(0, 0xfffff, 0x98 | dpl, 12);
        d[9] = segment(0, 0xfffff, 0x12 | dpl, 12);
    }
    u64 *s = gdt + SPECIAL;
    s[0] = segment((u32)&other_tss, sizeof other_tss - 1, 0x89, 0);
    s[1] = segment((u32)small_tss, 43, 0x81, 0);
    s[2] = segment((u32)&other_tss, sizeof other_tss - 1, 0xe9, 0);
    s[3] = gate(selector(LEVEL), CODE + END, 0xec, 0);
    s[4] = gate(selector(LEVEL), CODE + END, 0x8c, 0);
    s[5] = gate(selector(LEVEL + 2), END, 0xe4, 1);
    s[6] = gate(selector(LEVEL + 7), CODE + END, 0xec, 0);
    s[7] = gate(selector(LEVEL + KINDS), CODE + END, 0xec, 2);
    s[8] = gate(selector(SPECIAL), 0, 0xe5, 0);
    s[9] = gate(selector(LEVEL), CODE + END, 0x6c, 0);
    s[10] = segment((u32)ldt, sizeof ldt - 1, 0x82, 0);
    s[11] = segment((u32)ldt, sizeof ldt - 1, 0x02, 0);
    s[12] = segment((u32)&other_tss, sizeof other_tss - 1, 0x8b, 0);
    s[13] = segment(0, 0xffff, 0x80, 0);
    s[14] = segment(0, 0xffff, 0x8d, 0);
    s[15] = segment((u32)&other_tss, 50, 0x89, 0);
    ldt[0] = segment(0, 0xfffff, 0xfa, 12);
    ldt[1] = segment(0, 0xfffff, 0xf2, 12);
    ldt[2] = segment(DATA, 0x3ff, 0xf0, 4);
    ldt[3] = segment(0, 0xfffff, 0x9a, 12);
    ldt[4] = segment(0, 0xfffff, 0xfe, 12);
}

static void make_gates(void)
{
    for (u32 v = 0; v < VECTORS; v++)
        idt[v] = gate(selector(1), (u32)table_stubs + 16 * v,
                      v == 3 || v == 4 || v == 5 || v == 0x20 ? 0xee : 0x8e, 0);
    idt[8] = gate(selector(DOUBLE_TSS), 0, 0x85, 0);
    idt[0x22] = gate(selector(1), (u32)table_stubs + 16 * 0x22, 0xef, 0);
    idt[0x23] = gate(selector(LEVEL + 2), END, 0xe6, 0);
    idt[0x24] = gate(selector(SPECIAL), 0, 0xe5, 0);
    idt[0x25] = gate(selector(1), (u32)table_stubs + 16 * 0x25, 0x6e, 0);
    idt[0x26] = gate(0, (u32)table_stubs + 16 * 0x26, 0xee, 0);
    idt[0x27] = gate(selector(2), (u32)table_stubs + 16 * 0x27, 0xee, 0);
    idt[0x28] = gate(selector(LEVEL + 3 * KINDS), CODE + END, 0xee, 0);
    idt[0x29] = gate(selector(LEVEL + 7), CODE + END, 0xee, 0);
    idt[0x2a] = gate(selector(LEVEL + KINDS), CODE + END, 0xee, 0);
    idt[0x2b] = gate(selector(1), 0, 0xe5, 0);
}

static void make_tasks(void)
{
    main_tss = (tss){.esp0 = INNER + INNER_TOP0,
                     .ss0 = selector(2),
                     .esp1 = INNER + INNER_TOP1,
                     .ss1 = selector(LEVEL + KINDS + 1) | 1,
                     .esp2 = INNER + INNER_TOP2,
                     .ss2 = selector(LEVEL + 2 * KINDS + 1) | 2,
                     .cr3 = DIRECTORY,
                     .map = 104u << 16};
    for (u32 i = 0; i < 64; i++)
        main_tss.bitmap[i] = 0xff;
    main_tss.bitmap[0xe9 / 8] = (u8) ~(1 << 0xe9 % 8);
    main_tss.bitmap[0x80 / 8] = 0xfe;
    other_tss = main_tss;
    other_tss.eip = CODE + END;
    other_tss.eflags = 2;
    other_tss.cs = selector(LEVEL);
    other_tss.ss = other_tss.ds = other_tss.es = other_tss.fs = other_tss.gs = selector(LEVEL + 1);
    other_tss.esp = STACK + 0xc00;
    other_tss.ldt = selector(MAIN_LDT);
    double_fault_tss = other_tss;
    double_fault_tss.eip = (u32)double_stub;
    double_fault_tss.cs = selector(1);
    double_fault_tss.ss = double_fault_tss.ds = double_fault_tss.es = double_fault_tss.fs =
        double_fault_tss.gs = selector(2);
    double_fault_tss.esp = 0x6f000;
    small_tss[1] = 0x800; /* SP0; SS0 */
    small_tss[2] = (u16)selector(2);
    small_tss[7] = END;
    small_tss[8] = 2;
    small_tss[13] = 0x700;
    small_tss[17] = small_tss[19] = small_tss[20] = (u16)selector(LEVEL + 3);
    small_tss[18] = (u16)selector(LEVEL + 2);
}

static void make_tables(void)
{
    make_descriptors();
    make_gates();
    make_tasks();
    copy(gdt_kept, gdt, sizeof gdt);
    copy(ldt_kept, ldt, sizeof ldt);
    main_kept = main_tss;
    other_kept = other_tss;
    copy(small_kept, small_tss, sizeof small_tss);
}

static void make_pages(void)
{
    u32 *directory = (u32 *)DIRECTORY, *table0 = (u32 *)TABLE0, *table1 = (u32 *)TABLE1;
    for (u32 i = 0; i < 1024; i++) {
        directory[i] = 0;
        table0[i] = i << 12 | 3;
        table1[i] = 0;
    }
    for (u32 i = 0; i < V86_PAGES; i++)
        table0[(V86 >> 12) + i] |= 4;
    static const u8 rights[PAGES] = {7, 7, 7, 5, 3, 1, 0, 7, 3, 7};
    for (u32 i = 0; i < PAGES; i++)
        table1[i] = (PHYSICAL + (i << 12)) | rights[i];
    directory[0] = TABLE0 | 7;
    directory[1] = TABLE1 | 7;
    for (u32 i = 0; i < 2048; i++)
        ((u32 *)TABLE2)[i] = (RECORDS_AT + (i << 12)) | 3;
    directory[RECORDS >> 22] = TABLE2 | 3;
    directory[(RECORDS >> 22) + 1] = (TABLE2 + 0x1000) | 3;
    copy(table_kept, table1, sizeof table_kept);
    __asm__ volatile("mov %0, %%cr3" : : "r"(DIRECTORY));
    __asm__ volatile("mov %%cr0, %%eax\n or $0x80000000, %%eax\n mov %%eax, %%cr0\n jmp 1f\n1:" : : : "eax");
}

static void load_tables(void)
{
    struct __attribute__((packed)) {
        u16 limit;
        u32 base;
    } g = {sizeof gdt - 1, (u32)gdt}, i = {sizeof idt - 1, (u32)idt};
    __asm__ volatile("lgdt %0\n lidt %1" : : "m"(g), "m"(i) : "memory");
    gdt[MAIN_TSS] = gdt_kept[MAIN_TSS];
    __asm__ volatile("ltr %w0" : : "r"(selector(MAIN_TSS)) : "memory");
    __asm__ volatile("lldt %w0" : : "r"(selector(MAIN_LDT)) : "memory");
}

/* Sets EFLAGS, control and debug registers to their values between tests. The stubs call it, too. */
void reset_registers(void);
void reset_registers(void)
{
    __asm__ volatile("pushl $2\n popfl");
    __asm__ volatile("mov %0, %%cr0" : : "r"(0x80000033));
    __asm__ volatile("mov %0, %%cr4" : : "r"(0));
    __asm__ volatile("mov %0, %%db7" : : "r"(0x400));
    __asm__ volatile("mov %0, %%db6" : : "r"(0xffff0ff0));
    __asm__ volatile("mov %0, %%db0\n\tmov %0, %%db1\n\tmov %0, %%db2\n\tmov %0, %%db3" : : "r"(0));
}

/* --- Tests --- */

static u8 *code;
static u32 level, kind;
static u32 wide;          /* the code segment has 32 bits */
static u32 data_written;  /* far_pointer_at was called for this test */
static u32 made[8];       /* the first bytes of its code, for the record */
static u32 later;         /* the test is one of later_instruction */
static u32 other_address; /* the next instruction has the prefix 67h */
static void b1(u32 a)
{
    *code++ = (u8)a;
}
static void b2(u32 a, u32 b)
{
    b1(a), b1(b);
}
static void b3(u32 a, u32 b, u32 c)
{
    b2(a, b), b1(c);
}
static void w16(u32 a)
{
    b2(a, a >> 8);
}
static void w32(u32 a)
{
    w16(a), w16(a >> 16);
}
static void iz(u32 value) /* an immediate of the code segment's operand size */
{
    wide ? w32(value) : w16(value);
}
static void mov(u32 reg, u32 value)
{
    b1(0xb8 | reg);
    iz(value);
}

/* A segment of real mode. Nothing else uses the memory that it reaches. */
static u32 real_segment(void)
{
    static const u16 segments[] = {0x8100, 0x8101, 0x80ff, 0x8102, 0x8200, 0x8120};
    return segments[below(6)];
}

static u32 any_selector(void)
{
    if (kind == REAL)
        return real_segment();
    switch (below(8)) {
    case 0:
        return below(4);
    case 1:
        return below(8) * 8 | 4 | below(4);
    case 2:
        return (DESCRIPTORS + below(4)) * 8;
    case 3:
        return selector(SPECIAL + below(16)) | below(4);
    case 4:
    case 5:
        return selector(LEVEL + KINDS * level + below(KINDS)) | level;
    default:
        return selector(LEVEL + below(4 * KINDS)) | below(4);
    }
}

static u32 pointer(void)
{
    static const u32 places[] = {DATA,           DATA + 0x7f0,        DATA + 0xff8, READ_ONLY + 0x10,
                                 SUPERVISOR + 8, SUPERVISOR + 0x1008, MISSING,      STACK + 0x800,
                                 DATA + 0x1ffc,  DATA + 0x1008,       READ_ONLY - 3};
    return places[below(11)] + below(12);
}
/* Returns an offset near the limits of small segments. Offsets above 64 KB become very large, because the kernel is there
 * in a segment that begins at 0. */
static u32 offset(void)
{
    static const u32 places[] = {0, 0x7f8, 0x7fe, 0x800, 0xfff0, 0xfffe, 0x10, 0x400};
    u32 at = places[below(8)];
    at += below(4);
    return at < 0x10000 ? at : at | 0x50000000;
}

/* Writes ModRM for `reg` and [EBX], [ESI], [EDI] or [EBP + 0..7], with 16-bit addresses [BX], [SI], [DI] or
 * [BP + 0..7]. */
static void memory_operand(u32 reg)
{
    if (wide ^ other_address) {
        static const u8 rm[] = {3, 6, 7};
        if (below(4) == 0)
            b2(0x45 | reg << 3, below(8));
        else
            b1(rm[below(3)] | reg << 3);
    } else {
        static const u8 rm[] = {7, 4, 5};
        if (below(4) == 0)
            b2(0x46 | reg << 3, below(8));
        else
            b1(rm[below(3)] | reg << 3);
    }
}

static void prefixes(void)
{
    static const u8 overrides[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};
    if (below(3) == 0)
        b1(overrides[below(6)]);
    if (below(6) == 0)
        b1(0x66);
}

static void far_pointer_at(u32 at, u32 where, u32 sel)
{
    u8 *p = (u8 *)(PHYSICAL + (at - TEST));
    u32 size = wide ? 4 : 2;
    data_written = 1;
    if (at < TEST || at >= TEST + PAGES * 4096 - 8)
        return;
    for (u32 i = 0; i < size; i++)
        p[i] = (u8)(where >> 8 * i);
    p[size] = (u8)sel, p[size + 1] = (u8)(sel >> 8);
}

/* Returns a selector for a far transfer. In real mode, target() then leads to INT 20h, because a transfer to any other
 * place would execute what is there. */
static u32 far_selector(void)
{
    static const u16 segments[] = {0x8000, 0x7f00, 0x8040, 0x7ff0};
    return kind == REAL ? segments[below(4)] : any_selector();
}

/* Returns an offset for a far transfer through `sel`: mostly that of INT 20h. */
static u32 target(u32 sel)
{
    if (kind == REAL)
        return V86 + END - sel * 16;
    if (below(12) == 0)
        return wide ? 0xfff00000 : 0xfff0;
    u32 index = sel >> 3;
    if (!(sel & 4) && index >= LEVEL && index < SPECIAL && (index - LEVEL) % KINDS == 2)
        return END;
    return kind >= VIRTUAL ? END : CODE + END;
}

/* Returns a number that leads to no page of the test or of the board, as an address and as a displacement in the code. */
static u32 nowhere(void)
{
    return (next_random() & 0x4fffefff) | 0x4000a000;
}

/* Bits, shifts and arithmetic of other sizes. */
static void bits_and_sizes(void)
{
    enum { TWO = 0x100, UNDEFINED = 0x200 }; /* begins with 0Fh; leaves flags undefined */
    static const u16 ops[] = {TWO | UNDEFINED | 0xa3,
                              TWO | UNDEFINED | 0xab,
                              TWO | UNDEFINED | 0xb3,
                              TWO | UNDEFINED | 0xbb,
                              TWO | UNDEFINED | 0xa5,
                              TWO | UNDEFINED | 0xad,
                              TWO | UNDEFINED | 0xaf,
                              TWO | 0xc1,
                              TWO | 0xb1,
                              TWO | 0xbe,
                              TWO | 0xb7,
                              TWO | 0xc7,
                              0x10,
                              0x19,
                              UNDEFINED | 0x85,
                              0xf7,
                              0xfe,
                              0xd1};
    u32 op = ops[below(sizeof ops / sizeof ops[0])];
    if (op & UNDEFINED && test_frame[13] & 0x100)
        op = 0x10;
    prefixes();
    if (op & TWO)
        b1(0x0f);
    b1(op);
    /* ECX is the bit offset, because make_registers makes it small: a large one could lead to the kernel. CMPXCHG8B has
     * 1 in the same field. */
    if ((op & 0xe7) == 0xa3 || op == (TWO | 0xc7))
        memory_operand(1);
    else
        memory_operand(op == 0xfe ? below(2) : op == 0xf7 ? 2 + below(2) : below(4));
    if (op & UNDEFINED)
        b2(0x39, 0xc0);
}

/* x87 instructions with memory. */
static void x87_reference(void)
{
    static const u8 x87[][2] = {{0xd9, 0}, {0xdd, 0}, {0xdb, 5}, {0xd9, 2}, {0xdd, 3}, {0xdf, 5},
                                {0xdf, 7}, {0xd9, 7}, {0xdd, 7}, {0xda, 0}, {0xdc, 1}};
    prefixes();
    u32 op = below(sizeof x87 / sizeof x87[0]);
    b1(x87[op][0]), memory_operand(x87[op][1]);
}

/* Near transfers over two bytes, or to an address without a page. */
static void near_transfer(void)
{
    static const u8 flow[] = {0xe8, 0xe9, 0xeb, 0x75, 0xe2, 0xe3};
    u32 op = flow[below(6)];
    b1(op);
    if (op == 0xe8 || op == 0xe9)
        iz(below(3) ? 2 : nowhere());
    else
        b1(2);
    b2(0x90, 0x90);
}

/* Near transfers through memory, and RET. */
static void near_transfer_by_memory(void)
{
    if (below(2)) {
        /* In V86 and real mode the target has 32 bits, because one of 16 may be this instruction. */
        kind < VIRTUAL ? prefixes() : b1(0x66);
        b1(0xff), memory_operand(2 + 2 * below(2));
    } else {
        u32 size = below(3) == 0;
        if (size)
            b1(0x66);
        b1(0x68), (size ^ wide) ? w32(below(2) ? nowhere() : END) : w16(END);
        if (size)
            b1(0x66);
        b1(0xc3);
    }
}

/* An x87 or MMX instruction, at level 0 after a change of CR0.TS, EM and MP. */
static void x87_after_control(void)
{
    if (level == 0 && kind < VIRTUAL) {
        if (!wide)
            b1(0x66);
        b1(0xb8), w32(0x80000031 | below(8) << 1), b3(0x0f, 0x22, 0xc0);
    }
    switch (below(4)) {
    case 0:
        b1(0x9b);
        break;
    case 1:
        b2(0xd9, 0xe8);
        break;
    case 2:
        b3(0x0f, 0xef, 0xc0), b2(0x0f, 0x77);
        break;
    default:
        b2(0xdf, 0xe0), b2(0x33, 0xc0);
    }
}

/* LOCK before instructions that permit it and others. */
static void locked_reference(void)
{
    static const u8 locked[] = {0x01, 0x87, 0x29, 0x39, 0x8b, 0xf7, 0xff};
    u32 op = locked[below(7)];
    b1(0xf0), b1(op), memory_operand(op == 0xf7 ? 2 : op == 0xff ? below(2) : 0);
}

/* Strings and XLAT, with any prefixes. */
static void string_of_any_size(void)
{
    static const u8 strings[] = {0xa5, 0xa7, 0xab, 0xad, 0xaf, 0xd7};
    if (below(2))
        b1(0xf2 + below(2));
    prefixes();
    b1(strings[below(6)]);
}

/* Tests from 2^31 on: bits and strings of other sizes, near transfers beyond limits, the x87 and its bits of
 * CR0, address sizes, LOCK. They are not for QEMU, whose x87 has no empty registers. Stores of 80 bits and BOUND are
 * left out: Bochs refers to their parts in another order, or at 0 after 64 KB. */
static void later_instruction(void)
{
    static void (*const forms[])(void) = {bits_and_sizes,    bits_and_sizes,   x87_reference,
                                          x87_reference,     near_transfer,    near_transfer_by_memory,
                                          x87_after_control, locked_reference, string_of_any_size};
    u32 which = below(9);
    if (which == 8)
        mov(1, below(5)); /* a count so small that a string does not reach the kernel from the end of 64 KB */
    other_address = below(4) == 0;
    if (other_address)
        b1(0x67);
    forms[which]();
    other_address = 0;
}

/* What the next instruction uses: a register other than ESP, and a selector in the forms with one. */
static u32 chosen, chosen_selector;

/* MOV sreg, r. */
static void load_segment(void)
{
    static const u8 sregs[] = {0, 2, 3, 4, 5};
    mov(0, chosen_selector);
    b2(0x8e, 0xc0 | sregs[below(5)] << 3);
}

/* POP sreg. */
static void pop_segment(void)
{
    static const u16 ops[] = {0x07, 0x17, 0x1f, 0x0fa1, 0x0fa9};
    b1(0x68), iz(chosen_selector);
    u32 op = ops[below(5)];
    if (op > 0xff)
        b1(op >> 8);
    b1(op);
}

/* LDS, LES, LSS, LFS, LGS. */
static void load_far_pointer(void)
{
    u32 at = DATA + 0x40;
    far_pointer_at(at, next_random(), chosen_selector);
    mov(3, wide ? at : 0x40);
    static const u8 ops[] = {0xc4, 0xc5, 0xb2, 0xb4, 0xb5};
    u32 op = ops[below(5)];
    if (op < 0xc0)
        b1(0x0f);
    b2(op, wide ? 0x0b : 0x0f); /* ECX, [EBX] or [BX] */
}

/* LAR, LSL. */
static void access_rights(void)
{
    mov(0, chosen_selector);
    if (below(3) == 0)
        b1(0x66);
    b3(0x0f, 2 + below(2), 0xd0); /* EDX, EAX */
    b1(0x9c); /* AND clears bits 16 to 19, which LAR leaves undefined; PUSHF, POPF keep ZF */
    if (!wide)
        b1(0x66);
    b2(0x81, 0xe2), w32(0xfff0ffff), b1(0x9d);
}

/* VERR, VERW, ARPL. */
static void verify(void)
{
    mov(0, chosen_selector);
    if (below(2)) {
        b3(0x0f, 0x00, 0xe0 | below(2) << 3);
    } else {
        mov(1, any_selector());
        b2(0x63, 0xc8);
    }
}

/* SLDT, STR. */
static void store_selector(void)
{
    b3(0x0f, 0x00, 0xc0 | below(2) << 3 | chosen);
}

/* SMSW m. */
static void store_status_word(void)
{
    b2(0x0f, 0x01), memory_operand(4); /* SMSW m */
}

/* LLDT, LTR. */
static void load_system_selector(void)
{
    mov(0, chosen_selector);
    b3(0x0f, 0x00, 0xd0 | below(2) << 3);
}

/* Control registers. */
static void control_register(void)
{
    switch (below(6)) {
    case 0:
        /* CR2 is left out, because an earlier test set it. CR3 and CR4 go to no register that is a pointer. */
        b3(0x0f, 0x20, below(2) ? 0xc0 | chosen : (0xd8 + 8 * below(2)) | chosen % 3);
        break;
    case 1: /* CR0, with and without WP */
        if (!wide)
            b1(0x66);
        b1(0xb8), w32(0x80000033 | (next_random() & 1 << 16)), b3(0x0f, 0x22, 0xc0);
        break;
    case 2:
        b3(0x0f, 0x22, 0xd0 | chosen);
        break;
    case 3:
        mov(0, below(16) | 1), b3(0x0f, 0x01, 0xf0);
        break; /* LMSW */
    case 4:
        b2(0x0f, 0x06);
        break;
    default:
        if (!wide) /* CR4: QEMU accepts bits that are reserved here, and then never ends the test */
            b1(0x66);
        b1(0xb8), w32(below(256) & 0x5f), b3(0x0f, 0x22, 0xe0);
        break;
    }
}

/* Debug registers. */
static void debug_register(void)
{
    if (kind == REAL && !below(2))
        return;
    if (below(2))
        b3(0x0f, 0x21, 0xc0 | below(8) << 3 | chosen);
    else
        mov(0, next_random() & 0xffff & (u32)~0x20ff), b3(0x0f, 0x23, 0xc0 | below(8) << 3);
}

/* CLI, STI. */
static void interrupt_flag(void)
{
    b1(below(2) ? 0xfa : 0xfb);
}

/* PUSHF. */
static void push_flags(void)
{
    if (below(3) == 0)
        b1(0x66);
    b1(0x9c), b1(0x58 | chosen);
}

/* POPF, which leaves TF clear. */
static void pop_flags(void)
{
    b1(0x68), iz(next_random() & 0x7eff);
    b1(0x9d);
}

/* INT3 or ICEBP, INTO, INT n. */
static void software_interrupt(void)
{
    switch (below(4)) {
    case 0:
        b1(parameters.breakpoints && below(2) ? 0xf1 : 0xcc); /* QEMU stops at ICEBP */
        break;
    case 1:
        b1(0xce);
        break;
    default:
        b2(0xcd, 0x21 + below(12));
        break;
    }
}

/* Far JMP and CALL. */
static void far_transfer(void)
{
    b1(below(2) ? 0xea : 0x9a);
    iz(target(chosen_selector)), w16(chosen_selector);
}

/* Far JMP and CALL through memory. */
static void far_transfer_by_memory(void)
{
    u32 at = DATA + 0x80;
    far_pointer_at(at, target(chosen_selector), chosen_selector);
    mov(3, wide ? at : 0x80);
    b2(0xff, (wide ? 0x03 : 0x07) | (3 + 2 * below(2)) << 3);
}

/* RETF. */
static void far_return(void)
{
    if (below(2)) {
        b1(0x68), iz(any_selector());
        b1(0x68), iz(wide ? STACK + 0x700 : 0x700);
    }
    b1(0x68), iz(chosen_selector);
    b1(0x68), iz(target(chosen_selector));
    if (below(2))
        b1(0xcb);
    else
        b1(0xca), w16(below(3) * 4);
}

/* IRET. */
static void interrupt_return(void)
{
    if (below(2)) {
        b1(0x68), iz(any_selector());
        b1(0x68), iz(wide ? STACK + 0x700 : 0x700);
    }
    b1(0x68),
        iz((next_random() & 0x3ed5) | (below(8) == 0 && wide ? 0x20000 : 0) | (below(16) == 0 ? 0x4000 : 0));
    b1(0x68), iz(chosen_selector);
    b1(0x68), iz(target(chosen_selector));
    b1(0xcf);
}

/* IN, OUT, INS, OUTS. */
static void port(void)
{
    switch (below(6)) {
    case 0:
        b2(0xe4, below(2) ? 0xe9 : 0xea);
        break;
    case 1:
        mov(2, 0xe8 + below(3)), b1(0xec);
        break;
    case 2:
        mov(0, 0), b2(0xe6, 0x80);
        break;
    case 3:
        mov(2, 0x80), b1(0xee);
        break;
    case 4:
        mov(2, 0xe9), prefixes(), b1(0x6c);
        break;
    default:
        mov(2, 0x80), prefixes(), b1(0x6e);
        break;
    }
}

/* Instructions that only level 0 may execute. They are left out at level 0. */
static void privileged(void)
{
    if (level == 0)
        return;
    switch (below(6)) {
    case 0:
        b1(0xf4);
        break;
    case 1:
        b2(0x0f, 0x08);
        break;
    case 2:
        b2(0x0f, 0x09);
        break;
    case 3:
        b3(0x0f, 0x01, wide ? 0x3b : 0x3f);
        break; /* INVLPG [EBX] */
    case 4:
        b2(0x0f, 0x32);
        break;
    default:
        b3(0x0f, 0x01, (2 + below(2)) << 3 | (wide ? 3 : 7));
        break; /* LGDT, LIDT */
    }
}

/* PUSHA, POPA, ENTER, LEAVE, PUSH, POP. */
static void stack_instruction(void)
{
    switch (below(7)) {
    case 0:
        b1(0x60);
        break;
    case 1:
        b1(0x61);
        break;
    case 2:
        b1(0xc8), w16(below(32)), b1(below(4));
        break;
    case 3:
        b1(0xc9);
        break;
    case 4:
        b1(0x50 | chosen);
        break;
    case 5:
        prefixes(), b1(0xff), memory_operand(6);
        break;
    default:
        prefixes(), b1(0x8f), memory_operand(0);
        break;
    }
}

/* PUSH sreg; MOV r, sreg. */
static void selector_register(void)
{
    static const u8 pushes[] = {0x06, 0x0e, 0x16, 0x1e};
    if (below(2)) {
        u32 push = pushes[below(4)]; /* 16 bits: the upper half of 32 is undefined */
        wide ? b2(0x66, push) : b1(push);
        wide ? b2(0x66, 0x58 | chosen) : b1(0x58 | chosen);
    } else
        b2(0x8c, 0xc0 | below(6) << 3 | chosen);
}

/* Strings. */
static void string_instruction(void)
{
    static const u8 ops[] = {0xa4, 0xa5, 0xaa, 0xab, 0xac, 0xad, 0xa6, 0xae};
    if (below(2))
        mov(1, below(5)), b1(0xf3);
    prefixes();
    b1(ops[below(8)]);
}

/* MOV of segment registers, SLDT, STR, LLDT, LTR, VERR, VERW, LAR, LSL, SGDT, SIDT in memory; PUSH FS, GS. */
static void selector_in_memory(void)
{
    switch (below(6)) {
    case 0:
        b1(0x8c), memory_operand(below(6));
        break;
    case 1: {
        static const u8 sregs[] = {0, 2, 3, 4, 5};
        b1(0x8e), memory_operand(sregs[below(5)]);
        break;
    }
    case 2:
        b2(0x0f, 0x00), memory_operand(below(6));
        break;
    case 3:
        b2(0x0f, 0x02 + below(2)), memory_operand(2);
        b3(0x31, 0xd2, 0x90); /* XOR EDX, EDX: some of LAR's bits are undefined */
        break;
    case 4:
        b2(0x0f, 0x01), memory_operand(below(2));
        break;
    default: {
        u32 push = 0xa0 + 8 * below(2); /* 16 bits: the upper half of 32 is undefined */
        wide ? b3(0x66, 0x0f, push) : b2(0x0f, push);
        wide ? b2(0x66, 0x58 | chosen) : b1(0x58 | chosen);
        break;
    }
    }
}

/* SMSW r, CPUID, RDTSC. */
static void processor_state(void)
{
    switch (below(4)) {
    case 0:
        b3(0x0f, 0x01, 0xe0 | chosen); /* SMSW r */
        break;
    case 1: /* CPUID: the vendor */
        if (!wide)
            b1(0x66);
        b1(0xb8), w32(0), b2(0x0f, 0xa2);
        break;
    default: /* RDTSC: XOR clears the result, which differs between processors; so no trap may follow RDTSC */
        if (parameters.breakpoints || test_frame[13] & 0x100)
            break;
        b2(0x0f, 0x31), b3(0x66, 0x31, 0xc0), b2(0x31, 0xc0), b3(0x66, 0x31, 0xd2), b2(0x31, 0xd2);
        break;
    }
}

/* References to data. */
static void data_reference(void)
{
    static const u8 ops[][2] = {{0x8b, 0}, {0x89, 0}, {0x01, 0}, {0x8a, 1}, {0x88, 1}, {0x87, 1}, {0x83, 7}};
    prefixes();
    u32 which = below(7);
    b1(ops[which][0]), memory_operand(ops[which][1]);
    if (which == 6)
        b1(5);
}

/* An instruction of the test. */
static void instruction(void)
{
    static void (*const forms[])(void) = {load_segment,
                                          pop_segment,
                                          load_far_pointer,
                                          access_rights,
                                          verify,
                                          store_selector,
                                          store_status_word,
                                          load_system_selector,
                                          control_register,
                                          debug_register,
                                          interrupt_flag,
                                          push_flags,
                                          pop_flags,
                                          software_interrupt,
                                          far_transfer,
                                          far_transfer_by_memory,
                                          far_return,
                                          interrupt_return,
                                          port,
                                          privileged,
                                          stack_instruction,
                                          selector_register,
                                          string_instruction,
                                          selector_in_memory,
                                          processor_state,
                                          data_reference};
    enum { MOST = sizeof forms / sizeof forms[0] - 1 }; /* the last form is as likely as nine others */
    if (later && below(2)) {
        later_instruction();
        return;
    }
    chosen = below(8);
    u32 which = below(34);
    if (chosen == 4)
        chosen = 1;
    if (kind == REAL && (which == 8 || which == 18)) /* would leave real mode; ports are not the same */
        which = 9;
    if (kind == REAL && (which == 2 || which == 15 || which == 23)) /* segments from anywhere */
        which = 33;
    chosen_selector = which < 8 ? any_selector() : which >= 14 && which < 18 ? far_selector() : 0;
    forms[which < MOST ? which : MOST]();
}

static int is_dirty(u32 page)
{
    enum { PTE_DIRTY = 0x40 };
    return (((u32 *)TABLE1)[page] & PTE_DIRTY) || (page == (DATA - TEST) >> 12 && data_written);
}

/* Fills memory with INT3: a jump there ends the test. */
static void fill(u32 at, u32 bytes)
{
    u32 left = bytes / 4;
    __asm__ volatile("rep stosl" : "+D"(at), "+c"(left) : "a"(0xcccccccc) : "memory");
}

/* Restores what the previous test, of kind `previous`, may have changed and report() has not restored. */
static void restore(u32 previous)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(DIRECTORY) : "memory");
    load_tables();
    if (later) {
        fill(0, KERNEL); /* 16-bit addresses in 32-bit code lead anywhere there */
    } else {             /* places of offset() in a segment that begins at 0 */
        static const u32 low[] = {0, 0x3e0, 0x7e0, 0xffc0};
        for (u32 i = 0; i < sizeof low / sizeof low[0]; i++)
            fill(low[i], 64);
    }
    if (previous >= VIRTUAL) { /* all but what report() has restored */
        fill(V86, LOW - V86);
        fill(LOW + LOW_BYTES, V86_END - LOW - LOW_BYTES);
    }
    /* SGDT at FFFEh continues here or, with 16-bit addresses under Bochs, at 0. It is not executed again. */
    ((volatile u32 *)KERNEL)[0] = ((volatile u32 *)KERNEL)[1] = 0xcccccccc;
}

/* Sets breakpoints on code and data of the test. */
static void make_breakpoints(void)
{
    static const u32 kinds[] = {0, 1, 3, 1}; /* execution; writes; reads and writes */
    u32 at[4], control = 0x400;
    for (u32 i = 0; i < 4; i++) {
        u32 which = kinds[below(4)], length = which == 0 ? 0 : below(2) ? 3 : below(2);
        if (which == 0)
            at[i] = (kind >= VIRTUAL ? V86 : CODE) + below(12);
        else
            at[i] = kind >= VIRTUAL ? 0x81000 + offset() : DATA + 4 * below(600);
        at[i] &= ~length;
        control |= (which | length << 2) << (16 + 4 * i) | (below(3) ? 2u << 2 * i : 0);
    }
    __asm__ volatile("mov %0, %%db0\n\tmov %1, %%db1\n\tmov %2, %%db2\n\tmov %3, %%db3"
                     :
                     : "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
    __asm__ volatile("mov %0, %%db7" : : "r"(control));
}

static void make_registers(u32 *f, u32 iopl)
{
    f[0] = next_random();
    f[1] = below(64);
    f[2] = below(2) ? next_random() & 0xffff : next_random();
    for (u32 i = 0; i < 4; i++)
        f[7 + i] = kind == REAL      ? real_segment()
                   : kind == VIRTUAL ? 0x8100 + below(4)
                                     : selector(LEVEL + KINDS * level +
                                                (below(2)   ? 1
                                                 : below(2) ? 3 + below(4)
                                                            : 7)) |
                                           level;
    u32 small = !wide || below(3) == 0;
    for (u32 i = 0; i < 4; i++)
        f[3 + i] = small ? offset() : pointer();
    f[13] = 2 | iopl << 12 | (next_random() & 0x8d5);
    if (below(12) == 0)
        f[13] |= 0x100;
    f[16] = kind;
    if (kind >= VIRTUAL) {
        f[11] = 0x8200;
        f[12] = kind == REAL || below(8) ? 0x800 : below(6);
        if (kind == REAL) /* LEAVE: without a stack the processor shuts down */
            f[4] = 0x400 + below(64);
        f[13] |= kind == VIRTUAL ? 0x20000 : 0;
        f[14] = V86 >> 4;
        f[15] = 0;
    } else {
        f[11] = selector(LEVEL + KINDS * level + 1) | level;
        f[12] = STACK + 0x800;
        if (!wide && below(2)) /* 16-bit stack, or one that ends */
            f[11] = selector(LEVEL + KINDS * level + 6) | level, f[12] = 0x1000;
        f[14] = selector(LEVEL + KINDS * level + (wide ? 0 : 2)) | level;
        f[15] = wide ? CODE : 0;
    }
}

static u8 *test_code(void)
{
    return (u8 *)(kind >= VIRTUAL ? V86 : PHYSICAL);
}

static void make(u32 index)
{
    random_state = index * 2654435761u ^ 0x2545f491u;
    for (u32 i = 0; i < 6; i++)
        next_random();
    restore(kind);
    u32 mode = below(6);
    level = below(4);
    kind = mode == 0 ? VIRTUAL : mode == 1 ? REAL : level == 0 ? PROTECTED0 : PROTECTED;
    if (kind >= VIRTUAL)
        level = kind == REAL ? 0 : 3;
    wide = kind < VIRTUAL && below(3) != 0;
    later = index >> 31;
    if (later)
        __asm__ volatile("fninit");
    code = test_code();
    fill((u32)code, CODE_BYTES);
    make_registers(test_frame, below(2) ? 3 : below(4));
    for (u32 left = 1 + below(3); left != 0; left--)
        instruction();
    b2(0xcd, 0x20);
    *(u16 *)(V86 + END) = INT_20H;
    if (below(16) == 0)
        __asm__ volatile("mov %0, %%cr4" : : "r"(4)); /* TSD */
    copy(made, test_code(), sizeof made);
    if (parameters.breakpoints && below(6) == 0)
        make_breakpoints();
}

static void report(u32 index, system_record *r)
{
    const u32 *f = found;
    u32 inner = kind != REAL && (f[3] & 3) == 0 && !(f[4] & 0x20000);
    *r = (system_record){.magic = SYSTEM_MAGIC, .index = index, .vector = f[0]};
    if (f[0] != 8) {
        r->error = f[1] & 0xffff, r->eip = f[2], r->cs = f[3] & 0xffff, r->eflags = f[4];
        r->esp = inner ? f[19] + 20 : f[5];
        r->ss = (inner ? f[18] : f[6]) & 0xffff;
        r->eax = f[7], r->ecx = f[8], r->edx = f[9], r->ebx = f[10], r->ebp = f[11], r->esi = f[12],
        r->edi = f[13];
        const u32 *segments = f + 14;
        u32 virtual[4];
        if (kind != REAL && f[4] & 0x20000) { /* ES DS FS GS are on the stack */
            const u32 *saved = (const u32 *)(f[19] + 28);
            virtual[0] = saved[1], virtual[1] = saved[0], virtual[2] = saved[2], virtual[3] = saved[3];
            segments = virtual;
        }
        r->ds = segments[0] & 0xffff, r->es = segments[1] & 0xffff;
        r->fs = segments[2] & 0xffff, r->gs = segments[3] & 0xffff;
        r->cr2 = f[0] == 14 ? f[20] : 0;
        r->cr0 = f[21], r->tr = f[22] & 0xffff, r->ldtr = f[23] & 0xffff, r->cr4 = f[24], r->dr6 = f[25];
        u32 stack = (f[18] & 0xffff) >> 3, base = 0;
        if (inner && !(f[18] & 4) && stack >= LEVEL && stack < SPECIAL)
            base =
                (stack - LEVEL) % KINDS == 3 || (stack - LEVEL) % KINDS == 5 || (stack - LEVEL) % KINDS == 6
                    ? DATA
                    : 0;
        base += f[19];
        if (inner && (base - DATA < 0x1ff0 || base - STACK < 0xff0)) {
            ((u16 *)base)[3] = 0; /* upper halves of two selectors, which are undefined */
            ((u16 *)base)[7] = 0;
        }
    }
    r->kind = kind << 8 | level << 4 | wide;
    enum { WORDS = sizeof made / sizeof made[0] };
    for (u32 i = 0; i < WORDS; i++)
        r->code[i] = __builtin_bswap32(made[i]);
    r->overwritten = restored(test_code(), made, WORDS);
    copy((void *)PHYSICAL, (void *)KEPT, CODE_BYTES);
    for (u32 i = 0; i < PAGES; i++)
        if (is_dirty(i) && i << 12 != INNER - TEST) /* the handler uses the inner stacks, too */
            r->memory += restored((void *)(PHYSICAL + (i << 12)), (void *)(KEPT + (i << 12)), 1024) * (i + 1);
    for (u32 i = 0; i < 3; i++) {
        enum { PUSHED = 256 };
        static const u16 tops[] = {INNER_TOP0, INNER_TOP1, INNER_TOP2};
        u32 at = INNER - TEST + tops[i] - PUSHED;
        copy((void *)(PHYSICAL + at), (void *)(KEPT + at), PUSHED);
    }
    data_written = 0;
    r->low = kind >= VIRTUAL ? restored((void *)LOW, (void *)KEPT, LOW_BYTES / 4) : 0;
    r->descriptors = restored(gdt, gdt_kept, sizeof gdt / 4) + restored(ldt, ldt_kept, sizeof ldt / 4);
    r->pages = restored((void *)TABLE1, table_kept, sizeof table_kept / 4);
    r->tss = restored(&other_tss, &other_kept, sizeof other_tss / 4) +
             restored(small_tss, small_kept, sizeof small_tss / 4);
    r->main_tss = restored(&main_tss, &main_kept, sizeof main_tss / 4);
    if (f[0] == 8)
        r->memory = r->low = r->descriptors = r->pages = r->tss = r->main_tss = 0;
    const void *at = r;
    u32 left = parameters.port ? sizeof *r : 0;
    __asm__ volatile("rep outsb" : "+S"(at), "+c"(left) : "d"(0xe9) : "memory");
}

void kernel_main(void);
void kernel_main(void)
{
    parameters = *(const struct parameters *)PARAMETERS;
    fill(0, KERNEL);
    fill(V86, V86_END - V86);
    for (u32 k = 0; k < PAGES * 1024; k++)
        ((u32 *)KEPT)[k] = (k >> 10) * 0x1010101 + (k & 1023) * 0x10001;
    *(u16 *)(KEPT + END) = INT_20H;
    copy((void *)PHYSICAL, (void *)KEPT, PAGES * 4096);
    copy((void *)LOW, (void *)KEPT, LOW_BYTES);
    make_tables();
    make_pages();
    reset_registers();
    out8(0x21, 0xff);
    out8(0xa1, 0xff);
    for (u32 i = 0; i < parameters.count; i++) {
        make(parameters.first + i);
        run_test();
        report(parameters.first + i, (system_record *)RECORDS + i);
    }
}
