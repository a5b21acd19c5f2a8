/* Parity of caches and TLBs (manual, 26.2.1.4). TR1 reverses the parity that is generated when an array is written. Every
 * reference that reads a wrong element reports an error, until the element is written with correct parity. Only wrong
 * parity is recorded, and nothing is checked before TR1 first reverses something.
 *
 * Data cache: a bit per byte, one for the tag. Code cache: four bits per line, one for the tag; ID0 and ID1 are those of
 * the even and odd bits of its first half, ID2 and ID3 of its second half. TLBs: a bit for the tag and one for the data.
 * A cache lookup reads the tags of all valid lines of its set; the callers here make one call for each. A TLB lookup
 * finds errors only in the matching entry. */
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

/* TLBs. PARITY_LARGE_TLB is the P54C's TLB for 4 MB data pages. */
enum { PARITY_DATA_TLB, PARITY_LARGE_TLB, PARITY_CODE_TLB, PARITY_TLBS };

typedef struct parity {
    uint32_t reversed; /* bits of TR1: arrays whose parity is generated wrong from now on */
    bool seen;         /* something was written with wrong parity, and may still be there */
    /* Elements with wrong parity: 1 for a tag, or the data of a TLB entry; a bit for each part of a line. */
    uint8_t data_tag[CACHE_SETS][CACHE_WAYS];
    uint32_t data[CACHE_SETS][CACHE_WAYS]; /* bit n: byte n */
    uint8_t code_tag[CACHE_SETS][CACHE_WAYS];
    uint8_t code[CACHE_SETS][CACHE_WAYS]; /* bit n: IDn */
    uint8_t tlb_tag[PARITY_TLBS][TLB_ENTRIES];
    uint8_t tlb_data[PARITY_TLBS][TLB_ENTRIES];
    /* Called for each error; `array` is the one bit of TR1 for the array. May be NULL. */
    void (*error)(void *context, uint32_t array);
    void *context;
} parity;

extern const snapshot_table parity_state;

/* Returns whether references must be checked. */
static inline bool parity_on(const parity *p)
{
    return p->seen || (p->reversed & PARITY_ARRAYS) != 0;
}

/* Record that an element was written, and now has wrong parity if TR1 reverses it, otherwise correct parity: a whole line
 * with its tag; bytes of a line without its tag (`bytes`: bit n: byte n); an entry of TLB `which` (PARITY_*_TLB). */
void parity_write_data_line(parity *p, unsigned set, unsigned way);
void parity_write_data(parity *p, unsigned set, unsigned way, uint32_t bytes);
void parity_write_code_line(parity *p, unsigned set, unsigned way);
void parity_write_tlb(parity *p, unsigned which, unsigned entry);

/* Check reads and report errors. A report changes nothing: the next read reports again. `bytes` is as above. `parts`:
 * bit n: IDn. */
void parity_read_data(parity *p, unsigned set, unsigned way, uint32_t bytes);
void parity_read_data_tag(parity *p, unsigned set, unsigned way);
void parity_read_code(parity *p, unsigned set, unsigned way, unsigned parts);
void parity_read_code_tag(parity *p, unsigned set, unsigned way);
void parity_read_tlb(parity *p, unsigned which, unsigned entry);

struct memory;
/* Forgets all wrong parity, which ends the checks, if TR1 reverses no array and no valid line or entry is wrong any
 * more. */
void parity_forget_if_gone(parity *p, struct memory *m);

#endif
