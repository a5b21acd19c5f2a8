#include "machine/board/local_apic.h"

#include <assert.h>

enum { /* offsets of registers */
       ID = 0x20,
       VERSION = 0x30,
       TASK_PRIORITY = 0x80,
       ARBITRATION_PRIORITY = 0x90,
       PROCESSOR_PRIORITY = 0xa0,
       EOI = 0xb0,
       LOGICAL_DESTINATION = 0xd0,
       FORMAT = 0xe0,
       SPURIOUS = 0xf0,
       IN_SERVICE = 0x100, /* eight registers each */
       LEVEL = 0x180,
       REQUESTS = 0x200,
       BIT_REGISTERS_END = 0x280,
       ERRORS = 0x280,
       COMMAND = 0x300, /* low and high half */
       ENTRY = 0x320,
       ENTRY_END = ENTRY + LVT_ENTRIES * 0x10,
       INITIAL_COUNT = 0x380,
       CURRENT_COUNT = 0x390,
       DIVIDE = 0x3e0
};
enum { /* bits of entries and of the command */
       VECTOR = 0xff,
       MODE_SHIFT = 8,
       MODE = 7 << MODE_SHIFT,
       LOGICAL = 1 << 11,
       LOW_ACTIVE = 1 << 13,
       REMOTE_IRR = 1 << 14, /* of an entry */
       ASSERT = 1 << 14,     /* of the command */
       LEVEL_TRIGGER = 1 << 15,
       MASK = 1 << 16,
       PERIODIC = 1 << 17,
       SHORTHAND_SHIFT = 18
};
enum { TO_DESTINATION, TO_SELF, TO_ALL, TO_OTHERS }; /* the command's destination shorthand */
enum { ENABLE = 0x100, FOCUS = 0x200, ALWAYS_ONE = 0x0f /* lowest bits of the spurious vector */ };
enum { SEND_ACCEPT = 0x04, SEND_VECTOR = 0x20, RECEIVE_VECTOR = 0x40 }; /* bits of the error register */
enum { FIRST_VECTOR = 16 /* lower ones are illegal */, VERSION_PENTIUM = 0x10, ID_BITS = 0x0f };

static const uint32_t writable[LVT_ENTRIES] = {
    [LVT_TIMER] = VECTOR | MASK | PERIODIC,
    [LVT_PERFORMANCE] = VECTOR | MODE | MASK,
    [LVT_LINT0] = VECTOR | MODE | LOW_ACTIVE | LEVEL_TRIGGER | MASK,
    [LVT_LINT1] = VECTOR | MODE | LOW_ACTIVE | LEVEL_TRIGGER | MASK,
    [LVT_ERROR] = VECTOR | MASK,
};

/* Returns the bits that can be written into an entry; 0: there is no such entry. */
static uint32_t entry_bits(const local_apic *a, unsigned entry)
{
    return entry == LVT_PERFORMANCE && !a->performance ? 0 : writable[entry];
}

void local_apic_reset(local_apic *a, bool performance)
{
    *a = (local_apic){
        .format = UINT32_MAX, .spurious = 0xff, .performance = performance, .id = a->id, .lint0 = a->lint0};
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        a->entries[i] = entry_bits(a, i) & MASK;
}

/* --- priorities --- */

static void set_bit(uint32_t bits[8], unsigned vector, bool on)
{
    uint32_t bit = 1u << vector % 32;
    bits[vector / 32] = on ? bits[vector / 32] | bit : bits[vector / 32] & ~bit;
}

static bool has_bit(const uint32_t bits[8], unsigned vector)
{
    return bits[vector / 32] >> vector % 32 & 1;
}

/* Returns the highest vector of the set, or 0, which no interrupt has. */
static unsigned highest(const uint32_t bits[8])
{
    for (unsigned i = 8; i-- > 0;)
        if (bits[i] != 0)
            return i * 32 + 31 - (unsigned)__builtin_clz(bits[i]);
    return 0;
}

static unsigned processor_priority(const local_apic *a)
{
    unsigned serving = highest(a->in_service);
    return a->task_priority >> 4 >= serving >> 4 ? a->task_priority : serving & 0xf0;
}

static unsigned arbitration_priority(const local_apic *a)
{
    unsigned serving = highest(a->in_service) & 0xf0, asked = highest(a->requests) & 0xf0;
    if (a->task_priority >> 4 >= asked >> 4 && a->task_priority >> 4 > serving >> 4)
        return a->task_priority;
    unsigned task = a->task_priority & 0xf0, most = task > serving ? task : serving;
    return most > asked ? most : asked;
}

bool local_apic_pending(const local_apic *a)
{
    return highest(a->requests) >> 4 > processor_priority(a) >> 4;
}

uint8_t local_apic_acknowledge(local_apic *a)
{
    if (!local_apic_pending(a))
        return (uint8_t)a->spurious;
    unsigned vector = highest(a->requests);
    set_bit(a->requests, vector, false);
    set_bit(a->in_service, vector, true);
    return (uint8_t)vector;
}

/* --- local interrupts --- */

/* Returns the delivery mode of an entry; one without such a field is fixed. */
static unsigned entry_mode(const local_apic *a, local_apic_entry entry)
{
    bool has_mode = (writable[entry] & MODE) != 0;
    return has_mode ? (a->entries[entry] & MODE) >> MODE_SHIFT : APIC_FIXED;
}

bool local_apic_has(const local_apic *a, local_apic_entry entry, apic_mode mode)
{
    return entry_bits(a, entry) != 0 && (a->entries[entry] & MASK) == 0 && entry_mode(a, entry) == mode;
}

static void set_request(local_apic *a, uint8_t vector, bool level)
{
    set_bit(a->requests, vector, true);
    set_bit(a->level, vector, level);
}

/* Records an error and raises the interrupt of errors, unless that has an illegal vector itself. */
static void add_error(local_apic *a, uint32_t error)
{
    a->errors |= error;
    if (!local_apic_has(a, LVT_ERROR, APIC_FIXED))
        return;
    uint8_t vector = a->entries[LVT_ERROR] & VECTOR;
    if (vector < FIRST_VECTOR)
        a->errors |= RECEIVE_VECTOR;
    else
        set_request(a, vector, false);
}

/* Delivers an interrupt to this processor. */
static void deliver(local_apic *a, unsigned mode, uint8_t vector, bool level)
{
    switch (mode) {
    case APIC_FIXED:
    case APIC_LOWEST:
        if (vector < FIRST_VECTOR)
            add_error(a, RECEIVE_VECTOR);
        else
            set_request(a, vector, level);
        break;
    case APIC_SMI:
        a->wants |= LOCAL_APIC_SMI;
        break;
    case APIC_NMI:
        a->wants |= LOCAL_APIC_NMI;
        break;
    case APIC_INIT:
        a->wants |= LOCAL_APIC_INIT;
        break;
    default: /* a running processor ignores APIC_STARTUP; apic.c serves APIC_EXTINT, whose vector the 8259s supply */
        break;
    }
}

void local_apic_raise(local_apic *a, local_apic_entry entry)
{
    if (!local_apic_has(a, entry, entry_mode(a, entry))) /* the entry is masked or does not exist */
        return;
    deliver(a, entry_mode(a, entry), a->entries[entry] & VECTOR, false);
    if (entry == LVT_PERFORMANCE) /* handling such an interrupt masks it */
        a->entries[entry] |= MASK;
}

/* Delivers LINT0's level-triggered interrupt if the pin is active. Remote IRR then prevents another delivery
 * until the end of the interrupt. */
static void deliver_lint0_level(local_apic *a)
{
    uint32_t *entry = &a->entries[LVT_LINT0];
    bool active = a->lint0 != ((*entry & LOW_ACTIVE) != 0);
    if (!active || (*entry & (LEVEL_TRIGGER | REMOTE_IRR)) != LEVEL_TRIGGER ||
        !local_apic_has(a, LVT_LINT0, APIC_FIXED))
        return;
    *entry |= REMOTE_IRR;
    deliver(a, APIC_FIXED, *entry & VECTOR, true);
}

void local_apic_set_lint0(local_apic *a, bool level)
{
    uint32_t entry = a->entries[LVT_LINT0];
    bool low = (entry & LOW_ACTIVE) != 0, rises = level != a->lint0 && level != low;
    a->lint0 = level;
    if ((entry & LEVEL_TRIGGER) != 0)
        deliver_lint0_level(a);
    else if (rises)
        local_apic_raise(a, LVT_LINT0);
}

/* --- messages --- */

/* Returns true if a destination includes this processor. */
static bool is_for(const local_apic *a, bool logical, uint8_t destination)
{
    if (!logical) /* all ones: every processor */
        return (destination & ID_BITS) == ID_BITS || destination == a->id;
    if (a->format >> 28 == 0xf) /* flat model */
        return (destination & a->logical_id) != 0;
    bool cluster = destination >> 4 == 0xf || destination >> 4 == a->logical_id >> 4;
    return cluster && (destination & a->logical_id & 0x0f) != 0;
}

bool local_apic_accept(local_apic *a, const apic_message *message)
{
    if (!is_for(a, message->logical, message->destination))
        return false;
    if ((a->spurious & ENABLE) != 0 || message->mode == APIC_NMI || message->mode == APIC_INIT ||
        message->mode == APIC_SMI)
        deliver(a, message->mode, message->vector, message->level);
    return true;
}

/* Sends the message of the command register. */
static void send(local_apic *a)
{
    uint32_t command = a->command[0];
    unsigned mode = (command & MODE) >> MODE_SHIFT, to = command >> SHORTHAND_SHIFT & 3;
    uint8_t vector = command & VECTOR;
    if (mode == APIC_INIT && (command & ASSERT) == 0)
        return; /* only sets the arbitration identifiers */
    if (mode <= APIC_LOWEST && vector < FIRST_VECTOR) {
        add_error(a, SEND_VECTOR);
        return;
    }
    bool self = to == TO_SELF || to == TO_ALL ||
                (to == TO_DESTINATION && is_for(a, (command & LOGICAL) != 0, (uint8_t)(a->command[1] >> 24)));
    if (!self)
        add_error(a, SEND_ACCEPT);
    else
        deliver(a, mode, vector, (command & LEVEL_TRIGGER) != 0);
}

/* --- timer --- */

/* Returns the bus clocks of one count: 2, 4, ... 128, 1. */
static uint64_t count_clocks(const local_apic *a)
{
    unsigned code = (a->divide & 3u) | (a->divide >> 1 & 4u);
    return 1u << ((code + 1) & 7);
}

static uint32_t current_count(const local_apic *a, uint64_t now)
{
    uint64_t passed = (now - a->since) / count_clocks(a);
    return passed < a->count ? a->count - (uint32_t)passed : 0;
}

uint64_t local_apic_deadline(const local_apic *a)
{
    return a->count != 0 && local_apic_has(a, LVT_TIMER, APIC_FIXED) ? a->since + a->count * count_clocks(a)
                                                                     : UINT64_MAX;
}

void local_apic_advance(local_apic *a, uint64_t now)
{
    uint64_t clocks = count_clocks(a), passed = (now - a->since) / clocks;
    assert(now >= a->since);
    if (a->count == 0 || passed < a->count)
        return;
    if ((a->entries[LVT_TIMER] & PERIODIC) != 0) {
        a->count = a->initial - (uint32_t)((passed - a->count) % a->initial);
        a->since += passed * clocks;
    } else {
        a->count = 0;
    }
    local_apic_raise(a, LVT_TIMER);
}

/* --- registers --- */

uint32_t local_apic_read(const local_apic *a, uint32_t offset, uint64_t now)
{
    unsigned last_entry = a->performance ? 4 : 3;
    if (offset >= IN_SERVICE && offset < BIT_REGISTERS_END) {
        const uint32_t *bits = offset < LEVEL ? a->in_service : offset < REQUESTS ? a->level : a->requests;
        return bits[offset >> 4 & 7];
    }
    if (offset >= ENTRY && offset < ENTRY_END)
        return a->entries[(offset - ENTRY) >> 4];
    switch (offset) {
    case ID:
        return (uint32_t)a->id << 24;
    case VERSION:
        return VERSION_PENTIUM | last_entry << 16;
    case TASK_PRIORITY:
        return a->task_priority;
    case ARBITRATION_PRIORITY:
        return arbitration_priority(a);
    case PROCESSOR_PRIORITY:
        return processor_priority(a);
    case LOGICAL_DESTINATION:
        return (uint32_t)a->logical_id << 24;
    case FORMAT:
        return a->format;
    case SPURIOUS:
        return a->spurious;
    case ERRORS:
        return a->errors;
    case COMMAND:
    case COMMAND + 0x10:
        return a->command[(offset - COMMAND) >> 4];
    case INITIAL_COUNT:
        return a->initial;
    case CURRENT_COUNT:
        return current_count(a, now);
    case DIVIDE:
        return a->divide;
    default:
        return 0;
    }
}

/* Ends the interrupt of the highest priority in service. If it was level-triggered, it also ends at the I/O APIC. */
static void end_of_interrupt(local_apic *a)
{
    unsigned vector = highest(a->in_service);
    if (vector == 0)
        return;
    set_bit(a->in_service, vector, false);
    if (!has_bit(a->level, vector))
        return;
    a->wants |= LOCAL_APIC_EOI;
    a->eoi_vector = (uint8_t)vector;
    if ((a->entries[LVT_LINT0] & VECTOR) == vector) {
        a->entries[LVT_LINT0] &= ~(uint32_t)REMOTE_IRR;
        deliver_lint0_level(a);
    }
}

static void write_entry(local_apic *a, unsigned entry, uint32_t value)
{
    uint32_t bits = entry_bits(a, entry);
    uint32_t kept = value & LEVEL_TRIGGER & bits ? a->entries[entry] & REMOTE_IRR : 0;
    a->entries[entry] = (value & bits) | kept;
    if ((a->spurious & ENABLE) == 0)
        a->entries[entry] |= bits & MASK;
    if (entry == LVT_LINT0)
        deliver_lint0_level(a);
}

/* Writes the spurious vector. While software has disabled the APIC, all entries are masked. */
static void write_spurious(local_apic *a, uint32_t value)
{
    a->spurious = (value & (VECTOR | ENABLE | FOCUS)) | ALWAYS_ONE;
    for (unsigned i = 0; i < LVT_ENTRIES && (a->spurious & ENABLE) == 0; i++)
        a->entries[i] |= entry_bits(a, i) & MASK;
}

void local_apic_write(local_apic *a, uint32_t offset, uint32_t value, uint64_t now)
{
    if (offset >= ENTRY && offset < ENTRY_END) {
        write_entry(a, (offset - ENTRY) >> 4, value);
        return;
    }
    switch (offset) {
    case ID:
        a->id = value >> 24 & ID_BITS;
        break;
    case TASK_PRIORITY:
        a->task_priority = (uint8_t)value;
        break;
    case EOI:
        end_of_interrupt(a);
        break;
    case LOGICAL_DESTINATION:
        a->logical_id = (uint8_t)(value >> 24);
        break;
    case FORMAT:
        a->format = value | 0x0fffffff;
        break;
    case SPURIOUS:
        write_spurious(a, value);
        break;
    case ERRORS:
        a->errors = 0;
        break;
    case COMMAND:
        a->command[0] = value & (VECTOR | MODE | LOGICAL | ASSERT | LEVEL_TRIGGER | 3u << SHORTHAND_SHIFT);
        send(a);
        break;
    case COMMAND + 0x10:
        a->command[1] = value & 0xff000000u;
        break;
    case INITIAL_COUNT:
        a->initial = a->count = value;
        a->since = now;
        break;
    case DIVIDE: /* the count continues from its present value */
        a->count = current_count(a, now);
        a->since = now;
        a->divide = value & 0x0b;
        break;
    default: /* reserved, or read-only */
        break;
    }
}

/* --- snapshots --- */

static void check(const void *row, snapshot *s)
{
    const local_apic *a = row;
    if (a->count > a->initial)
        snapshot_refuse(s, "local_apic.count: %u is above the initial count, %u", a->count, a->initial);
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        if ((a->entries[i] & ~(entry_bits(a, i) | REMOTE_IRR)) != 0)
            snapshot_refuse(s, "local_apic.entries: entry %u is %Xh", i, a->entries[i]);
}

const snapshot_table local_apic_state = {
    SNAPSHOT(local_apic, "local_apic", FIELD_BITS(ID_BITS, id), FIELD_ANY(logical_id, task_priority),
             FIELD_RANGE(0x0fffffff, UINT32_MAX, format), FIELD_RANGE(ALWAYS_ONE, 0x3ff, spurious),
             FIELD_BITS(SEND_ACCEPT | SEND_VECTOR | RECEIVE_VECTOR, errors), FIELD_ANY_OF([0], command),
             FIELD_ANY_OF([0], entries), FIELD_ANY_OF([0], requests, in_service, level), FIELD_FLAG(lint0),
             FIELD_BITS(0x0b, divide), FIELD_ANY(initial, count), FIELD_MOST(SNAPSHOT_CLOCK_MOST, since),
             FIELD_DERIVED(performance, wants, eoi_vector)),
    .check = check};
