/* Parity of caches and TLBs (manual, 26.2.1.4). TR1 reverses the parity that is generated when an array is
 * written; the next reference that reads such an entry finds the error. Only wrong parity is recorded, so
 * nothing is checked before TR1 reverses something.
 *
 * Data cache: a bit per byte, one for the tag. Code cache: a bit for each of the even and odd bits of both
 * halves of a line (ID0 to ID3), one for the tag. TLBs: a bit for the tag and one for the data. A cache
 * lookup reads the tags of all ways of its set. A TLB lookup finds errors only in the matching entry. */
#ifndef CORE_PLANTED_PARITY_H
#define CORE_PLANTED_PARITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/memory/data_cache.h"
#include "core/memory/tlb.h"

/* Bits of TR1. */
enum {
    PARITY_IT = 1 << 2,    /* code cache: tags */
    PARITY_ID0 = 1 << 3,   /* code cache: data; followed by ID1 to ID3 */
    PARITY_ID = 15 << 3,   /* ID0 to ID3 */
    PARITY_ITT = 1 << 7,   /* code TLB: tags */
    PARITY_ITD = 1 << 8,   /* code TLB: data */
    PARITY_DT = 1 << 9,    /* data cache: tags */
    PARITY_DD = 1 << 10,   /* data cache: data */
    PARITY_DTT = 1 << 11,  /* data TLB: tags */
    PARITY_DTD = 1 << 12,  /* data TLB: data */
    PARITY_MC = 1 << 13,   /* microcode ROM */
    PARITY_ARRAYS = 0x1ffc /* bits 2 to 12 */
};

/* TLBs: for data (PARITY_LARGE_TLB: its separate array for 4 MB pages, if there is one) and for code. */
enum { PARITY_DATA_TLB, PARITY_LARGE_TLB, PARITY_CODE_TLB, PARITY_TLBS };

typedef struct parity {
    uint32_t reversed; /* bits of TR1: arrays whose parity is generated wrong from now on */
    bool seen;         /* something was written with wrong parity since RESET, and may still be there */
    /* Elements with wrong parity: 1 for a tag or entry, a bit for each part of a line. */
    uint8_t data_tag[CACHE_SETS][CACHE_WAYS];
    uint32_t data[CACHE_SETS][CACHE_WAYS]; /* bit n: byte n */
    uint8_t code_tag[CACHE_SETS][CACHE_WAYS];
    uint8_t code[CACHE_SETS][CACHE_WAYS]; /* bit n: IDn */
    uint8_t tlb_tag[PARITY_TLBS][TLB_ENTRIES];
    uint8_t tlb_data[PARITY_TLBS][TLB_ENTRIES];
    /* Called for an error in the array of this bit of TR1. May be NULL. */
    void (*error)(void *context, uint32_t array);
    void *context;
} parity;

extern const snapshot_table parity_state;

/* Returns whether references must be checked. */
static inline bool parity_on(const parity *p)
{
    return p->seen || (p->reversed & PARITY_ARRAYS) != 0;
}

/* Record writes, whose parity is correct, or wrong if TR1 says so: of a whole line with its tag; of bytes of a line
 * (`bytes`: bit n: byte n); of an entry of TLB `which` (PARITY_*_TLB). */
void parity_write_data_line(parity *p, unsigned set, unsigned way);
void parity_write_data(parity *p, unsigned set, unsigned way, uint32_t bytes);
void parity_write_code_line(parity *p, unsigned set, unsigned way);
void parity_write_tlb(parity *p, unsigned which, unsigned entry);

/* Check reads and report errors. `bytes` is as above. `parts`: bit n: IDn. */
void parity_read_data(parity *p, unsigned set, unsigned way, uint32_t bytes);
void parity_read_data_tag(parity *p, unsigned set, unsigned way);
void parity_read_code(parity *p, unsigned set, unsigned way, unsigned parts);
void parity_read_code_tag(parity *p, unsigned set, unsigned way);
void parity_read_tlb(parity *p, unsigned which, unsigned entry);

struct memory;
/* Stops the checks if TR1 reverses nothing and no valid line or entry has wrong parity any more. */
void parity_forget_if_gone(parity *p, struct memory *m);

#endif
