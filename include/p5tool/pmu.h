/* The performance monitor: what the tool needs in addition to p5scope/pmu.h. */
#ifndef P5TOOL_PMU_H
#define P5TOOL_PMU_H

#include "p5scope/pmu.h"

/* What a counter counts if its CC field asks for clocks. The manuals only say "clocks (duration)". */
typedef enum p5_cc_clocks {
    P5_CC_ASSERTED,    /* clocks in which the selected event's signal is on: the default */
    P5_CC_FREE_RUNNING /* every clock at the enabled privilege levels, whatever the event */
} p5_cc_clocks;

/* Sets the meaning of CC bit 2 (the model's field cc_clocks; P5_CC_ASSERTED after open). Counters keep their
 * values. */
void p5_pmu_set_cc_clocks(p5_pmu *pmu, p5_cc_clocks meaning);

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

/* Latches a failed bus cycle (BUSCHK#, or PEN# with a parity error): its address in MCA, its type (P5_MCT_*)
 * in MCT. Returns false if one is latched already: the first stays until MCT is read. */
bool p5_pmu_bus_check(p5_pmu *pmu, uint32_t physical, unsigned type);

/* Returns the CR4 bits that the family has; a write of others is #GP(0). */
uint32_t p5_pmu_cr4_mask(unsigned family);

/* Returns the value of PERFEVTSEL`number` of a later monitor that counts `select`. The value is enabled; on
 * the Pentium Pro only PERFEVTSEL0 has an enable bit. There, u means CPL 1-3, k CPL 0, and c the clocks with
 * at least one increment (CMASK 1).
 *   31..24 23 22 21 20 19 18 17 16 15..8 7..0
 *   CMASK INV EN ANY INT PC E OS USR umask event */
uint32_t p5_evtsel_encode(const p5_counter_select *select, unsigned number, unsigned family);

/* Describes what a value of PERFEVTSEL counts in one sentence. `family` includes the monitor. */
void p5_evtsel_describe(uint32_t value, unsigned family, char *text, size_t size);

/* One field of a register, for decoding in words: bits `low` to `high`. */
typedef struct p5_register_field {
    const char *name;
    uint8_t high, low;
    const char *meaning;
} p5_register_field;

/* One MSR with its name ("cesr", "tr12", ...) and fields. */
typedef struct p5_register {
    const char *name;
    uint32_t msr; /* number */
    const char *title;
    uint64_t read_mask, write_mask; /* bits that RDMSR reads, and that WRMSR writes */
    const p5_register_field *fields;
    unsigned field_count;
} p5_register;
/* Returns all MSRs of `family` (P5_FAMILY_*, with the bit of a later monitor) in ascending order of their numbers. The
 * entry after the last has the name NULL. */
const p5_register *p5_registers(unsigned family);

/* Returns the monitor's registers in the order of their numbers: CESR, CTR0 and CTR1, or the readable ones of
 * a later monitor. *count gets their number, at most P5_MONITOR_REGISTERS. */
enum { P5_MONITOR_REGISTERS = 16 };
const p5_register *p5_pmu_monitor_registers(const p5_pmu *pmu, size_t *count);

/* Returns true for counters (CTR0, PMC0, FIXED_CTR0, ...). */
bool p5_register_counts(const p5_register *reg);

#endif
