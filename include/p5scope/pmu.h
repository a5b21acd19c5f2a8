/* The performance monitor and the model-specific registers, for programs and for the command `msr`. Manual:
 * chapter 26. */
#ifndef P5SCOPE_PMU_H
#define P5SCOPE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/core.h"
#include "p5scope/event.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p5_pmu p5_pmu;

/* MSR numbers (ECX). */
enum {
    P5_MSR_MCA,
    P5_MSR_MCT,
    P5_MSR_TR1,
    P5_MSR_TR2 = 4,
    P5_MSR_TR3,
    P5_MSR_TR4,
    P5_MSR_TR5,
    P5_MSR_TR6,
    P5_MSR_TR7,
    P5_MSR_TR9 = 0x0b,
    P5_MSR_TR10,
    P5_MSR_TR11,
    P5_MSR_TR12,
    P5_MSR_TSC = 0x10,
    P5_MSR_CESR,
    P5_MSR_CTR0,
    P5_MSR_CTR1,
    /* P5_MONITOR_P6 and P5_MONITOR_ARCH3; the number of counters depends on the monitor. */
    P5_MSR_PMC0 = 0xc1,         /* to C4h */
    P5_MSR_PERFEVTSEL0 = 0x186, /* to 189h */
    P5_MSR_FIXED_CTR0 = 0x309,  /* to 30Bh */
    P5_MSR_FIXED_CTR_CTRL = 0x38d,
    P5_MSR_GLOBAL_STATUS,
    P5_MSR_GLOBAL_CTRL,
    P5_MSR_GLOBAL_OVF_CTRL
};

/* The state that decides whether RDPMC, RDTSC, RDMSR and WRMSR fault. */
typedef struct p5_privilege {
    uint8_t mode; /* P5_MODE_* */
    uint8_t cpl;
    bool tsd; /* CR4.TSD */
    bool pce; /* CR4.PCE */
} p5_privilege;

/* The outcome of one of these instructions. */
typedef enum p5_fault { P5_NO_FAULT, P5_FAULT_UD /* #UD */, P5_FAULT_GP /* #GP(0) */ } p5_fault;

/* What a counter counts if its CC field asks for clocks. The manuals only say "clocks (duration)". */
typedef enum p5_cc_clocks {
    P5_CC_ASSERTED,    /* clocks in which the selected event's signal is on: the default */
    P5_CC_FREE_RUNNING /* every clock at the enabled privilege levels, whatever the event */
} p5_cc_clocks;

/* Opens a performance monitor over the totals of `core`, which must outlive it. `family` plus P5_MONITOR_P6
 * or P5_MONITOR_ARCH3 is a later monitor over the Pentium MMX's events. */
p5_status p5_pmu_open(p5_core *core, unsigned family, p5_pmu **pmu, p5_error *error);
void p5_pmu_close(p5_pmu *pmu);
/* Sets the meaning of CC bit 2 (the model's field cc_clocks; P5_CC_ASSERTED after open). Counters keep their
 * values. */
void p5_pmu_set_cc_clocks(p5_pmu *pmu, p5_cc_clocks meaning);

/* Execute the instructions. `value` is read or written only if the result is P5_NO_FAULT. */
p5_fault p5_pmu_rdtsc(p5_pmu *pmu, const p5_privilege *privilege, uint64_t *value);
p5_fault p5_pmu_rdpmc(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value);
p5_fault p5_pmu_rdmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value);
p5_fault p5_pmu_wrmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t value);
/* Calls `error` when a reference reads something that was written with reversed parity (TR1; manual,
 * 26.2.1.4). IERR# is then asserted and TR1.PES is set. `array` is the bit of TR1 that names the array;
 * `shutdown`: TR1.NS is 0 and the processor shuts down. It is called while the reference is priced. NULL: no
 * callback. */
void p5_pmu_on_parity_error(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                            void *context);
/* Returns the fault that WRMSR would raise, without writing. */
p5_fault p5_pmu_wrmsr_fault(const p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t value);
/* Sets the width of a later monitor's counters: 40 (after open) or 48 bits. */
void p5_pmu_set_counter_bits(p5_pmu *pmu, unsigned bits);
/* Gets CPUID leaf 0AH, EAX to EDX, of P5_MONITOR_ARCH3. */
void p5_pmu_cpuid_0a(const p5_pmu *pmu, uint32_t leaf[4]);
/* Pins that show the state of the monitor. */
typedef enum p5_pin {
    P5_PIN_PM0,  /* PM0/BP0 */
    P5_PIN_PM1,  /* PM1/BP1 */
    P5_PIN_IERR, /* IERR#; true means asserted, which is low */
    P5_PINS,
    P5_PIN_PMI = P5_PINS, /* not a pin: the overflow interrupt of later monitors */
    P5_PIN_SIGNALS
} p5_pin;
/* Returns the name of a pin ("PM0", ...), never NULL for values below P5_PIN_SIGNALS. */
const char *p5_pin_name(p5_pin pin);
/* Calls `changed` whenever a pin changes (manual, 26.4.4.3, 26.4.5). With CESR.PC clear, a PM pin is asserted
 * in each clock in which its counter increments (once if it increments by more), or as long as the counted
 * condition holds. With PC set, it is asserted when the counter has overflowed. Pins lag by a few clocks
 * (overflow about 5) and change at edges of the bus clock; `clock` is the core clock of that edge. NULL: no
 * callback, and the pins are not simulated. */
void p5_pmu_on_pin(p5_pmu *pmu, void (*changed)(void *context, p5_pin pin, bool level, uint64_t clock),
                   void *context);
/* Simulates the pins up to the core's clock and reports their changes. To be called after each stretch that
 * was fed; the shorter the stretches, the more exact are the clocks of pulses inside them. */
void p5_pmu_follow_pins(p5_pmu *pmu);
/* Simulates the pins at the end of a run and reports the changes that are still pending, too. */
void p5_pmu_settle_pins(p5_pmu *pmu);
/* Returns the earliest core clock at which a pin can change; UINT64_MAX if none can with the current CESR.
 * The caller need not call p5_pmu_follow_pins until shortly before it. `turn` is NULL while instructions are
 * executed. For a halted processor it is the clock at which another bus master takes its next turn, UINT64_MAX
 * if there is none: then only that and the passing of time can make a counter overflow. */
uint64_t p5_pmu_pin_deadline(const p5_pmu *pmu, const uint64_t *turn);
/* Turns the PM pins into BP0 and BP1 for an in-circuit debugger; they show matches of DR0 and DR1. Off after
 * RESET. */
void p5_pmu_set_breakpoint_pins(p5_pmu *pmu, bool on);
/* Bits of MCT: the kind of the failed bus cycle, and CHK if one is latched. Manual: machine check type
 * register. */
enum {
    P5_MCT_CHK = 1,
    P5_MCT_WRITE = P5_CYCLE_WRITE,
    P5_MCT_DATA = P5_CYCLE_DATA,
    P5_MCT_MEMORY = P5_CYCLE_MEMORY,
    P5_MCT_LOCKED = P5_CYCLE_LOCKED,
    P5_MCT_CYCLE = 30
};
/* Latches a failed bus cycle (BUSCHK#, or PEN# with a parity error): its address in MCA, its type (P5_MCT_*)
 * in MCT. Returns false if one is latched already: the first stays until MCT is read. */
bool p5_pmu_bus_check(p5_pmu *pmu, uint32_t physical, unsigned type);
/* Returns the CR4 bits that the family has; a write of others is #GP(0). */
uint32_t p5_pmu_cr4_mask(unsigned family);
/* Fills in the fields of `control` that TR12 determines. */
void p5_pmu_control(const p5_pmu *pmu, p5_control *control);

/* One counter's half of CESR, decoded. */
typedef struct p5_counter_select {
    uint8_t code;      /* ES, 0-63 */
    bool system, user; /* CC bits 0 and 1: CPL 0-2, CPL 3 */
    bool clocks;       /* CC bit 2: asserted clocks instead of events */
    bool overflow_pin; /* PC: the pin shows overflows, not increments */
    uint8_t unit_mask; /* later monitors: 1 for an event of counter 1's list */
} p5_counter_select;

/* CESR <-> its two halves. Layout: manual 26.4.3.
 *   31..26 25 24..22 21..16 15..10 9  8..6 5..0
 *     0    PC1 CC1    ES1     0   PC0 CC0  ES0   */
void p5_cesr_decode(uint32_t cesr, p5_counter_select select[2]);
uint32_t p5_cesr_encode(const p5_counter_select select[2]);

/* Returns the value of PERFEVTSEL`number` of a later monitor that counts `select`. The value is enabled; on
 * the Pentium Pro only PERFEVTSEL0 has an enable bit. There, u means CPL 1-3, k CPL 0, and c the clocks with
 * at least one increment (CMASK 1).
 *   31..24 23 22 21 20 19 18 17 16 15..8 7..0
 *   CMASK INV EN ANY INT PC E OS USR umask event */
uint32_t p5_evtsel_encode(const p5_counter_select *select, unsigned number, unsigned family);
/* Describes what a value of PERFEVTSEL counts in one sentence. `family` includes the monitor. */
void p5_evtsel_describe(uint32_t value, unsigned family, char *text, size_t size);

/* Parses "name", "name:u", "r2b.0:uc" into a selection for counter `counter` of a processor of `family`.
 * Modifiers: u CPL 3, k CPL 0-2 (neither: both), c clocks, p the pin shows overflows. A raw code without .C
 * is looked up on `counter`. Errors say which counter or processor has the event. On a later monitor (its bit
 * is in `family`) any counter counts any event. */
p5_status p5_counter_parse(const char *text, unsigned counter, unsigned family, p5_counter_select *select,
                           p5_error *error);

/* One field of a register, for decoding in words: bits `low` to `high`. */
typedef struct p5_register_field {
    const char *name;
    uint8_t high, low;
    const char *meaning;
} p5_register_field;
/* One MSR with its name ("cesr", "tr12", ...) and fields. */
typedef struct p5_register {
    const char *name;
    uint32_t msr;
    const char *title;
    uint64_t read_mask, write_mask;
    const p5_register_field *fields;
    unsigned field_count;
} p5_register;
const p5_register *p5_registers(unsigned family);

#ifdef __cplusplus
}
#endif
#endif
