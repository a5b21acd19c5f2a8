/* The performance events of the P5 family: their names, codes and rules. The data are in events/events.tsv, from which
 * event_ids.h is generated: enum p5_event with P5_EVENT_DATA_READ and so on, and P5_EVENT_COUNT (73), and the causes of
 * stalls, p5_stall with P5_STALL_COUNT. */
#ifndef P5SCOPE_EVENT_H
#define P5SCOPE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/event_ids.h" /* generated: enum p5_event, p5_stall */
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which counters can select an event. */
enum { P5_ON_CTR0 = 1, P5_ON_CTR1 = 2 };
/* Processor families that have an event. */
enum { P5_FAMILY_P54C = 1, P5_FAMILY_P55C = 2 };
/* The performance monitor of a later processor, which a model can have in the place of the Pentium's own (0). The bit
 * is added to P5_FAMILY_* where a function needs both. No Pentium with such a monitor was ever made. */
enum { P5_MONITOR_P6 = 4 /* Pentium Pro */, P5_MONITOR_ARCH3 = 8 /* architectural, version 3 */ };
enum { P5_MONITORS = P5_MONITOR_P6 | P5_MONITOR_ARCH3 };
/* How well the model counts an event: exactly by rule, by a model of the mechanism, or approximately. */
typedef enum p5_grade { P5_GRADE_EXACT, P5_GRADE_MODELLED, P5_GRADE_APPROXIMATE } p5_grade;

/* The unit that counts an event: the pipe; references and fetches (they belong to the instruction that makes
 * them); the bus while time passes; the core when it delivers interrupts and exceptions; or the clocks
 * themselves. */
typedef enum p5_unit { P5_UNIT_PIPE, P5_UNIT_MEMORY, P5_UNIT_BUS, P5_UNIT_CORE, P5_UNIT_CLOCK } p5_unit;

/* One event, a row of events/events.tsv. All strings are static. */
typedef struct p5_event_info {
    size_t size;                /* of this struct in the library */
    enum p5_event id;           /* the argument of p5_event_describe */
    uint8_t code;               /* CESR event select, 00h-3Bh */
    uint8_t counters;           /* P5_ON_CTR0 | P5_ON_CTR1 */
    uint8_t families;           /* P5_FAMILY_* */
    uint8_t max_per_clock;      /* most increments in one clock: 1 or 2 */
    bool duration;              /* counts clocks, not occurrences */
    p5_grade grade;             /* how well the model counts it */
    const char *name;           /* canonical name: perfctr's in lower case */
    const char *title;          /* the manual's name */
    const char *const *aliases; /* other spellings, NULL-terminated */
    const char *group;          /* cache, tlb, branch, pipe, fpu, mmx, bus or system, in the order of
                                   `stat` */
    p5_unit unit;
    const char *figure;       /* formula of the derived figure that reports show beside it; NULL: none */
    const char *figure_unit;  /* unit of that figure in words: "% of data reads" */
    unsigned figure_decimals; /* digits after its decimal point */
    const char *rule;         /* what is counted */
    const char *remarks;      /* errata and discrepancies, may be empty */
    const char *source;       /* where the rule is from: number of the manual and section */
} p5_event_info;

/* Returns the description of an event; `id` must be below P5_EVENT_COUNT. The description is static. */
const p5_event_info *p5_event_describe(enum p5_event id);

/* Finds an event by canonical name, alias (perfctr, OpenBSD, Solaris, FreeBSD p5-..., the SDM's mnemonic),
 * perf's name (`p5scope list perf`), or raw code rNN or rNN.C (hexadecimal NN, counter C). Case and '-', '_' do not
 * matter. A raw code that the two counters decode differently needs its .C. P5_ERR_NAME, with similar names
 * as a hint, if there is none; P5_ERR_RANGE for a code above 3Fh. Manual: table 26-24. */
p5_status p5_event_find(const char *name, enum p5_event *id, p5_error *error);

/* Returns the event that code `code` (0-63) selects on counter `counter` (0 or 1) of a processor of `family`,
 * or -1 if it selects nothing there (reserved, other counter, other family). */
int p5_event_by_code(unsigned code, unsigned counter, unsigned family);

/* Returns the lower-case name of a stall cause ("agi", "data_read", ...), never NULL for values below
 * P5_STALL_COUNT. */
const char *p5_stall_name(p5_stall cause);

#ifdef __cplusplus
}
#endif
#endif
