/* What only the test registers can bring about, and what must be looked at with every reference while it
 * lasts:
 *
 *   - lines of the caches that hold something else than memory although they are not modified (TR5), and code
 *     lines that hold something else than what data references see,
 *   - TLB entries that translate otherwise than the page tables (TR6),
 *   - entries with the wrong parity (TR1): parity.c.
 *
 * Nothing of it is looked at in normal runs. While there is any, the core prices on the exact path, where the
 * memory side is asked for every reference and tells what it does with the arrays (array_observer); what has
 * gone is told to the owner (p5_core_hooks), so that the guest sees memory again where it would. */
#ifndef CORE_PLANTED_PLANTED_H
#define CORE_PLANTED_PLANTED_H

#include "base/snapshot.h"
#include "core/event/observer.h"
#include "core/memory/data_cache.h"
#include "core/planted/parity.h"
#include "core/memory/tlb.h"
#include "p5scope/core.h"

enum { PLANTED_LINES = 2 * CACHE_SETS * CACHE_WAYS, PLANTED_PAGES = 2 * TLB_ENTRIES };

/* A place in a cache and the line that was put there. */
typedef struct planted_line {
    bool code;
    uint8_t set, way;
    uint32_t tag;
} planted_line;

/* An entry that was put into a TLB. */
typedef struct planted_page {
    unsigned in; /* PARITY_*TLB */
    unsigned entry;
    uint32_t key;
    bool code;
} planted_page;

/* What a test register wrote into a place of a cache array. The arrays of data_cache.h and code_cache.h keep
 * no contents, and nothing of invalid lines. */
typedef struct planted_raw {
    bool known;
    bool no_ends; /* all end bits were written as 0, which code_cache.h cannot tell from a fresh line */
    uint32_t tag;
    uint32_t ends;
    uint8_t bytes[CACHE_LINE];
} planted_raw;

typedef struct planted {
    array_observer observer; /* ... of the core's memory side, while `on` */
    struct p5_core *core;
    bool on;                        /* there is something to look at */
    bool refetch;                   /* the bytes of code may have changed: for the owner, who clears it */
    unsigned line_count, pin_count; /* of pages: snapshots have these names */
    planted_line lines[PLANTED_LINES];
    planted_page pins[PLANTED_PAGES];
    planted_raw raw[2][CACHE_SETS][CACHE_WAYS]; /* data, code */
    parity parity;
} planted;

struct p5_core;
struct memory;

extern const snapshot_table planted_state;

/* NULL when memory is out; to be freed. */
planted *planted_open(struct p5_core *core);

/* After anything that may have changed caches or TLBs: tells the owner what has gone. */
void planted_look(struct p5_core *core);
/* Notes that the line in this place holds something else than memory, or (code) than data references see. */
void planted_add_line(struct p5_core *core, bool code, unsigned set, unsigned way);
/* PARITY_*TLB. */
unsigned planted_tlb_number(struct memory *m, const tlb *t);
/* Notes an entry that a test register wrote. */
void planted_add_page(struct p5_core *core, unsigned in, unsigned entry, bool code);
/* Forgets the line in this place, which is about to be overwritten or dropped, and lets memory be seen
 * there. */
void planted_drop_line(struct p5_core *core, bool code, unsigned set, unsigned way);
/* True if this place is noted. */
bool planted_has_line(const struct p5_core *core, bool code, unsigned set, unsigned way);
/* After a flush of caches or TLBs. */
void planted_flushed(struct p5_core *core);
/* After a change of any of it, or of what it depends on: watches as needed. */
void planted_update(struct p5_core *core);

#endif
