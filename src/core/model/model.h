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
enum { MODEL_REVISION = 1 };

enum { MODEL_REGIONS = 8, MODEL_TEXT = 80 };

/* A range of physical addresses, both ends included. */
typedef struct model_region {
    uint32_t first, last;
} model_region;

typedef struct model_cache {
    uint32_t ways;
    bool same_set_waits;
} model_cache;

typedef struct model_tlb {
    uint32_t sets, ways;
    uint32_t large_sets, large_ways; /* 0: 4 MB pages share the array, or are split into 4 KB pages */
    bool split_large;
} model_tlb;

/* Returns the clocks of a burst, which transfers the four parts of a line. */
static inline uint32_t model_burst(uint32_t first, uint32_t next)
{
    return first + 3 * next;
}

/* Core clocks between events inside the processor. */
typedef struct model_latency {
    uint32_t miss_to_bus, bus_to_use, fill_to_array;
    uint32_t misaligned;
    uint32_t walk_start, walk_between, walk_end;
} model_latency;

enum { BTB_KEY_PREVIOUS_PAIR, BTB_KEY_LAST_BYTE };
enum { BTB_REPLACE_RANDOM, BTB_REPLACE_PLRU };
typedef struct model_btb {
    uint32_t key;
    uint32_t replacement;
    uint32_t tight_loop_pairs;
    uint32_t stale_instructions;
    uint32_t first_history, first_counter;
    uint32_t return_entries;
    bool aligned_loop_at_hand;
} model_btb;

/* Bus clocks of the board, from the clock of ADS# (counted) to that of BRDY# (counted). */
typedef struct model_bus {
    uint32_t idle_after_read, idle_after_write;
    uint32_t write, write_back_first, write_back_next;
    uint32_t locked_read, locked_write, locked_idle;
    uint32_t io_read, io_write;
    uint32_t video_bytes, video_read, video_write; /* bytes and bus clocks of a transfer */
    uint32_t ewbe;
    bool write_back_lines; /* WB/WT# */
} model_bus;

typedef struct model_l2 {
    uint32_t bytes, cacheable_bytes;
    uint32_t first, next;
    bool allocate_single;
} model_l2;

typedef struct model_dram {
    uint32_t page_bytes;
    uint32_t hit, closed, miss, next;
    uint32_t close_idle;
} model_dram;

/* Another bus master: see agent.h. */
enum { AGENT_NONE, AGENT_DMA, AGENT_PROCESSOR };
typedef struct model_agent {
    uint32_t kind;
    uint32_t period, clocks, grant; /* bus clocks */
    uint32_t base, length;          /* bytes */
    bool write;
} model_agent;

/* Where the board connects PM0 and PM1. */
enum {
    PIN_TO_NOTHING,
    PIN_TO_NMI,
    PIN_TO_IRQ, /* and the 15 after it */
    PIN_TO_CASCADE = PIN_TO_IRQ + 2,
    PIN_TO_APIC = PIN_TO_IRQ + 16 /* PMI with apic = on: the local vector table */
};
enum { MODEL_PINS = 2 };

/* The kinds of bus cycles that the board answers with BUSCHK#. */
enum { CHECK_NONE, CHECK_READ, CHECK_WRITE, CHECK_CODE, CHECK_IN, CHECK_OUT };
typedef struct model_check {
    uint32_t cycle;   /* CHECK_* */
    uint32_t address; /* physical, or a port */
} model_check;

enum { CC_CLOCKS_ASSERTED, CC_CLOCKS_FREE_RUNNING };
enum { MONITOR_P5, MONITOR_P6, MONITOR_ARCH3 };

struct p5_model {
    char name[MODEL_TEXT];
    char title[MODEL_TEXT];
    uint32_t family;    /* P5_FAMILY_* */
    uint32_t signature; /* CPUID leaf 1 EAX */
    double clock_mhz;
    uint32_t half_ratio; /* half core clocks per bus clock: 3 = 3/2, 4 = 2/1, ... 7 = 7/2 */
    bool errata;
    uint32_t cc_clocks;
    uint32_t monitor; /* MONITOR_* */
    uint32_t counter_bits;
    timing timing;
    model_cache code_cache, data_cache;
    model_tlb code_tlb, data_tlb;
    uint32_t write_buffers;
    bool write_buffer_per_pipe;
    model_latency latency;
    model_btb btb;
    model_bus bus;
    model_l2 l2;
    model_dram dram;
    model_agent agent;
    model_region uncacheable[MODEL_REGIONS];
    uint32_t uncacheable_count;
    uint32_t pins[MODEL_PINS];
    uint32_t pmi;
    uint32_t pin_delay_clocks, pin_overflow_clocks;
    model_check check;
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
    MODEL_STRING
} model_kind;

typedef struct model_field {
    const char *section, *key;
    model_kind kind;
    double min, max;
    bool power_of_two;   /* or 0 */
    const char *choices; /* separated by ' ' */
    unsigned offset;
    const char *meaning;
} model_field;

extern const model_field model_fields[];
extern const unsigned model_field_count;

/* model_value.c */
enum { MODEL_LINE = 190, MODEL_EXPECTED = 128 };
/* Sets a key. Returns false if the key cannot have this value; `expected` then describes the permitted
 * values. */
bool model_value_set(p5_model *model, const model_field *field, const char *value,
                     char expected[MODEL_EXPECTED]);
/* Writes the value as a model file would have it. */
void model_value_text(const p5_model *model, const model_field *field, char *text, size_t size);

/* The built-in files, src/core/model/models/NAME.ini: models, and the processors on which they are based. */
extern const embedded_file model_files[], processor_files[];
extern const char *const model_files_names[];

/* A model as rows of text, one per key, for snapshots. */
typedef struct model_row {
    char key[48]; /* SECTION.KEY */
    char value[MODEL_LINE + 64];
} model_row;
/* Returns all keys, which the caller frees, or NULL if memory runs out. */
model_row *model_to_rows(const p5_model *model, size_t *count);
/* Makes a model called `name` from these keys. Missing keys are as in the built-in model of that name. */
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
