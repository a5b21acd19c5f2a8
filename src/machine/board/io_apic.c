#include "machine/board/io_apic.h"

enum { SELECT = 0x00, WINDOW = 0x10 }; /* offsets in the page: the selection, and the register it selects */
enum { ID, VERSION, ARBITRATION, TABLE = 0x10, TABLE_END = TABLE + 2 * IO_APIC_INPUTS }; /* registers */
enum { /* bits of the low half of an entry */
       VECTOR = 0xff,
       MODE_SHIFT = 8,
       MODE = 7 << MODE_SHIFT,
       LOGICAL = 1 << 11,
       LOW_ACTIVE = 1 << 13,
       REMOTE_IRR = 1 << 14,
       LEVEL_TRIGGER = 1 << 15,
       MASK = 1 << 16,
       WRITABLE = VECTOR | MODE | LOGICAL | LOW_ACTIVE | LEVEL_TRIGGER | MASK,
       ID_BITS = 0x0f
};

void io_apic_reset(io_apic *a, local_apic *local)
{
    *a = (io_apic){.local = local};
    for (unsigned i = 0; i < IO_APIC_INPUTS; i++)
        a->entries[i][0] = MASK;
}

bool io_apic_has(const io_apic *a, unsigned input, int mode)
{
    uint32_t entry = a->entries[input][0];
    return (entry & MASK) == 0 &&
           (mode == IO_APIC_ANY_MODE || (entry & MODE) >> MODE_SHIFT == (unsigned)mode);
}

/* Sends the message of an entry. Returns true if a processor has accepted it. */
static bool send(const io_apic *a, unsigned input)
{
    uint32_t low = a->entries[input][0];
    apic_message message = {.vector = low & VECTOR,
                            .destination = (uint8_t)(a->entries[input][1] >> 24),
                            .mode = (uint8_t)((low & MODE) >> MODE_SHIFT),
                            .logical = (low & LOGICAL) != 0,
                            .level = (low & LEVEL_TRIGGER) != 0};
    return local_apic_accept(a->local, &message);
}

/* Returns true if the input's level is the one that its entry's polarity calls active. */
static bool is_active(const io_apic *a, unsigned input)
{
    return (a->lines >> input & 1) != ((a->entries[input][0] & LOW_ACTIVE) != 0);
}

/* Sends the message of an unmasked level-triggered input if the input is active. Remote IRR is set from an accepted
 * message until its end of interrupt; meanwhile no other message is sent. */
static void send_level(io_apic *a, unsigned input)
{
    uint32_t *low = &a->entries[input][0];
    bool may_send = (*low & (LEVEL_TRIGGER | REMOTE_IRR | MASK)) == LEVEL_TRIGGER;
    if (may_send && is_active(a, input) && send(a, input))
        *low |= REMOTE_IRR;
}

/* An edge at a masked input is neither delivered nor held. */
void io_apic_set_line(io_apic *a, unsigned input, bool level)
{
    bool was_active = is_active(a, input);
    a->lines = level ? a->lines | 1u << input : a->lines & ~(1u << input);
    if ((a->entries[input][0] & LEVEL_TRIGGER) != 0)
        send_level(a, input);
    else if (!was_active && is_active(a, input) && (a->entries[input][0] & MASK) == 0)
        send(a, input);
}

void io_apic_end(io_apic *a, uint8_t vector)
{
    for (unsigned i = 0; i < IO_APIC_INPUTS; i++) {
        uint32_t *low = &a->entries[i][0];
        if ((*low & VECTOR) != vector || (*low & REMOTE_IRR) == 0)
            continue;
        *low &= ~(uint32_t)REMOTE_IRR;
        send_level(a, i);
    }
}

static uint32_t read_selected(const io_apic *a)
{
    switch (a->selected) {
    case ID:
        return (uint32_t)a->id << 24;
    case VERSION:
        return IO_APIC_VERSION | (IO_APIC_INPUTS - 1) << 16;
    case ARBITRATION:
        return (uint32_t)a->arbitration_id << 24;
    default:
        return a->selected >= TABLE && a->selected < TABLE_END
                   ? a->entries[(a->selected - TABLE) / 2][a->selected % 2]
                   : 0;
    }
}

uint32_t io_apic_read(const io_apic *a, uint32_t offset)
{
    return offset == SELECT ? a->selected : offset == WINDOW ? read_selected(a) : 0;
}

/* Writes one half of an entry of the redirection table. Remote IRR is read-only, but an entry that becomes
 * edge-triggered loses it. Operating systems end an interrupt in this way, because this version of the I/O APIC has no
 * EOI register. */
static void write_entry(io_apic *a, unsigned input, bool high, uint32_t value)
{
    uint32_t *entry = a->entries[input];
    if (high) {
        entry[1] = value & 0xff000000u;
        return;
    }
    uint32_t kept = value & LEVEL_TRIGGER ? entry[0] & REMOTE_IRR : 0;
    entry[0] = (value & WRITABLE) | kept;
    send_level(a, input);
}

void io_apic_write(io_apic *a, uint32_t offset, uint32_t value)
{
    if (offset == SELECT)
        a->selected = (uint8_t)value;
    else if (offset == WINDOW && a->selected == ID)
        a->id = a->arbitration_id = value >> 24 & ID_BITS;
    else if (offset == WINDOW && a->selected >= TABLE && a->selected < TABLE_END)
        write_entry(a, (a->selected - TABLE) / 2u, a->selected % 2 != 0, value);
}

const snapshot_table io_apic_state = {SNAPSHOT(
    io_apic, "io_apic", FIELD_BITS(ID_BITS, id, arbitration_id), FIELD_ANY(selected),
    FIELD_BITS((1u << IO_APIC_INPUTS) - 1, lines), FIELD_ANY_OF([0][0], entries), FIELD_DERIVED(local))};
