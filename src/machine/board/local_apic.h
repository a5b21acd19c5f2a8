/* The processor's local APIC, whose registers lie at FEE00000h. Rules: Intel's manual, "Advanced Programmable
 * Interrupt Controller", with what it says of the Pentium: identifiers of four bits, and no entry for performance
 * counters unless the monitor is that of a later processor. There is one processor, so that messages to others
 * are accepted by nobody. */
#ifndef MACHINE_BOARD_LOCAL_APIC_H
#define MACHINE_BOARD_LOCAL_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

/* Entries of the local vector table, in the order of their registers from 320h on. */
typedef enum local_apic_entry {
    LVT_TIMER,
    LVT_THERMAL, /* 330h: reserved; no Pentium has it */
    LVT_PERFORMANCE,
    LVT_LINT0,
    LVT_LINT1,
    LVT_ERROR,
    LVT_ENTRIES
} local_apic_entry;

/* Delivery modes of messages and of entries. */
typedef enum apic_mode {
    APIC_FIXED,
    APIC_LOWEST,
    APIC_SMI,
    APIC_NMI = 4,
    APIC_INIT,
    APIC_STARTUP,
    APIC_EXTINT
} apic_mode;

/* An interrupt message of the APIC bus. */
typedef struct apic_message {
    uint8_t vector, destination;
    uint8_t mode; /* apic_mode */
    bool logical; /* `destination` selects by logical_id, else by id */
    bool level;   /* of a level-triggered interrupt */
} apic_message;

/* What the APIC requests of the rest of the machine: an NMI, INIT or SMI of the processor, or the EOI message to
 * the I/O APIC. */
enum { LOCAL_APIC_NMI = 1, LOCAL_APIC_INIT = 2, LOCAL_APIC_SMI = 4, LOCAL_APIC_EOI = 8 };

typedef struct local_apic {
    uint8_t id, logical_id, task_priority;
    uint32_t format;     /* DFR */
    uint32_t spurious;   /* SVR: spurious vector and software enable */
    uint32_t errors;     /* ESR */
    uint32_t command[2]; /* ICR: low and high half */
    uint32_t entries[LVT_ENTRIES];
    uint32_t requests[8], in_service[8], level[8]; /* IRR, ISR, TMR: 256 bits */
    bool lint0;                                    /* level of the pin */
    uint8_t divide;                                /* the timer's divide configuration register */
    uint32_t initial;                              /* the timer's initial count */
    uint32_t count; /* the timer's count at bus clock `since`; 0: it does not run */
    uint64_t since;
    bool performance;   /* has LVT_PERFORMANCE */
    uint8_t wants;      /* LOCAL_APIC_*; the caller of the functions below serves and clears them */
    uint8_t eoi_vector; /* of the message LOCAL_APIC_EOI */
} local_apic;

extern const snapshot_table local_apic_state;

/* Sets the state after a reset: disabled by software, all entries masked. Keeps the identifier and the level of LINT0. */
void local_apic_reset(local_apic *a, bool performance);
/* Access the register at `offset`. `now` is the bus clock up to which the timer has been advanced. */
uint32_t local_apic_read(const local_apic *a, uint32_t offset, uint64_t now);
void local_apic_write(local_apic *a, uint32_t offset, uint32_t value, uint64_t now);

/* Takes a message from the bus. Returns false if it is for another processor. */
bool local_apic_accept(local_apic *a, const apic_message *message);
/* Drives LINT0. */
void local_apic_set_lint0(local_apic *a, bool level);
/* Raises the interrupt of an entry unless it is masked: for an edge at LINT1, or an overflow of a performance counter. */
void local_apic_raise(local_apic *a, local_apic_entry entry);
/* Returns true if the entry is unmasked and has this mode. */
bool local_apic_has(const local_apic *a, local_apic_entry entry, apic_mode mode);
/* Returns true if a request has a higher priority than the processor. */
bool local_apic_pending(const local_apic *a);
/* Puts the request of the highest priority into service and returns its vector. If no request is pending, returns
 * the spurious vector, which is not put into service. */
uint8_t local_apic_acknowledge(local_apic *a);

/* Returns the bus clock at which the timer next raises an interrupt; UINT64_MAX: never. */
uint64_t local_apic_deadline(const local_apic *a);
/* Advances the timer to bus clock `now`. */
void local_apic_advance(local_apic *a, uint64_t now);

#endif
