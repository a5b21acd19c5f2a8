/* Compares what system.c wrote under p5scope with what it wrote under two emulators that others wrote.
 *   system_compare P5SCOPE BOCHS [QEMU]     status 1 if p5scope does what no rule below says
 * p5scope must do what Bochs does, but for the first table. Where Bochs and QEMU do not do the same, the
 * manual decides: the second table has what QEMU leaves out. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system_record.h"

enum { RF = 1 << 16, WRITE = 2, DR6_RESERVED = 1 << 12 };

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

static rule bochs_rules[] = {
    {"CR2 of LDS and its like: the order of offset and selector is not documented", near_cr2, take_cr2, 0},
    {"the accessed bit of a page whose reference faults is not documented", same_fault, take_pages, 0},
    {"DR6 of a breakpoint that is not enabled may be set", breakpoints, take_matches, 0},
};

static bool always(const system_record *a, const system_record *b)
{
    (void)a, (void)b;
    return true;
}
static bool checked(const system_record *a, const system_record *b)
{
    return (a->vector == 12 || a->vector == 13) &&
           (a->vector != b->vector || a->error != b->error || a->eip != b->eip);
}
static void take_all(system_record *a, const system_record *b)
{
    *a = *b;
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
static void take_flags(system_record *a, const system_record *b)
{
    a->eflags = (a->eflags & ~(uint32_t)RF) | (b->eflags & RF);
}
static void take_descriptors(system_record *a, const system_record *b)
{
    a->descriptors = b->descriptors;
}
static bool inner_fault(const system_record *a, const system_record *b)
{
    return same_fault(a, b) && (a->cs & 3) == 0;
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

static rule qemu_rules[] = {
    {"limits and types of segments are checked at each reference", checked, take_all, 0},
    {"STI holds back no single step", stepped, take_all, 0},
    {"PUSHA and its like make their references one by one", same_instruction, take_cr2, 0},
    {"RF is set in the image of a fault", always, take_flags, 0},
    {"and so in the one that lies on the stack of level 0", inner_fault, take_memory, 0},
    {"a segment load sets the accessed bit of a descriptor", always, take_descriptors, 0},
    {"an operand that is read and written faults as a write", page_fault, take_write, 0},
    {"bit 12 of DR6 is 0", always, take_dr6, 0},
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

/* The next record, behind whatever else the emulator writes. */
static bool next(FILE *file, system_record *r)
{
    uint32_t word = 0;
    int byte = 0;
    for (unsigned n = 0; (byte = fgetc(file)) != EOF; n++) {
        word = word >> 8 | (uint32_t)byte << 24;
        if (word == SYSTEM_MAGIC) {
            r->magic = word;
            return fread(&r->index, sizeof *r - sizeof r->magic, 1, file) == 1;
        }
    }
    return false;
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
    for (int i = 1; i < argc && i < 4; i++)
        files[i - 1] = fopen(argv[i], "rb");
    if (argc < 3 || !files[0] || !files[1] || (argc > 3 && !files[2])) {
        fprintf(stderr, "usage: system_compare P5SCOPE BOCHS [QEMU]\n");
        return 2;
    }
    system_record ours, bochs, qemu;
    while (next(files[1], &bochs)) {
        tests++;
        if (!next(files[0], &ours) || ours.index != bochs.index) {
            printf("test %u: p5scope has none\n", bochs.index);
            bad++;
            break;
        }
        bool other = apply(bochs_rules, COUNT(bochs_rules), &ours, &bochs);
        if (files[2] && (!next(files[2], &qemu) || qemu.index != ours.index)) {
            printf("test %u: QEMU has none\n", ours.index);
            bad++;
            break;
        }
        bool third = files[2] && apply(qemu_rules, COUNT(qemu_rules), &ours, &qemu);
        alone += third && !other;
        if (!other)
            continue;
        bad++;
        if (bad > 20)
            continue;
        printf("test %u, kind %03x, code", ours.index, ours.kind);
        for (unsigned i = 0; i < 8; i++)
            printf(" %08x", ours.code[i]);
        printf("\n");
        print(&ours, &bochs, "Bochs");
        if (files[2])
            print(&ours, &qemu, "QEMU");
    }
    printf("%u tests, %u different; %u where QEMU is alone\n", tests, bad, alone);
    print_rules("Bochs", bochs_rules, COUNT(bochs_rules));
    print_rules("QEMU", qemu_rules, COUNT(qemu_rules));
    return bad != 0 || tests == 0;
}
