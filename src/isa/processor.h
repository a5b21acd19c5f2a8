/* Bits and numbers of the processor that several files use. */
#ifndef ISA_PROCESSOR_H
#define ISA_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* High dword of a descriptor:
 *   31..24 23 22 21 20  19..16  15 14 13 12 11..8 7..0
 *    base   G  B  0  AVL limit   P  DPL   S  type base */
enum {
    DESCRIPTOR_ACCESSED = 1 << 8,
    DESCRIPTOR_WRITABLE = 1 << 9,     /* of data */
    DESCRIPTOR_READABLE = 1 << 9,     /* the same bit, of code */
    DESCRIPTOR_EXPAND_DOWN = 1 << 10, /* of data */
    DESCRIPTOR_CONFORMING = 1 << 10,  /* the same bit, of code */
    DESCRIPTOR_CODE = 1 << 11,        /* code, not data */
    DESCRIPTOR_S = 1 << 12,           /* code or data, not system */
    DESCRIPTOR_DPL3 = 3 << 13,
    DESCRIPTOR_P = 1 << 15,
    DESCRIPTOR_B = 1 << 22, /* 32-bit code or stack */
    DESCRIPTOR_G = 1 << 23
};

/* A descriptor as it is in the GDT or LDT. */
typedef struct descriptor_words {
    uint32_t address;   /* linear, of the descriptor */
    uint32_t low, high; /* its two dwords */
} descriptor_words;

static inline unsigned descriptor_dpl(const descriptor_words *d)
{
    return d->high >> 13 & 3;
}
/* Returns the type with S as bit 4. Types of system descriptors have S = 0, so they equal SYSTEM_*. */
static inline unsigned descriptor_type(const descriptor_words *d)
{
    return d->high >> 8 & 0x1f;
}
static inline uint32_t descriptor_base(const descriptor_words *d)
{
    return d->low >> 16 | (d->high & 0xff) << 16 | (d->high & 0xff000000u);
}
/* Returns the limit in bytes: the offset of the last byte. */
static inline uint32_t descriptor_limit(const descriptor_words *d)
{
    uint32_t limit = (d->low & 0xffff) | (d->high & 0xf0000);
    return d->high & DESCRIPTOR_G ? limit << 12 | 0xfff : limit;
}

/* Types of system descriptors, and bits of these types. */
enum {
    SYSTEM_TSS16 = 1,
    SYSTEM_LDT = 2,
    SYSTEM_TSS16_BUSY = 3,
    SYSTEM_CALL_GATE16 = 4,
    SYSTEM_TASK_GATE = 5,
    SYSTEM_INTERRUPT_GATE16 = 6,
    SYSTEM_TRAP_GATE16 = 7,
    SYSTEM_TSS32 = 9,
    SYSTEM_TSS32_BUSY = 11,
    SYSTEM_CALL_GATE32 = 12,
    SYSTEM_32BIT = 8,   /* bit: a 32-bit TSS or gate, not a 16-bit one */
    SYSTEM_TSS_BUSY = 2 /* bit: a busy TSS */
};

enum {
    EFLAGS_CF = 1 << 0,
    EFLAGS_FIXED = 1 << 1, /* always set */
    EFLAGS_TF = 1 << 8,
    EFLAGS_IF = 1 << 9,
    EFLAGS_DF = 1 << 10,
    EFLAGS_IOPL = 3 << 12,
    EFLAGS_NT = 1 << 14,
    EFLAGS_RF = 1 << 16,
    EFLAGS_VM = 1 << 17,
    EFLAGS_AC = 1 << 18,
    EFLAGS_VIF = 1 << 19,
    EFLAGS_VIP = 1 << 20,
    EFLAGS_ID = 1 << 21,
    /* Those that IRET may load at any CPL: status flags, TF, DF, NT, RF, AC, ID. */
    EFLAGS_ALWAYS = 0x4dd5 | EFLAGS_RF | EFLAGS_AC | EFLAGS_ID,
    EFLAGS_LOW = 0xffff,  /* those in FLAGS, for 16-bit operands */
    EFLAGS_ALL = 0x3f7fd5 /* all that exist, without EFLAGS_FIXED */
};

/* Vectors of exceptions. */
enum {
    VECTOR_DE = 0,
    VECTOR_DB = 1,
    VECTOR_NMI = 2,
    VECTOR_BP = 3,
    VECTOR_UD = 6,
    VECTOR_DF = 8,
    VECTOR_TS = 10,
    VECTOR_NP = 11,
    VECTOR_SS = 12,
    VECTOR_GP = 13,
    VECTOR_PF = 14,
    VECTOR_MF = 16,
    VECTOR_AC = 17,
    VECTOR_MC = 18
};

enum {
    CR0_PE = 1 << 0,
    CR0_MP = 1 << 1,
    CR0_EM = 1 << 2,
    CR0_TS = 1 << 3,
    CR0_ET = 1 << 4,
    CR0_NE = 1 << 5,
    CR0_WP = 1 << 16,
    CR0_AM = 1 << 18,
    CR0_NW = 1 << 29,
    CR0_CD = 1 << 30,
    CR4_VME = 1 << 0,
    CR4_PVI = 1 << 1,
    CR4_TSD = 1 << 2,
    CR4_DE = 1 << 3,
    CR4_PSE = 1 << 4,
    CR4_MCE = 1 << 6,
    CR4_PCE = 1 << 8,
    /* The bits of CR4 that exist on a processor. Manual: MOV CR4, reserved bits. */
    CR4_P54C = CR4_VME | CR4_PVI | CR4_TSD | CR4_DE | CR4_PSE | CR4_MCE,
    CR4_P55C = CR4_P54C | CR4_PCE
};
#define CR0_PG  (1u << 31)
#define CR0_ALL (CR0_PG | 0x6005003f) /* the bits that exist */

enum {
    DR6_BD = 1 << 13,
    DR6_BS = 1 << 14,
    DR6_BT = 1 << 15,
    DR7_ENABLED = 0xff,          /* L0, G0 to L3, G3 */
    DR7_GENERAL_DETECT = 1 << 13 /* GD */
};

/* Entries of page directories and tables. */
enum {
    PTE_PRESENT = 1 << 0,
    PTE_WRITE = 1 << 1,
    PTE_USER = 1 << 2,
    PTE_WRITE_THROUGH = 1 << 3,
    PTE_CACHE_DISABLE = 1 << 4,
    PTE_ACCESSED = 1 << 5,
    PTE_DIRTY = 1 << 6,
    PTE_LARGE = 1 << 7,           /* directory: 4 MB page */
    PTE_LARGE_RESERVED = 0x3ff000 /* bits 21-12 of a 4 MB page's entry */
};
/* Error code of #PF. */
enum { PF_PRESENT = 1, PF_WRITE = 2, PF_USER = 4, PF_RESERVED = 8 };

/* Where a 32-bit TSS holds the offset of its I/O permission bit map, a word. */
enum { TSS_BITMAP_FIELD = 0x66 };

/* Returns whether an exception pushes an error code. SDM vol. 3, table 5-1. */
static inline bool vector_has_error_code(unsigned vector)
{
    return vector == VECTOR_DF || (vector >= VECTOR_TS && vector <= VECTOR_PF) || vector == VECTOR_AC;
}

#endif
