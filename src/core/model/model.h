/* A parsed model file: the processor, its structures and the board around it. There is one member per key;
 * the table in model_fields.c ties keys, ranges and explanations to members. */
#ifndef CORE_MODEL_MODEL_H
#define CORE_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/embed.h"
#include "core/model/timing.h"
#include "p5scope/model.h"

/* The revision of the model. It is raised with each correction that changes a count of some guest on a built-in
 * model; CHANGELOG.md lists the correction. Results of one revision can be compared across versions. */
enum { MODEL_REVISION = 3 };

enum { MODEL_REGIONS = 8, MODEL_TEXT = 80 }; /* most uncacheable regions; bytes of a name or title */

/* A range of physical addresses, both ends included. */
typedef struct model_region {
    uint32_t first, last;
} model_region;

/* Both caches have 128 sets of 32-byte lines. */
typedef struct model_cache {
    uint32_t ways;
    /* A lookup in the set of a line that is being filled waits for the end of the fill. */
    bool same_set_waits;
} model_cache;

typedef struct model_tlb {
    uint32_t sets, ways;             /* of the array for 4 KB pages */
    uint32_t large_sets, large_ways; /* of a separate array for 4 MB pages. 0: they share the other array */
    bool split_large;                /* 4 MB pages have entries of 4 KB */
} model_tlb;

/* Returns the bus clocks of a burst, which transfers the four 8-byte parts of a line: `first` up to the first BRDY#,
 * and `next` for each further part. */
static inline uint32_t model_burst(uint32_t first, uint32_t next)
{
    return first + 3 * next;
}

/* Core clocks between events inside the processor. */
typedef struct model_latency {
    uint32_t miss_to_bus;   /* from the end of EX, when a miss is known, to the earliest ADS# */
    uint32_t bus_to_use;    /* from BRDY# to the data in EX */
    uint32_t fill_to_array; /* from the last BRDY# of a line to its use from the array by later references */
    uint32_t misaligned;    /* that a misaligned reference takes more */
    uint32_t walk_start;    /* from a TLB miss to the request of the directory entry */
    uint32_t walk_between;  /* from the directory entry to the request of the table entry */
    uint32_t walk_end;      /* from the last entry to the repeated lookup */
} model_latency;

/* By which address an entry is found: P54C, the first instruction of the pair before the branch; P55C, the branch's
 * last byte. */
enum { BTB_KEY_PREVIOUS_PAIR, BTB_KEY_LAST_BYTE };
enum { BTB_REPLACE_RANDOM, BTB_REPLACE_PLRU };
typedef struct model_btb {
    uint32_t key;         /* BTB_KEY_* */
    uint32_t replacement; /* BTB_REPLACE_*: victim if no way is free */
    /* P54C: if at most this many pairs have passed since the branch last ran, its old counter is still in use, so
     * that a taken branch raises a counter of 0 to 1 instead of 3. */
    uint32_t tight_loop_pairs;
    /* P55C: up to this many instructions since the branch last ran, the prediction is still the one before
     * that run. */
    uint32_t stale_instructions;
    uint32_t first_history;  /* P55C: history of a new entry, 4 bits */
    uint32_t first_counter;  /* P55C: value of the 16 two-bit counters of a new entry */
    uint32_t return_entries; /* addresses on the return stack; 0: there is none */
    /* P54C: a branch in the pair right after a mispredicted one is not predicted, except, with this, the branch of
     * a loop that begins an aligned 16-byte block and ends in it, because the prefetch buffer has its target. */
    bool aligned_loop_at_hand;
} model_btb;

/* The processor's bus cycles, in bus clocks: from the clock of ADS# (counted) to that of BRDY# (counted). */
typedef struct model_bus {
    uint32_t idle_after_read, idle_after_write;    /* between the last BRDY# and the next ADS# */
    uint32_t write;                                /* of up to 8 bytes */
    uint32_t write_back_first, write_back_next;    /* of a line: the first 8 bytes, each further 8 bytes */
    uint32_t locked_read, locked_write;            /* each cycle of a locked sequence */
    uint32_t locked_idle;                          /* between two locked sequences */
    uint32_t io_read, io_write;                    /* of ports */
    uint32_t video_bytes, video_read, video_write; /* video memory: bytes and bus clocks of a transfer */
    uint32_t ewbe; /* clocks for which EWBE# is inactive after a write; 0: never */
    /* WB/WT#: lines are filled exclusive. Otherwise shared, and every write goes to the bus. */
    bool write_back_lines;
} model_bus;

/* The board's direct-mapped cache of 32-byte lines. */
typedef struct model_l2 {
    uint32_t bytes;           /* its size; 0: there is none */
    uint32_t cacheable_bytes; /* memory that it can hold, from address 0 on */
    uint32_t first, next;     /* bus clocks to the first BRDY# of a hit, and for each further 8 bytes */
    bool allocate_single;     /* reads of up to 8 bytes (page walks) allocate a line, too */
} model_l2;

/* Bus clocks of DRAM up to the first BRDY#, by the state of its pages, and for each further 8 bytes. */
typedef struct model_dram {
    uint32_t page_bytes;
    uint32_t hit, closed, miss; /* the right page is open, no page is open, another one is */
    uint32_t next;
    uint32_t close_idle; /* the page is closed after this many idle bus clocks; 0: never */
} model_dram;

/* Another bus master, which moves one line at a time: a device, or the second processor of the board. */
enum { AGENT_NONE, AGENT_DMA, AGENT_PROCESSOR };
typedef struct model_agent {
    uint32_t kind;         /* AGENT_* */
    uint32_t period;       /* bus clocks from one of its requests to the next */
    uint32_t clocks;       /* bus clocks that it takes for a line */
    uint32_t grant;        /* AGENT_PROCESSOR: bus clocks from the end of its cycle to PBGNT# */
    uint32_t base, length; /* first physical address; bytes after which it begins there again */
    bool write;            /* it writes to memory; otherwise it reads */
} model_agent;

/* Where the board connects the pins PM0 and PM1, and the overflow interrupt PMI. */
enum {
    PIN_TO_NOTHING,
    PIN_TO_NMI,
    PIN_TO_IRQ,                      /* IRQ0; the 15 after it are IRQ1 to IRQ15 */
    PIN_TO_CASCADE = PIN_TO_IRQ + 2, /* IRQ2, which has no input pin */
    PIN_TO_APIC = PIN_TO_IRQ + 16    /* PMI with apic = on: the local vector table */
};
enum { MODEL_PINS = 2 };

/* The kinds of bus cycles that the board answers with BUSCHK#. */
enum { CHECK_NONE, CHECK_READ, CHECK_WRITE, CHECK_CODE, CHECK_IN, CHECK_OUT };
typedef struct model_check {
    uint32_t cycle;   /* CHECK_* */
    uint32_t address; /* physical, or a port; a cycle whose line, 8 bytes or ports include it fails */
} model_check;

/* What CESR's "count clocks" counts: clocks in which the event is asserted, or all clocks. */
enum { CC_CLOCKS_ASSERTED, CC_CLOCKS_FREE_RUNNING };
/* Registers over the counters: CESR; those of the Pentium Pro; architectural performance monitoring, version 3. */
enum { MONITOR_P5, MONITOR_P6, MONITOR_ARCH3 };

struct p5_model {
    char name[MODEL_TEXT];
    char title[MODEL_TEXT];
    uint32_t family;    /* P5_FAMILY_* */
    uint32_t signature; /* CPUID leaf 1 EAX */
    double clock_mhz;
    uint32_t half_ratio;   /* half core clocks per bus clock: 3 = 3/2, 4 = 2/1, ... 7 = 7/2 */
    bool errata;           /* behave as silicon (errata 44, 75, 76, 81), otherwise as the manual says */
    uint32_t cc_clocks;    /* CC_CLOCKS_* */
    uint32_t monitor;      /* MONITOR_* */
    uint32_t counter_bits; /* width of a counter: 40 or 48 */
    timing timing;         /* of the pipe */
    model_cache code_cache, data_cache;
    model_tlb code_tlb, data_tlb;
    uint32_t write_buffers;     /* their number, 8 bytes each */
    bool write_buffer_per_pipe; /* half of them belong to each pipe; otherwise both share all */
    model_latency latency;
    model_btb btb;
    model_bus bus;
    model_l2 l2;
    model_dram dram;
    model_agent agent;
    model_region uncacheable[MODEL_REGIONS]; /* where the board drives KEN# inactive */
    uint32_t uncacheable_count;
    uint32_t pins[MODEL_PINS];    /* PIN_TO_* of PM0 and PM1 */
    uint32_t pmi;                 /* PIN_TO_*, with MONITOR_P6 and MONITOR_ARCH3 */
    uint32_t pin_delay_clocks;    /* core clocks from an event to the latch of what its pin is wired to */
    uint32_t pin_overflow_clocks; /* the same for the overflow of a counter */
    model_check check;            /* cycles that fail */
    bool apic; /* the board has an I/O APIC, and APICEN enables the processor's local APIC */
};

/* How the text of a key is converted to its member. */
typedef enum model_kind {
    MODEL_NUMBER, /* uint32_t in [min, max] */
    MODEL_HEX,    /* the same, printed in hexadecimal */
    MODEL_FLAG,   /* bool: on, off */
    MODEL_REAL,   /* double in [min, max] */
    MODEL_RATIO,  /* uint32_t: "5/2" -> 5 */
    MODEL_CHOICE, /* uint32_t: position in `choices`, plus min */
    MODEL_RANGES, /* the uncacheable regions */
    MODEL_STRING  /* char[MODEL_TEXT] */
} model_kind;

/* A key of model files. */
typedef struct model_field {
    const char *section, *key;
    model_kind kind;
    double min, max;     /* of numbers, both ends included; MODEL_CHOICE: number of the first choice, 0 */
    bool power_of_two;   /* a number must be one, or 0 */
    const char *choices; /* words of MODEL_CHOICE, separated by ' ' */
    unsigned offset;     /* of its member in p5_model */
    const char *meaning; /* explanation for users */
} model_field;

/* All keys. */
extern const model_field model_fields[];
extern const unsigned model_field_count;

/* model_value.c */
enum {
    MODEL_LINE = 190,     /* most characters of a line */
    MODEL_VALUE = 254,    /* bytes of a value as text: more than any needs */
    MODEL_EXPECTED = 128, /* bytes of a description */
};
/* Sets a key. Returns false if the key cannot have this value; `expected` then describes the permitted
 * values. */
bool model_value_set(p5_model *model, const model_field *field, const char *value,
                     char expected[MODEL_EXPECTED]);
/* Writes the value of a key to `text`, of `size` bytes, as a model file would have it. */
void model_value_text(const p5_model *model, const model_field *field, char *text, size_t size);
/* Validate a model, of which the keys `given` (by field) were set, before its first use, and its monitor and pins after a
 * change. Errors of model_validate have the place `name`. */
p5_status model_validate(const p5_model *model, const bool *given, const char *name, p5_error *error);
p5_status model_validate_monitor(const p5_model *model, p5_error *error);

/* The built-in files, src/core/model/models/NAME.ini: models, and the processors on which they are based. The lists end
 * with a NULL name. */
extern const embedded_file model_files[], processor_files[];
extern const char *const model_files_names[]; /* names of the models, followed by NULL */

/* A model as rows of text, one per key, for snapshots. */
typedef struct model_row {
    char key[48]; /* SECTION.KEY */
    char value[MODEL_VALUE];
} model_row;
/* Returns all keys, which the caller frees, or NULL if memory runs out. */
model_row *model_to_rows(const p5_model *model, size_t *count);
/* Makes a model called `name` from these keys; the caller closes it. Missing keys are as in the built-in model of that
 * name, if there is one. */
p5_status model_from_rows(const char *name, const model_row *rows, size_t count, p5_model **model,
                          p5_error *error);

/* Returns a copy, to be closed with p5_model_close, or NULL if memory runs out. */
p5_model *model_copy(const p5_model *model);
/* Returns the feature bits of CPUID, leaf 1: P54C FPU VME DE PSE TSC MSR MCE CX8, P55C also MMX; APIC if it is
 * enabled. */
static inline uint32_t model_features(const p5_model *model)
{
    enum { P54C = 0x1bf, P55C = 0x8001bf, APIC = 0x200 };
    return (model->family == P5_FAMILY_P55C ? P55C : P54C) | (model->apic ? APIC : 0u);
}

/* Pages of registers, if the board has APICs. */
enum { MODEL_APIC_BYTES = 4096 };
#define MODEL_IO_APIC    0xfec00000u
#define MODEL_LOCAL_APIC 0xfee00000u
/* Returns whether `physical` is a register of an APIC. */
static inline bool model_apic(const p5_model *model, uint32_t physical)
{
    return model->apic &&
           (physical - MODEL_IO_APIC < MODEL_APIC_BYTES || physical - MODEL_LOCAL_APIC < MODEL_APIC_BYTES);
}
/* Returns whether the board drives KEN# inactive for `physical`. */
static inline bool model_uncacheable(const p5_model *model, uint32_t physical)
{
    if (model_apic(model, physical))
        return true;
    for (unsigned i = 0; i < model->uncacheable_count; i++)
        if (physical >= model->uncacheable[i].first && physical <= model->uncacheable[i].last)
            return true;
    return false;
}

#endif
