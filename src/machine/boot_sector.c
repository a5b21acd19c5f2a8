/* Boot-sector images: what a BIOS does after its self-test. The processor is in real mode, A20 is off,
 * interrupts are on, DL is the drive. */
#include <stdlib.h>

#include "base/error.h"
#include "machine/bare.h"
#include "machine/bios.h"
#include "machine/segment.h"

enum { SIGNATURE = 510, REAL_LIMIT = 0xffff, VECTOR_TABLE_LIMIT = 0x3ff };

static void boot_close(p5_machine *machine)
{
    bios *b = machine->guest_state;
    bios_disk_close(&b->disk);
    free(b);
    machine->guest_state = NULL;
}

static const guest_kind boot_guest = {.close = boot_close};

static void boot_processor(engine *e)
{
    engine_set(e, ENGINE_CR0, CR0_ET);
    engine_set(e, ENGINE_CR4, 0);
    engine_set_table(e, true, 0, VECTOR_TABLE_LIMIT);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++) {
        const engine_segment real = {
            .limit = REAL_LIMIT,
            .flags = SEGMENT_P | SEGMENT_S |
                     (s == ENGINE_CS ? SEGMENT_CODE_READ_ACCESSED : SEGMENT_DATA_WRITE_ACCESSED)};
        engine_set_segment(e, s, &real);
    }
    for (engine_register r = ENGINE_EAX; r <= ENGINE_EDI; r++)
        engine_set(e, r, 0);
    segment_init_x87(e);
    engine_set(e, ENGINE_ESP, BIOS_BOOT);
    engine_set(e, ENGINE_EFLAGS, EFLAGS_FIXED | EFLAGS_IF);
    engine_set(e, ENGINE_EIP, BIOS_BOOT);
}

p5_status p5_machine_load_disk(p5_machine *machine, const char *path, p5_error *error)
{
    bios *b = calloc(1, sizeof *b);
    if (b == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a BIOS");
    b->machine = machine;
    p5_status status = bios_disk_open(&b->disk, path, machine->options.disk_writable, error);
    if (status == P5_OK)
        status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status != P5_OK) {
        bios_disk_close(&b->disk);
        free(b);
        return status;
    }
    boot_processor(machine->engine);
    bios_install(b);
    devices_set_a20(&machine->devices, false);
    bool read = bios_disk_boot(b);
    engine_set(machine->engine, ENGINE_EDX, b->disk.drive);
    machine->guest = &boot_guest;
    machine->guest_state = b;
    processor_set_control(machine);
    const uint8_t *sector = engine_ram(machine->engine, BIOS_BOOT, BIOS_SECTOR);
    if (!read || sector[SIGNATURE] != 0x55 || sector[SIGNATURE + 1] != 0xaa) {
        machine->guest = NULL;
        boot_close(machine);
        error_set(error, P5_ERR_FORMAT, "there is no boot signature (55h AAh at byte 510)");
        error_at(error, path, 0, 0);
        return P5_ERR_FORMAT;
    }
    return P5_OK;
}
