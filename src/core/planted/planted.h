/* State that only the test registers can create ("planted" state), and that must be checked at every
 * reference while it exists:
 *
 *   - cache lines that differ from memory although they are not modified (TR5), and code lines that differ
 *     from what data references see,
 *   - TLB entries that differ from the page tables (TR6),
 *   - entries with wrong parity (TR1): parity.c.
 *
 * Normal runs have none of it. While there is any, the core uses the exact path, and the memory side reports
 * every access to the arrays (array_observer). When a planted line or entry disappears, the owner is notified
 * (p5_core_hooks), so that the guest sees memory again. */
#ifndef CORE_PLANTED_PLANTED_H
#define CORE_PLANTED_PLANTED_H

#include "base/snapshot.h"
#include "core/event/observer.h"
#include "core/memory/data_cache.h"
#include "core/planted/parity.h"
#include "core/memory/tlb.h"
#include "p5scope/core.h"

/* PLANTED_PAGES: the TLBs of a model have no more entries (model_valid.c). */
enum { PLANTED_LINES = 2 * CACHE_SETS * CACHE_WAYS, PLANTED_PAGES = 2 * TLB_ENTRIES };

/* A place in a cache and the line that was put there. */
typedef struct planted_line {
    bool code; /* in the code cache */
    uint8_t set, way;
    uint32_t tag; /* physical address, bits 31-12 in place */
} planted_line;

/* An entry that was put into a TLB. */
typedef struct planted_page {
    unsigned in; /* TLB: PARITY_*_TLB */
    unsigned entry;
    uint32_t key; /* tlb_key: linear address of the page, with TLB_VALID and TLB_LARGE */
    bool code;    /* the TLB is that for code */
} planted_page;

/* What a test register wrote into a place of a cache array, or what the place held when a test register flushed it.
 * data_cache.h and code_cache.h store no contents, and nothing of invalid lines. */
typedef struct planted_raw {
    bool known;    /* false: nothing was recorded, and the other members have no meaning */
    bool no_ends;  /* all end bits were written as 0, which code_cache.h cannot distinguish from a new line */
    uint32_t tag;  /* as in planted_line */
    uint32_t ends; /* P54C code cache: end bits; bit n: byte n is the last of an instruction */
    uint8_t bytes[CACHE_LINE];
} planted_raw;

typedef struct planted {
    array_observer observer; /* of the core's memory side, while `on` */
    struct p5_core *core;
    bool on;                        /* there is planted state */
    bool refetch;                   /* bytes of code may have changed; the owner reads and clears it */
    unsigned line_count, pin_count; /* pin_count: TLB entries, under the name that snapshots use */
    planted_line lines[PLANTED_LINES];
    planted_page pins[PLANTED_PAGES];
    planted_raw raw[2][CACHE_SETS][CACHE_WAYS]; /* data, code */
    parity parity;
} planted;

struct p5_core;
struct memory;

extern const snapshot_table planted_state;

/* Returns NULL if memory runs out. The caller frees it. */
planted *planted_open(struct p5_core *core);

/* Must be called after anything that may have changed caches or TLBs. Removes the records of planted lines and
 * entries that are gone, and notifies the owner. */
void planted_drop_gone(struct p5_core *core);
/* Records that the line in this place differs from memory, or (code) from what data references see. */
void planted_add_line(struct p5_core *core, bool code, unsigned set, unsigned way);
/* Returns the number of a TLB: PARITY_*_TLB. */
unsigned planted_tlb_number(struct memory *m, const tlb *t);
/* Records that a test register wrote `entry` of TLB `in` (PARITY_*_TLB; `code`: the code TLB), and notifies the
 * owner. */
void planted_add_page(struct p5_core *core, unsigned in, unsigned entry, bool code);
/* Removes the record of the line in this place, which is about to be overwritten or invalidated, so that
 * memory is seen there again. */
void planted_drop_line(struct p5_core *core, bool code, unsigned set, unsigned way);
/* Returns whether the line in this place is recorded as planted. */
bool planted_has_line(const struct p5_core *core, bool code, unsigned set, unsigned way);
/* Must be called after a flush of caches or TLBs. */
void planted_flushed(struct p5_core *core);
/* Updates `on` and the observer. Must be called after planted state changed, or something that it depends
 * on. */
void planted_update(struct p5_core *core);

#endif
