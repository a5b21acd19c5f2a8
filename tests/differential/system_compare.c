/* Compares the records that system.c left under p5scope with those of two other emulators.
 *   system_compare COUNT P5SCOPE BOCHS [QEMU]     exit status 1 if p5scope differs in a way that no rule below allows,
 *                                                 or if there are not COUNT tests; 3 if only QEMU differs, 4 if it
 *                                                 ended in a test, 5 if it may have
 * p5scope must agree with Bochs, except for the rules of the first table. Where Bochs and QEMU disagree, the manual
 * decides: the second table lists what QEMU leaves out. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system_read.h"

enum { RF = 1 << 16, WRITE = 2, DR6_RESERVED = 1 << 12, UD = 6, PF = 14, REFUSED_WRITE = 7 };

typedef struct rule {
    const char *reason;
    bool (*applies)(const system_record *ours, const system_record *theirs);
    /* What is taken from theirs before the rest is compared. */
    void (*allow)(system_record *ours, const system_record *theirs);
    unsigned used;
} rule;

static bool page_fault(const system_record *a, const system_record *b)
{
    return a->vector == 14 && b->vector == 14;
}
static bool near_cr2(const system_record *a, const system_record *b)
{
    return page_fault(a, b) && a->cr2 - b->cr2 + 4 <= 8;
}
static void take_cr2(system_record *a, const system_record *b)
{
    a->cr2 = b->cr2;
}
static bool same_fault(const system_record *a, const system_record *b)
{
    return a->vector == b->vector && (a->vector == 1 || (a->vector >= 10 && a->vector <= 14));
}
static void take_pages(system_record *a, const system_record *b)
{
    a->pages = b->pages;
}

static bool breakpoints(const system_record *a, const system_record *b)
{
    enum { DR6_MATCHES = 15 };
    return a->vector == 1 && ((a->dr6 ^ b->dr6) & ~(uint32_t)DR6_MATCHES) == 0;
}
static void take_matches(system_record *a, const system_record *b)
{
    a->dr6 = b->dr6;
}

enum { CODE_BYTES = 32 };
/* The test's code from `offset` on; every code segment that it can be in begins at a page. */
static const uint8_t *code_at(const system_record *r, uint32_t offset, uint8_t bytes[CODE_BYTES])
{
    offset &= 4095;
    for (unsigned i = 0; i < CODE_BYTES; i++)
        bytes[i] = (uint8_t)(r->code[i / 4] >> (24 - i % 4 * 8));
    return bytes + (offset < CODE_BYTES - 2 ? offset : CODE_BYTES - 2);
}
/* The last byte of an opcode of `size` bytes that the test has, of which `last_mask` counts; -1: none. */
static int has(const system_record *r, const char *opcode, size_t size, uint8_t last_mask)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(r, 0, bytes);
    for (size_t i = 0; i + size <= CODE_BYTES; i++)
        if (memcmp(code + i, opcode, size - 1) == 0 &&
            (code[i + size - 1] & last_mask) == (uint8_t)opcode[size - 1])
            return code[i + size - 1];
    return -1;
}
static void take_register(system_record *a, const system_record *b, int number, uint32_t mask)
{
    uint32_t *const mine[] = {&a->eax, &a->ecx, &a->edx, &a->ebx, &a->esp, &a->ebp, &a->esi, &a->edi};
    const uint32_t *const other[] = {&b->eax, &b->ecx, &b->edx, &b->ebx, &b->esp, &b->ebp, &b->esi, &b->edi};
    *mine[number] = (*mine[number] & ~mask) | (*other[number] & mask);
}
static bool lar(const system_record *a, const system_record *b, uint32_t bits)
{
    return has(a, "\x0f\x02", 2, 0xff) >= 0 && ((a->edx ^ b->edx) & ~bits) == 0;
}
static bool lar_undefined(const system_record *a, const system_record *b)
{
    return lar(a, b, 0xf0000);
}
static void take_edx(system_record *a, const system_record *b)
{
    a->edx = b->edx;
}
static bool later_nop(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    (void)b;
    return a->vector == UD && code[0] == 0x0f && (code[1] & 0xf8) == 0x18;
}
/* What code that has overwritten itself has become may be what no test has. Of that these are undefined:
 * flags, CPUID after its last leaf. */
static bool became_undefined_flags(const system_record *a, const system_record *b)
{
    enum { STATUS_FLAGS = 0x8d5 };
    return a->overwritten != 0 && ((a->eflags ^ b->eflags) & ~(uint32_t)STATUS_FLAGS) == 0;
}
static void take_status_flags(system_record *a, const system_record *b)
{
    a->eflags = b->eflags;
}
static bool became_leaf(const system_record *a, const system_record *b)
{
    enum { FEATURES = 0x8203bf }; /* leaf 1 of Bochs */
    return a->overwritten != 0 && a->edx == 0 && b->edx == FEATURES;
}
static bool became_later(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    return a->overwritten != 0 && a->vector == UD && b->vector != UD && *code_at(a, a->eip, bytes) == 0x0f;
}
static void take_leaf(system_record *a, const system_record *b)
{
    a->eax = b->eax, a->edx = b->edx;
}
/* The processor's time shows where what was to clear it is overwritten. */
static bool became_time(const system_record *a, const system_record *b)
{
    (void)b;
    return a->overwritten != 0 && has(a, "\x0f\x31", 2, 0xff) >= 0;
}
/* Some register at the end of 64 KB, with 16-bit addresses. */
static bool at_end(const system_record *a)
{
    enum { LAST = 0xfff0 };
    const uint32_t registers[] = {a->ebx, a->ebp, a->esi, a->edi};
    bool end = false;
    for (unsigned i = 0; i < 4; i++)
        end |= (registers[i] & LAST) == LAST;
    return end && !(a->kind & 1);
}
/* SGDT and SIDT: what of memory was stored to, and whether the second part is refused. */
static bool table_at_end(const system_record *a, const system_record *b)
{
    (void)b;
    return at_end(a) && has(a, "\x0f\x01\x00", 3, 0x30) >= 0;
}
static bool became_far_pointer(const system_record *a, const system_record *b)
{
    enum { GP = 13 };
    return a->overwritten != 0 && at_end(a) && a->vector == GP && b->vector != GP;
}
static void take_table(system_record *a, const system_record *b)
{
    if (a->vector == b->vector)
        a->memory = b->memory, a->low = b->low;
    else
        *a = *b;
}
/* SDM vol. 2, REP: a fault in a repeated CMPS or SCAS restores EFLAGS. */
static bool repeated_compare_but(const system_record *a, const system_record *b, uint32_t flags)
{
    enum { STATUS_FLAGS = 0x8d5 };
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    while (code < bytes + CODE_BYTES - 1 && memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", *code, 10))
        code++;
    return same_fault(a, b) && ((*code & 0xfe) == 0xa6 || (*code & 0xfe) == 0xae) &&
           ((a->eflags ^ b->eflags) & ~(STATUS_FLAGS | flags)) == 0;
}
static bool repeated_compare(const system_record *a, const system_record *b)
{
    return repeated_compare_but(a, b, 0);
}
static bool elsewhere(const system_record *a, const system_record *b)
{
    enum { REAL = 3, FILLED = 0xcccc };
    return a->kind >> 8 == REAL &&
           ((a->cs == FILLED && b->cs == FILLED) || (a->ss == FILLED && b->ss == FILLED));
}
enum { DR6_TASK = 1 << 15 };
static bool task_bit(const system_record *a, const system_record *b)
{
    return a->vector == 1 && a->dr6 & ~b->dr6 & DR6_TASK;
}
static void take_task_bit(system_record *a, const system_record *b)
{
    a->dr6 = (a->dr6 & ~(uint32_t)DR6_TASK) | (b->dr6 & DR6_TASK);
}
static bool stepped_task(const system_record *a, const system_record *b)
{
    enum { DR6_STEP = 1 << 14, MAIN_TSS = 0x18 };
    return a->vector == 1 && a->dr6 & DR6_STEP && a->tr != MAIN_TSS && b->tr == a->tr;
}
/* A trap that leaves EIP at a repeated string instruction. Bochs 3 sets RF as Intel's do, before it did not;
 * docs/fidelity.md. */
static bool between_iterations(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    bool repeated = false;
    for (; code < bytes + CODE_BYTES - 1 && memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", *code, 10);
         code++)
        repeated = repeated || *code >= 0xf2;
    bool string =
        (*code >= 0x6c && *code <= 0x6f) || (*code >= 0xa4 && *code <= 0xaf && (*code & 0xfe) != 0xa8);
    return a->vector == 1 && b->vector == 1 && a->eip == b->eip && repeated && string;
}
static void take_flags(system_record *a, const system_record *b)
{
    a->eflags = (a->eflags & ~(uint32_t)RF) | (b->eflags & RF);
}
static void take_all(system_record *a, const system_record *b)
{
    *a = *b;
}

/* A far CALL: 9Ah, FFh /3. */
static bool far_call(const system_record *r)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(r, r->eip, bytes);
    return code[0] == 0x9a || (code[0] == 0xff && (code[1] >> 3 & 7) == 3);
}
static bool call_within_level3(const system_record *a, const system_record *b)
{
    return a->vector == PF && a->error == REFUSED_WRITE && (a->cs & 3) == 3 && (b->cs & 3) == 3 &&
           far_call(a);
}
static bool call_of_level3(const system_record *a, const system_record *b)
{
    enum { LEVEL = 8, KINDS = 10, CONFORMING = 7 }; /* system.c: its descriptors */
    uint32_t index = b->cs >> 3;
    return call_within_level3(a, b) && !(b->cs & 4) && index >= LEVEL &&
           (index - LEVEL) % KINDS == CONFORMING;
}

static rule bochs_rules[] = {
    {"a far CALL of level 3 to a conforming segment writes its stack at level 3", call_of_level3, take_all,
     0},
    {"bits 16 to 19 of LAR are undefined", lar_undefined, take_edx, 0},
    {"0F 18 to 0F 1F are instructions of later processors", later_nop, take_all, 0},
    {"SGDT and SIDT where 64 KB end: whether the base goes on at 0 is not documented", table_at_end,
     take_table, 0},
    {"a fault in a repeated CMPS or SCAS restores EFLAGS", repeated_compare, take_status_flags, 0},
    {"what segment CCCC has, of a return or a stack by what memory is filled with, is the board's", elsewhere,
     take_all, 0},
    {"a trap clears nothing in DR6", task_bit, take_task_bit, 0},
    {"an instruction that switches tasks is single-stepped", stepped_task, take_all, 0},
    {"CR2 of LDS and its like: the order of offset and selector is not documented", near_cr2, take_cr2, 0},
    {"the accessed bit of a page whose reference faults is not documented", same_fault, take_pages, 0},
    {"DR6 of a breakpoint that is not enabled may be set", breakpoints, take_matches, 0},
    {"RF in the image of a trap between iterations of REP", between_iterations, take_flags, 0},
    {"code that overwrote itself became what leaves flags undefined", became_undefined_flags,
     take_status_flags, 0},
    {"code that overwrote itself became RDTSC, whose time shows", became_time, take_leaf, 0},
    {"code that overwrote itself became CPUID of a missing leaf", became_leaf, take_leaf, 0},
    {"code that overwrote itself became an instruction of later processors", became_later, take_all, 0},
    {"code that overwrote itself became LDS and its like at the end of 64 KB, where Bochs continues at 0",
     became_far_pointer, take_all, 0},
};

static bool always(const system_record *a, const system_record *b)
{
    (void)a, (void)b;
    return true;
}
/* A stack that has no room at level 0 is a double fault. */
static bool checked(const system_record *a, const system_record *b)
{
    enum { DOUBLE_FAULT = 8 };
    return (a->vector == DOUBLE_FAULT && b->vector != DOUBLE_FAULT) ||
           ((a->vector == 12 || a->vector == 13) &&
            (a->vector != b->vector || a->error != b->error || a->eip != b->eip));
}
static bool enters(const system_record *a, const system_record *b)
{
    (void)b;
    return has(a, "\xc8", 1, 0xff) >= 0;
}
static bool undefined_mov(const system_record *a, const system_record *b)
{
    enum { REGISTER = 7 << 3 };
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    (void)b;
    return a->vector == UD && (code[0] & 0xfe) == 0xc6 && (code[1] & REGISTER) != 0;
}
static bool other_task(const system_record *a, const system_record *b)
{
    enum { MAIN_TSS = 0x18, STATUS_FLAGS = 0x8d5 };
    return a->tr != MAIN_TSS && a->tr == b->tr && ((a->eflags ^ b->eflags) & ~(uint32_t)STATUS_FLAGS) == 0;
}
static void take_task_flags(system_record *a, const system_record *b)
{
    a->eflags = b->eflags, a->memory = b->memory, a->main_tss = b->main_tss;
}
static bool stepped(const system_record *a, const system_record *b)
{
    enum { DR6_STEP = 1 << 14 };
    return a->vector == 1 && a->dr6 & DR6_STEP && (b->vector != 1 || b->eip != a->eip);
}
static bool same_instruction(const system_record *a, const system_record *b)
{
    return page_fault(a, b) && a->eip == b->eip;
}
static bool pushes_all(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    return same_instruction(a, b) && code[code[0] == 0x66] == 0x60;
}
static void take_descriptors(system_record *a, const system_record *b)
{
    a->descriptors = b->descriptors;
}
static bool inner_fault(const system_record *a, const system_record *b)
{
    return (same_fault(a, b) || (a->vector == UD && b->vector == UD)) && (a->cs & 3) == 0;
}
static void take_memory(system_record *a, const system_record *b)
{
    a->memory = b->memory;
}
static void take_write(system_record *a, const system_record *b)
{
    a->error = (a->error & ~(uint32_t)WRITE) | (b->error & WRITE);
}
static void take_dr6(system_record *a, const system_record *b)
{
    a->dr6 = (a->dr6 & ~(uint32_t)DR6_RESERVED) | (b->dr6 & DR6_RESERVED);
}

static bool lar_accessed(const system_record *a, const system_record *b)
{
    return lar(a, b, 0x100);
}
/* PUSHA has stored what LAR has read. */
static bool lar_pushed(const system_record *a, const system_record *b)
{
    return lar_accessed(a, b) && has(a, "\x60", 1, 0xff) >= 0;
}
static bool call_of_v86(const system_record *a, const system_record *b)
{
    enum { VM = 1 << 17 };
    (void)b;
    return a->vector == PF && a->error == REFUSED_WRITE && a->eflags & VM && far_call(a);
}
static bool interrupt_of_level3(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    (void)b;
    return a->vector == 14 && a->error == REFUSED_WRITE && code[0] >= 0xcc && code[0] <= 0xce;
}
static bool conforming(const system_record *a, const system_record *b)
{
    return (a->cs ^ b->cs) < 4 && (b->cs & 3) < (a->cs & 3);
}
static bool iret_to_v86(const system_record *a, const system_record *b)
{
    enum { VM = 1 << 17, LEVEL = 0xf0 };
    return a->kind & LEVEL && b->eflags & VM && !(a->eflags & VM);
}
static bool enter(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    return a->vector == 14 && *code_at(a, a->eip, bytes) == 0xc8 && b->eip != a->eip;
}
static bool cmps(const system_record *a, const system_record *b)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    while (code < bytes + CODE_BYTES - 1 && memchr("\x26\x2e\x36\x3e\x64\x65\x66\xf3", *code, 8))
        code++;
    return page_fault(a, b) && a->eip == b->eip && (*code & 0xfe) == 0xa6;
}
static void take_fault(system_record *a, const system_record *b)
{
    a->error = b->error, a->cr2 = b->cr2, a->pages = b->pages;
}
static bool reads_dr6(const system_record *a, const system_record *b)
{
    (void)b;
    return has(a, "\x0f\x21\xe0", 3, 0xe8) >= 0; /* DR4 is DR6 */
}
static void take_read_dr6(system_record *a, const system_record *b)
{
    if ((a->cs & 3) == 0) /* what has arrived puts EAX on the test's stack */
        a->memory = b->memory;
    take_register(a, b, has(a, "\x0f\x21\xe0", 3, 0xe8) & 7, DR6_RESERVED);
}

static bool reads_dr7(const system_record *a, const system_record *b)
{
    (void)b;
    return has(a, "\x0f\x21\xe8", 3, 0xe8) >= 0; /* DR5 is DR7 */
}
static void take_read_dr7(system_record *a, const system_record *b)
{
    enum { DR7_RESERVED = 0xd000 };
    take_register(a, b, has(a, "\x0f\x21\xe8", 3, 0xe8) & 7, DR7_RESERVED);
}
/* As an address, or as EBP of LEAVE. */
static bool reads_either(const system_record *a, const system_record *b)
{
    return reads_dr6(a, b) || reads_dr7(a, b);
}

static bool overwrites(const system_record *a, const system_record *b)
{
    (void)b;
    return a->overwritten != 0;
}
static bool repeated_compare_no_rf(const system_record *a, const system_record *b)
{
    return repeated_compare_but(a, b, RF);
}
/* LTR of a task whose memory is the one that INT or IRET switches to. */
static bool same_task(const system_record *a, const system_record *b)
{
    enum { NT = 1 << 14, MAIN_TSS = 0x18 };
    return has(a, "\x0f\x00\xd8", 3, 0xff) >= 0 && a->tr != MAIN_TSS && b->tr != MAIN_TSS && b->eflags & NT &&
           b->eax == 0;
}
/* QEMU continues in code as it was, stores through CS, and in real mode finds other memory elsewhere. */
static bool may_end(const system_record *a)
{
    enum { REAL = 3, FIRST = 0x7f00, LAST = 0x8200, GP = 13, CS_PREFIX = 0x2e };
    uint8_t bytes[CODE_BYTES];
    return a->overwritten != 0 || (a->kind >> 8 == REAL && a->cs - FIRST > LAST - FIRST) ||
           (a->vector == GP && *code_at(a, a->eip, bytes) == CS_PREFIX);
}
/* LTR of a null selector, which QEMU takes: there is no task state then, and so no way to level 0. */
static bool null_ltr(const system_record *a)
{
    uint8_t bytes[CODE_BYTES];
    const uint8_t *code = code_at(a, a->eip, bytes);
    enum { GP = 13 };
    return a->vector == GP && a->error == 0 && code[0] == 0x0f && code[1] == 0x00 &&
           (code[2] & 0xf8) == (0xc0 | 3 << 3);
}

static rule qemu_rules[] = {
    {"code that overwrites itself is executed as it was", overwrites, take_all, 0},
    {"a task whose memory is the old one's goes on: saved, then loaded", same_task, take_all, 0},
    {"a fault in a repeated CMPS or SCAS restores EFLAGS", repeated_compare_no_rf, take_status_flags, 0},
    {"a far CALL of V86 mode writes its stack at level 3", call_of_v86, take_all, 0},
    {"a far CALL within level 3 writes its stack at level 3", call_within_level3, take_all, 0},
    {"an interrupt within level 3 writes its stack at level 3", interrupt_of_level3, take_all, 0},
    {"a call gate to a conforming segment leaves the level as it is", conforming, take_all, 0},
    {"IRET goes to V86 mode from level 0 only", iret_to_v86, take_all, 0},
    {"ENTER probes the stack where ESP will point", enter, take_all, 0},
    {"ENTER's probe sets the bits of its page", enters, take_pages, 0},
    {"MOV with 1 to 7 in its register field is undefined", undefined_mov, take_all, 0},
    {"a task switch saves the flags that there are and loads all", other_task, take_task_flags, 0},
    {"limits and types of segments are checked at each reference", checked, take_all, 0},
    {"STI holds back no single step", stepped, take_all, 0},
    {"PUSHA and its like make their references one by one", same_instruction, take_cr2, 0},
    {"PUSHA stores EAX first, not EDI", pushes_all, take_memory, 0},
    {"RF is set in the image of a fault", always, take_flags, 0},
    {"RF is set in the image of a fault on the stack of level 0", inner_fault, take_memory, 0},
    {"a segment load sets the accessed bit of a descriptor", always, take_descriptors, 0},
    {"LAR shows the accessed bit of a descriptor", lar_accessed, take_edx, 0},
    {"PUSHA stores the accessed bit that LAR has read", lar_pushed, take_memory, 0},
    {"an operand that is read and written faults as a write", page_fault, take_write, 0},
    {"CMPS makes the reference through ESI first", cmps, take_fault, 0},
    {"the accessed bit of a page whose reference faults is not documented", same_fault, take_pages, 0},
    {"bit 12 of DR6 is 0", always, take_dr6, 0},
    {"bit 12 of DR6 is read as 0", reads_dr6, take_read_dr6, 0},
    {"bits 12, 14 and 15 of DR7 are 0", reads_dr7, take_read_dr7, 0},
    {"an instruction that uses a value of DR6 or DR7 has another result", reads_either, take_all, 0},
};

static bool differs(const system_record *a, const system_record *b)
{
    return memcmp(&a->vector, &b->vector, sizeof *a - offsetof(system_record, vector)) != 0;
}

/* What is left of `ours` when the rules have been applied; true if that is not theirs. */
static bool apply(rule *rules, size_t count, const system_record *ours, const system_record *theirs)
{
    system_record left = *ours;
    for (size_t i = 0; i < count && differs(&left, theirs); i++) {
        system_record before = left;
        if (rules[i].applies(ours, theirs))
            rules[i].allow(&left, theirs);
        rules[i].used += differs(&left, &before);
    }
    return differs(&left, theirs);
}

static void print(const system_record *ours, const system_record *theirs, const char *name)
{
    static const char *const names[] = {
        "vector", "error", "eip", "cs",  "eflags", "esp",        "ss",          "eax",   "ecx", "edx",
        "ebx",    "ebp",   "esi", "edi", "ds",     "es",         "fs",          "gs",    "cr2", "cr0",
        "tr",     "ldtr",  "cr4", "dr6", "memory", "low memory", "descriptors", "pages", "tss", "main tss"};
    const uint32_t *a = &ours->vector, *b = &theirs->vector;
    printf("  %s:", name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (a[i] != b[i])
            printf(" %s %x, p5scope %x;", names[i], b[i], a[i]);
    printf("\n");
}

static void print_rules(const char *name, const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].used)
            printf("  %8u unlike %s: %s\n", rules[i].used, name, rules[i].reason);
}

#define COUNT(rules) (sizeof(rules) / sizeof(rules)[0])

int main(int argc, char **argv)
{
    FILE *files[3] = {0};
    unsigned tests = 0, bad = 0, alone = 0;
    enum { ONLY_QEMU = 3, QEMU_ENDED, QEMU_MAY_END } ended = 0;
    for (int i = 2; i < argc && i < 5; i++)
        files[i - 2] = fopen(argv[i], "rb");
    if (argc < 4 || !files[0] || !files[1] || (argc > 4 && !files[2])) {
        fprintf(stderr, "usage: system_compare COUNT P5SCOPE BOCHS [QEMU]\n");
        return 2;
    }
    system_record ours, bochs, qemu;
    while (system_next(files[1], &bochs)) {
        tests++;
        if (!system_next(files[0], &ours) || ours.index != bochs.index) {
            printf("test %u: p5scope has none\n", bochs.index);
            bad++;
            break;
        }
        bool other = apply(bochs_rules, COUNT(bochs_rules), &ours, &bochs);
        if (files[2] && (!system_next(files[2], &qemu) || qemu.index != ours.index)) {
            bool may = null_ltr(&ours) || elsewhere(&ours, &ours) || may_end(&ours);
            printf("test %u: QEMU %s in it\n", ours.index, may ? "may end" : "ended");
            ended = may ? QEMU_MAY_END : QEMU_ENDED;
            break;
        }
        bool third = files[2] && apply(qemu_rules, COUNT(qemu_rules), &ours, &qemu);
        alone += third && !other;
        bad += other;
        if (!(other || third) || bad + alone > 1000)
            continue;
        printf("test %u, kind %03x, code", ours.index, ours.kind);
        for (unsigned i = 0; i < 8; i++)
            printf(" %08x", ours.code[i]);
        printf("\n");
        if (other)
            print(&ours, &bochs, "Bochs");
        if (third)
            print(&ours, &qemu, "QEMU");
    }
    printf("%u tests, %u different; %u where QEMU is alone\n", tests, bad, alone);
    print_rules("Bochs", bochs_rules, COUNT(bochs_rules));
    print_rules("QEMU", qemu_rules, COUNT(qemu_rules));
    bool missing = !ended && tests != strtoul(argv[1], NULL, 10);
    if (missing)
        printf("there should have been %s\n", argv[1]);
    return bad != 0 || missing ? 1 : ended ? (int)ended : alone != 0 ? ONLY_QEMU : 0;
}
