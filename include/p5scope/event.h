/* The performance events of the P5 family: names, codes and rules, from events/events.tsv. */
#ifndef P5SCOPE_EVENT_H
#define P5SCOPE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/event_ids.h" /* generated: enum p5_event { P5_EVENT_DATA_READ, ... }, P5_EVENT_COUNT (73) */
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which counters can select an event. */
enum { P5_ON_CTR0 = 1, P5_ON_CTR1 = 2 };
/* Processor families that have an event. */
enum { P5_FAMILY_P54C = 1, P5_FAMILY_P55C = 2 };
/* The registers over the counters: none of these for the Pentium's own. Added to a family where a function
 * wants to know both. With one of them the processor is one that was never made. */
enum { P5_MONITOR_P6 = 4 /* Pentium Pro */, P5_MONITOR_ARCH3 = 8 /* architectural, version 3 */ };
enum { P5_MONITORS = P5_MONITOR_P6 | P5_MONITOR_ARCH3 };
/* How well the model knows an event: exact by rule, approximate, or not modelled beyond the named cases. */
typedef enum p5_grade { P5_GRADE_EXACT, P5_GRADE_MODELLED, P5_GRADE_APPROXIMATE } p5_grade;

/* Who counts an event: what the pipe does, what references and fetches bring (they belong to the instruction
 * that asks), the bus while time passes, deliveries; or it is made of the clocks. */
typedef enum p5_unit { P5_UNIT_PIPE, P5_UNIT_MEMORY, P5_UNIT_BUS, P5_UNIT_CORE, P5_UNIT_CLOCK } p5_unit;

/* One event, a row of events/events.tsv. All strings are static. */
typedef struct p5_event_info {
    enum p5_event id;
    uint8_t code;          /* CESR event select, 00h-3Bh */
    uint8_t counters;      /* P5_ON_CTR0 | P5_ON_CTR1 */
    uint8_t families;      /* P5_FAMILY_* */
    uint8_t max_per_clock; /* 1 or 2 */
    bool duration;         /* counts clocks, not occurrences */
    p5_grade grade;
    const char *name;           /* canonical: perfctr's in lower case */
    const char *title;          /* the manual's name */
    const char *const *aliases; /* other spellings, NULL-terminated */
    const char *group;          /* cache, tlb, branch, pipe, fpu, mmx, bus, system: the order of `stat` */
    p5_unit unit;
    const char *figure;      /* formula of the derived figure beside it in reports; NULL: none of its own */
    const char *figure_unit; /* ... in words, "% of data reads" */
    unsigned figure_decimals;
    const char *rule;    /* what counts, in our words */
    const char *remarks; /* errata and discrepancies, may be empty */
    const char *source;
} p5_event_info;

/* A select code that the manual reserves on these counters: selecting it counts nothing. */
typedef struct p5_event_reserved {
    uint8_t code;
    uint8_t counters;    /* P5_ON_CTR0 | P5_ON_CTR1 */
    uint8_t families;    /* P5_FAMILY_* */
    const char *remarks; /* what others say about it, may be empty */
} p5_event_reserved;

/* Description of an event; `id` must be below P5_EVENT_COUNT. */
const p5_event_info *p5_event_describe(enum p5_event id);

/* Finds an event by canonical name, alias (perfctr, OpenBSD, Solaris, FreeBSD p5-..., the SDM's mnemonic) or
 * perf's name (p5_perf_names), raw code rNN / rNN.C (hexadecimal NN, counter C). Case and '-', '_' do not
 * matter. A raw code that both counters decode differently needs its .C. P5_ERR_NAME with a hint of near
 * names if there is none. Manual: table 26-24. */
p5_status p5_event_find(const char *name, enum p5_event *id, p5_error *error);

/* A name of perf's and what it comes to here, a row of events/perf.tsv. p5_event_find takes those of events.
 */
enum { P5_PERF_CLOCKS = -1 };
typedef struct p5_perf_name {
    const char *name;    /* as perf writes it: "branch-misses" */
    int event;           /* enum p5_event, or P5_PERF_CLOCKS: the clocks, which are no event */
    const char *remarks; /* where the two are not quite the same, may be empty */
} p5_perf_name;

/* All of them; the last has no name (NULL). */
const p5_perf_name *p5_perf_names(void);
/* True for "clocks" and perf's names for it, where an event's name may stand. */
bool p5_event_is_clocks(const char *name);

/* The event that code `code` (0-63) selects on counter `counter` (0 or 1) of a processor of `family`, or -1
 * if it selects nothing there (reserved, other counter, other family). */
int p5_event_by_code(unsigned code, unsigned counter, unsigned family);

/* The reserved codes in order, for `list` and for decoding CESR in words; *count gets their number. */
const p5_event_reserved *p5_event_reserved_codes(size_t *count);

/* Lower-case name of an owner of clocks ("agi", "data_read", ...), never NULL for values below
 * P5_STALL_COUNT. */
const char *p5_stall_name(p5_stall cause);
/* The event (enum p5_event) that counts its clocks or what causes them, -1 if none does. */
int p5_stall_event(p5_stall cause);

#ifdef __cplusplus
}
#endif
#endif
