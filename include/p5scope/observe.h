/* Observation of a run: a function of yours is called at the points of a run that you name, and may look at
 * counts, clock and registers there. Looking changes nothing: an observed run ends with the same totals, bit
 * by bit, as one that nobody looks at.
 *
 * What an observation sees is exact at its point, also inside a block: the totals hold every instruction that
 * has entered EX. An instruction in D1 that still waits for a partner has not; so `instructions` can be one
 * more than event instructions_executed. */
#ifndef P5SCOPE_OBSERVE_H
#define P5SCOPE_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is observed. */
typedef enum p5_observation_kind {
    P5_OBSERVE_INTERVAL, /* the first instruction boundary at or after a multiple of every_clocks or
                            every_instructions */
    P5_OBSERVE_POINT,    /* the same for points[number] */
    P5_OBSERVE_ENTRY,    /* before the instruction at addresses[number] */
    P5_OBSERVE_EXIT,     /* behind the return of what was entered there */
    P5_OBSERVE_BEGIN,    /* the guest's marker `begin` (p5scope/guest.h); number = its id */
    P5_OBSERVE_END,
    P5_OBSERVE_RDPMC, /* the guest's instruction; number = ECX, value = what it reads */
    P5_OBSERVE_RDMSR,
    P5_OBSERVE_WRMSR, /* value = what it has written */
    P5_OBSERVE_KINDS
} p5_observation_kind;

/* "interval", "point", "entry", ...; never NULL for values below P5_OBSERVE_KINDS. */
const char *p5_observation_name(p5_observation_kind kind);

typedef struct p5_observation {
    p5_observation_kind kind;
    uint8_t cpl;           /* 0-3, of the instruction at `address` */
    uint32_t address;      /* linear, of the instruction that comes next; of the guest's marker or PMU
                              instruction itself, which has not been executed yet */
    uint64_t clock;        /* p5_machine_clock: EX is free after everything that has entered it */
    uint64_t instructions; /* completed so far */
    uint32_t number;       /* see p5_observation_kind */
    uint64_t value;
} p5_observation;

/* A single point of a run. */
typedef struct p5_point {
    bool instruction; /* `at` is a number of instructions, not a clock */
    uint64_t at;
} p5_point;

/* Zero-initialise, set `size`, then what you need. Arrays are copied. */
typedef struct p5_observe_options {
    size_t size;                 /* sizeof (p5_observe_options) */
    uint64_t every_clocks;       /* 0 = no interval in clocks */
    uint64_t every_instructions; /* 0 = no interval in instructions; a REP string is one */
    const p5_point *points;
    size_t point_count;
    const uint32_t *addresses; /* linear; functions whose entry and exit are observed */
    size_t address_count;      /* at most P5_OBSERVE_ADDRESSES */
    bool markers;              /* the guest's markers */
    bool pmu;                  /* RDPMC; RDMSR and WRMSR of TSC, CESR, CTR0 and CTR1, that do not fault */
    /* Called within p5_machine_run. May ask the machine, call p5_machine_stop and p5_machine_observe_every,
     * and set the core's trace; not run, load or close it. */
    void (*observed)(void *context, p5_machine *machine, const p5_observation *observation);
    void *context;
} p5_observe_options;

enum { P5_OBSERVE_ADDRESSES = 1024 };

/* Observes what `options` say from here on, in place of what was observed before; NULL ends it. Needs a
 * loaded guest. P5_ERR_STATE without one; P5_ERR_RANGE for too many addresses. */
p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_error *error);
/* Changes the intervals of the observation under way; 0 and 0: no intervals. */
void p5_machine_observe_every(p5_machine *machine, uint64_t clocks, uint64_t instructions);

/* CESR, and CTR0 (`counter` 0) or CTR1 as RDPMC would read it if it came next, without the effects of a
 * read: what waits for a partner goes on waiting. `counts` are the machine's at this point. */
uint32_t p5_pmu_peek_cesr(const p5_pmu *pmu);
uint64_t p5_pmu_peek_counter(const p5_pmu *pmu, unsigned counter, const p5_counts *counts);

/* Reads up to `size` bytes of the guest's memory at linear `address`, as its current page tables have it,
 * into `bytes`; less at a page that is not present. *code32 (may be NULL): the code segment that is running
 * has 32-bit operands. Returns the number of bytes. Nothing is counted. */
size_t p5_machine_read_code(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                            bool *code32);

/* Finds a symbol of the guest's ELF file at `path`, or an address: NAME, NAME+OFFSET, 0x8048000. P5_ERR_NAME
 * with near names. *size (may be NULL) gets the symbol's size, 0 if unknown. */
p5_status p5_symbol_find(const char *path, const char *text, uint32_t *address, uint32_t *size,
                         p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
