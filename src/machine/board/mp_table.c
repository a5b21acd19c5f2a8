/* The tables of the MultiProcessor Specification 1.4, chapter 4, which describe the APICs to operating systems: one
 * processor, the ISA bus, an I/O APIC, and which interrupt drives which of its inputs. */
#include <string.h>

#include "core/model/model.h"
#include "machine/board/apic.h"
#include "machine/state.h"

enum { POINTER_AT = 0xf8000, POINTER_BYTES = 16, TABLE_AT = POINTER_AT + POINTER_BYTES, TABLE_MOST = 512 };
enum { PROCESSOR, BUS, IO_APIC, INTERRUPT, LOCAL_INTERRUPT }; /* kinds of entries */
enum { VECTORED = 0, NMI = 1, EXTERNAL = 3 };                 /* kinds of interrupts */
enum { ENABLED = 1, BOOT_PROCESSOR = 2, ALL_LOCAL_APICS = 0xff, LINT0 = 0, LINT1 = 1 };
enum { LOCAL_APIC_VERSION = 0x30 };                     /* offset of the version register */
enum { LENGTH_AT = 4, CHECKSUM_AT = 7, COUNT_AT = 34 }; /* fields of the header */

/* The MP configuration table. */
typedef struct table {
    uint8_t bytes[TABLE_MOST];
    unsigned used;    /* bytes so far */
    unsigned entries; /* after the header */
} table;

static void put(table *t, uint32_t value, unsigned size)
{
    memcpy(t->bytes + t->used, &value, size);
    t->used += size;
}

/* Appends the characters of a text without its final NUL. */
static void put_text(table *t, const char *text)
{
    memcpy(t->bytes + t->used, text, strlen(text));
    t->used += (unsigned)strlen(text);
}

/* Adds an entry: line `irq` of the ISA bus drives `input` of the APIC with identifier `to`. `entry` is INTERRUPT
 * for an I/O APIC or LOCAL_INTERRUPT. The flags are 0: polarity and trigger mode are those of the bus. */
static void put_interrupt(table *t, unsigned entry, unsigned kind, unsigned irq, unsigned to, unsigned input)
{
    const uint8_t bytes[] = {(uint8_t)entry, (uint8_t)kind, 0, 0, 0, (uint8_t)irq,
                             (uint8_t)to,    (uint8_t)input};
    memcpy(t->bytes + t->used, bytes, sizeof bytes);
    t->used += sizeof bytes;
    t->entries++;
}

/* Returns the checksum for a field that is still 0: with it, all bytes add up to 0. */
static uint8_t checksum_of(const uint8_t *bytes, unsigned size)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < size; i++)
        sum += bytes[i];
    return (uint8_t)-sum;
}

static void put_header(table *t)
{
    put_text(t, "PCMP");
    put(t, 0, 2); /* length, filled in at the end */
    put(t, 4, 1); /* revision 1.4 */
    put(t, 0, 1); /* checksum, likewise */
    put_text(t, "P5SCOPE PC          ");
    put(t, 0, 4); /* no table of the manufacturer's */
    put(t, 0, 2);
    put(t, 0, 2); /* number of entries, filled in at the end */
    put(t, MODEL_LOCAL_APIC, 4);
    put(t, 0, 4); /* no extended table */
}

/* Adds the entries of the processor, the bus and the I/O APIC. */
static void put_units(table *t, p5_machine *machine)
{
    put(t, PROCESSOR, 1);
    put(t, machine->devices->local_apic.id, 1);
    put(t, local_apic_read(&machine->devices->local_apic, LOCAL_APIC_VERSION, 0), 1);
    put(t, ENABLED | BOOT_PROCESSOR, 1);
    put(t, p5_model_signature(machine->model), 4);
    put(t, model_features(machine->model), 4);
    put(t, 0, 4);
    put(t, 0, 4);
    put(t, BUS, 1);
    put(t, 0, 1);
    put_text(t, "ISA   ");
    put(t, IO_APIC, 1);
    put(t, IO_APIC_ID, 1);
    put(t, IO_APIC_VERSION, 1);
    put(t, ENABLED, 1);
    put(t, MODEL_IO_APIC, 4);
    t->entries += 3;
}

void mp_table_fill(devices *b)
{
    uint8_t *memory = engine_ram(b->machine->engine, POINTER_AT, POINTER_BYTES + TABLE_MOST);
    if (!b->machine->model->apic || memory == NULL)
        return;
    table t = {.used = 0};
    put_header(&t);
    put_units(&t, b->machine);
    put_interrupt(&t, INTERRUPT, EXTERNAL, 0, IO_APIC_ID, 0);
    for (unsigned irq = 0; irq < 16; irq++)
        if (irq != PIC_CASCADE)
            put_interrupt(&t, INTERRUPT, VECTORED, irq, IO_APIC_ID, apic_input(irq));
    put_interrupt(&t, LOCAL_INTERRUPT, EXTERNAL, 0, ALL_LOCAL_APICS, LINT0);
    put_interrupt(&t, LOCAL_INTERRUPT, NMI, 0, ALL_LOCAL_APICS, LINT1);
    memcpy(t.bytes + LENGTH_AT, &(uint16_t){(uint16_t)t.used}, 2);
    memcpy(t.bytes + COUNT_AT, &(uint16_t){(uint16_t)t.entries}, 2);
    t.bytes[CHECKSUM_AT] = checksum_of(t.bytes, t.used);
    uint8_t pointer[POINTER_BYTES] = {
        '_', 'M', 'P', '_', TABLE_AT & 0xff, TABLE_AT >> 8 & 0xff, TABLE_AT >> 16, 0, 1, 4};
    pointer[10] = checksum_of(pointer, sizeof pointer);
    memcpy(memory, pointer, sizeof pointer);
    memcpy(memory + sizeof pointer, t.bytes, t.used);
}
