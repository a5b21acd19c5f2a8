/* Boot-sector images, entered as after a BIOS's self-test: in real mode, A20 off, interrupts enabled, DL = the
 * drive. Also flat real-mode images, which find the same machine without a disk. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/bios/guest.h"
#include "machine/bios/bios_internal.h"
#include "machine/load/segment.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"

/* SIGNATURE: offset of the bytes 55h AAh in a boot sector. */
enum { SIGNATURE = 510, REAL_LIMIT = 0xffff, VECTOR_TABLE_LIMIT = 0x3ff };

/* Returns a new BIOS, or NULL if memory is exhausted. */
static bios *boot_make(p5_machine *machine)
{
    bios *b = malloc(sizeof *b);
    if (b != NULL)
        bios_init(b, machine);
    return b;
}

static void boot_close(p5_machine *machine)
{
    free(machine->guest_state);
    machine->guest_state = NULL;
}

static const snapshot_table boot_state = {
    SNAPSHOT(bios, "boot", FIELD_ANY(disk_status), FIELD_DEADLINE(wait_until, key_wait_until)),
    .partial = true};

const snapshot_table *const boot_tables[] = {&boot_state, NULL};

/* Saves or loads the BIOS's state, which is machine->guest_state. */
static void boot_transfer(p5_machine *machine, snapshot *s)
{
    if (s->loading)
        machine->guest_state = boot_make(machine);
    if (machine->guest_state == NULL) {
        snapshot_no_memory(s);
        return;
    }
    snapshot_state(s, &boot_state, machine->guest_state);
    if (s->loading && s->status == P5_OK)
        bios_attach(machine->guest_state);
}

static engine_action boot_event(p5_machine *machine, const engine_event *event)
{
    return bios_event(machine->guest_state, event);
}

const guest_kind boot_guest = {.event = boot_event,
                               .name = "boot",
                               .next_own_code = bios_next_own_code,
                               .close = boot_close,
                               .transfer = boot_transfer};

void boot_processor(engine *e)
{
    engine_set(e, ENGINE_CR0, CR0_ET);
    engine_set(e, ENGINE_CR4, 0);
    engine_set_table(e, true, 0, VECTOR_TABLE_LIMIT);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++) {
        const engine_segment real = {.limit = REAL_LIMIT,
                                     .flags = s == ENGINE_CS ? SEGMENT_CODE : SEGMENT_DATA};
        engine_set_segment(e, s, &real);
    }
    segment_start(e, BIOS_BOOT, BIOS_BOOT, EFLAGS_FIXED | EFLAGS_IF);
}

/* Opens the image as drive 0, installs the BIOS, and loads what it boots. */
p5_status p5_machine_load_disk(p5_machine *machine, const char *path, p5_error *error)
{
    bios *b = boot_make(machine);
    if (b == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a BIOS");
    disk_image *disk = devices_disk(machine->devices, 0);
    p5_status status = devices_open_disk(machine->devices, 0, path, error);
    if (status == P5_OK)
        status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status != P5_OK) {
        disk_image_close(disk);
        free(b);
        return status;
    }
    boot_processor(machine->engine);
    bios_install(b);
    devices_set_a20(machine->devices, false);
    uint32_t entry;
    bool read = bios_disk_boot(b, &entry);
    machine->guest = &boot_guest;
    machine->guest_state = b;
    engine_set(machine->engine, ENGINE_EDX, disk->kind);
    bios_set_segment(machine->engine, ENGINE_CS, (uint16_t)(entry >> 16));
    engine_set(machine->engine, ENGINE_EIP, entry & 0xffff);
    processor_set_control(machine);
    const uint8_t *sector = engine_ram(machine->engine, BIOS_BOOT, DISK_SECTOR);
    bool bootable = disk->kind == DRIVE_CD || (sector[SIGNATURE] == 0x55 && sector[SIGNATURE + 1] == 0xaa);
    if (read && bootable)
        return P5_OK;
    machine->guest = NULL;
    boot_close(machine);
    disk_image_close(disk);
    error_set(error, P5_ERR_FORMAT,
              read ? "the boot sector has no signature (55h AAh at byte 510)"
                   : "the boot image cannot be read");
    error_at(error, path, 0, 0);
    return P5_ERR_FORMAT;
}

/* Opens the engine and copies the image to conventional memory, below the screen and the BIOS ROM. */
static p5_status real_place(p5_machine *machine, const uint8_t *bytes, size_t size, uint32_t address,
                            p5_error *error)
{
    enum { LEAST = 0x500, END = 0xa0000 };
    if (size == 0)
        return error_set(error, P5_ERR_FORMAT, "the file is empty");
    if (address < LEAST || address >= END || size > END - address)
        return error_set(error, P5_ERR_RANGE,
                         "%zu bytes at %Xh do not fit into the memory of real mode, %Xh to %Xh", size,
                         address, LEAST, END - 1);
    p5_status status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        memcpy(engine_ram(machine->engine, address, (uint32_t)size), bytes, size);
    return status;
}

/* Prepares the processor to begin at segment:offset, with ES, SS and DS equal to CS and the stack at the
 * segment's end. */
static void real_enter(p5_machine *machine, uint16_t segment, uint16_t offset)
{
    engine *e = machine->engine;
    boot_processor(e);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_DS; s++)
        bios_set_segment(e, s, segment);
    engine_set(e, ENGINE_ESP, 0xfffe);
    engine_set(e, ENGINE_EIP, offset);
}

/* Loads a flat real-mode image at segment:offset and installs the BIOS. */
p5_status p5_machine_load_real(p5_machine *machine, const char *path, uint16_t segment, uint16_t offset,
                               p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    bios *b = boot_make(machine);
    if (b == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a BIOS");
    p5_status status = file_read(path, 1u << 20, false, &bytes, &size, error);
    if (status == P5_OK)
        status = real_place(machine, bytes, size, ((uint32_t)segment << 4) + offset, error);
    free(bytes);
    if (status != P5_OK) {
        free(b);
        return error_in(error, status, path);
    }
    real_enter(machine, segment, offset);
    bios_install(b);
    devices_set_a20(machine->devices, false);
    machine->guest = &boot_guest;
    machine->guest_state = b;
    processor_set_control(machine);
    return P5_OK;
}
