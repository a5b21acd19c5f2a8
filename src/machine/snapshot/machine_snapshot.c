/* Saves and loads snapshots of machines (include/p5scope/snapshot.h). This file defines the sections of a snapshot and
 * their order; each unit defines the contents of its own section. One "transfer" function both saves and loads, so
 * that the two agree. A snapshot_table (base/snapshot.h) names the fields of a structure, with their permitted values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "core/snapshot.h"
#include "machine/base/notice.h"
#include "machine/bios/guest.h"
#include "machine/board/devices.h"
#include "machine/disk/disk_image.h"
#include "machine/dos/guest.h"
#include "machine/linux/guest.h"
#include "machine/load/guest.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"
#include "machine/snapshot/copy.h"
#include "machine/snapshot/machine_tables.h"
#include "machine/snapshot/snapshot_file.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"
#include "pmu/pmu_snapshot.h"

/* ---- The preface: what must be known to open the machine ---------------------------------------------- */

#define MOST_MEMORY 0x80000000u

/* Checks a loaded preface beyond the limits in its table. */
static void check_preface(const void *row, snapshot *s)
{
    const p5_snapshot_info *info = row;
    if (info->memory_bytes % PAGE_BYTES != 0)
        snapshot_refuse(s, "preface.memory_bytes: %u is not a multiple of %u", info->memory_bytes,
                        (unsigned)PAGE_BYTES);
}

static const snapshot_table preface_state = {SNAPSHOT(p5_snapshot_info, "preface", FIELD_TEXT(kind),
                                                      FIELD_RANGE(PAGE_BYTES, MOST_MEMORY, memory_bytes),
                                                      FIELD_FLAG(permissive), FIELD_ANY(instructions),
                                                      FIELD_MOST(SNAPSHOT_CLOCK_MOST, clock),
                                                      FIELD_STRING(guest, command), FIELD_DERIVED(model)),
                                             .check = check_preface};

/* Saves `info` and `model`, or loads `info` with a new model in info->model; `model` is NULL then. */
static void transfer_preface(p5_snapshot_info *info, const p5_model *model, snapshot *s)
{
    snapshot_state(s, &preface_state, info);
    p5_model *loaded = core_transfer_model(model, s);
    if (s->loading)
        info->model = loaded;
}

/* Fills in the preface of a machine that is being saved. Returns false if memory is exhausted. */
static bool preface_of(const p5_machine *machine, const p5_save_options *options, p5_snapshot_info *info)
{
    *info = (p5_snapshot_info){.size = sizeof(p5_snapshot_info),
                               .memory_bytes = machine->options.memory_bytes,
                               .permissive = machine->options.permissive,
                               .instructions = machine->instructions,
                               .clock = p5_machine_clock(machine)};
    snprintf(info->kind, sizeof info->kind, "%s", machine->guest->name);
    if (options->guest != NULL) /* an absolute path, so that the snapshot can be loaded in any directory */
        info->guest = realpath(options->guest, NULL);
    if (options->command != NULL)
        info->command = strdup(options->command);
    return options->command == NULL || info->command != NULL;
}

/* ---- The machine itself ------------------------------------------------------------------------------- */

static const snapshot_table machine_state = {
    SNAPSHOT(p5_machine, "machine", FIELD_BITS(AFTER_ALL, after),
             FIELD_ANY(after_linear, after_msr, after_value), FIELD_ANY_OF([0], dr),
             FIELD_FLAG(debug_written, interrupt_request, halted, frozen, machine_check, nmi_request,
                        in_repeat, watching, refetch),
             FIELD_ANY(instructions, forward_instructions, forward_clocks),
             FIELD_TABLE(&counts_state, forward_counts), FIELD_ANY(case_exit)),
    .partial = true}; /* the other members belong to other sections or to the host, or follow from these */

static const snapshot_table *const own_tables[] = {&preface_state, &machine_state, &notice_state, NULL};
const snapshot_table *const *const machine_tables[] = {
    own_tables,    core_tables,  pmu_tables,  devices_tables, disk_tables,
    engine_tables, linux_tables, boot_tables, dos_tables,     NULL};

/* Saves or loads the machine's own state, the notices shown and the devices. */
static void transfer_machine(p5_machine *m, snapshot *s)
{
    uint32_t checks = m->after & AFTER_CHECK; /* depends on the machine's model, not on the snapshot */
    snapshot_state(s, &machine_state, m);
    m->after = (m->after & ~(uint32_t)AFTER_CHECK) | checks;
    notice_transfer(&m->notices, s);
    devices_transfer(m->devices, s);
}

/* Saves or loads one section. Times in it are checked against `clock`, the machine's clock when it was saved. */
static p5_status transfer_section(p5_machine *m, snapshot_file *f, const char *name, uint64_t clock,
                                  void (*transfer)(p5_machine *m, snapshot *s), p5_error *error)
{
    snapshot s;
    snapshot_file_begin(f, name, &s, error);
    s.clock = clock;
    if (s.status == P5_OK)
        transfer(m, &s);
    return snapshot_file_end(f, &s);
}

static void transfer_core(p5_machine *m, snapshot *s)
{
    core_transfer(m->core, s);
}

static void transfer_monitor(p5_machine *m, snapshot *s)
{
    pmu_transfer(m->pmu, s);
}

static void transfer_engine(p5_machine *m, snapshot *s)
{
    engine_transfer(m->engine, s);
    m->keeps_memory = engine_keeps_memory(m->engine);
}

static void transfer_guest(p5_machine *m, snapshot *s)
{
    if (m->guest->transfer != NULL)
        m->guest->transfer(m, s);
}

/* The monitor follows the core, because its counters follow the core's totals. The guest follows every
 * section that it depends on. */
static const struct {
    const char *name;
    void (*transfer)(p5_machine *m, snapshot *s);
} sections[] = {{"machine", transfer_machine},
                {"core", transfer_core},
                {"monitor", transfer_monitor},
                {"engine", transfer_engine},
                {"guest", transfer_guest}};

void machine_transfer(p5_machine *m, snapshot *s)
{
    for (unsigned i = 0; i < sizeof sections / sizeof *sections && s->status == P5_OK; i++)
        sections[i].transfer(m, s);
}

/* Saves or loads all sections but the preface in a file. */
static p5_status transfer_all(p5_machine *m, snapshot_file *f, uint64_t clock, p5_error *error)
{
    p5_status status = P5_OK;
    for (unsigned i = 0; i < sizeof sections / sizeof *sections && status == P5_OK; i++)
        status = transfer_section(m, f, sections[i].name, clock, sections[i].transfer, error);
    return status;
}

/* ---- Saving ------------------------------------------------------------------------------------------- */

p5_status p5_machine_save(p5_machine *machine, const char *path, const p5_save_options *options,
                          p5_error *error)
{
    p5_save_options own;
    if (path == NULL)
        return error_null(error, "path");
    p5_status status = SIZED_COPY_IN(p5_save_options, &own, options, error);
    if (status != P5_OK)
        return status;
    if (machine->guest == NULL)
        return error_set(error, P5_ERR_STATE, "the machine has no guest to save");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "save a machine between runs, not in a callback");
    if (machine->ended)
        return error_set(error, P5_ERR_STATE, "the guest has ended, so it cannot be saved");
    snapshot_file *f;
    status = snapshot_file_create(path, &f, error);
    if (status != P5_OK)
        return status;
    devices_console_flush(machine->devices);
    p5_snapshot_info info = {.size = sizeof info};
    if (!preface_of(machine, &own, &info))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    if (status == P5_OK) {
        snapshot s;
        snapshot_file_begin(f, "preface", &s, error);
        transfer_preface(&info, machine->model, &s);
        status = snapshot_file_end(f, &s);
    }
    if (status == P5_OK)
        status = transfer_all(machine, f, info.clock, error);
    p5_snapshot_info_free(&info);
    if (status != P5_OK) {
        snapshot_file_close(f);
        return status;
    }
    return snapshot_file_finish(f, error);
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

static p5_status read_preface(snapshot_file *f, p5_snapshot_info *info, p5_error *error)
{
    snapshot s;
    snapshot_file_begin(f, "preface", &s, error);
    transfer_preface(info, NULL, &s);
    return snapshot_file_end(f, &s);
}

p5_status p5_snapshot_read_info(const char *path, p5_snapshot_info *info, p5_error *error)
{
    p5_snapshot_info own = {.size = sizeof own};
    snapshot_file *f;
    p5_status status = SIZED_CHECK(p5_snapshot_info, info, error);
    if (status != P5_OK)
        return status;
    status = path != NULL ? snapshot_file_open(path, &f, error) : error_null(error, "path");
    if (status == P5_OK) {
        status = read_preface(f, &own, error);
        snapshot_file_close(f);
    }
    SIZED_COPY_OUT(info, &own);
    return status;
}

void p5_snapshot_info_free(p5_snapshot_info *info)
{
    free(info->guest);
    free(info->command);
    p5_model_close(info->model);
    const p5_snapshot_info none = {.size = sizeof none};
    SIZED_COPY_OUT(info, &none);
}

static const guest_kind *kind_named(const char *name)
{
    static const guest_kind *const kinds[] = {&bare_guest, &boot_guest, &case_guest, &dos_guest,
                                              &linux_guest};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

/* Rejects options for things that the snapshot determines. */
static p5_status check_options(const p5_machine_options *o, p5_error *error)
{
    if (o->memory_bytes != 0 || o->permissive || o->random_seed != 0 || o->rtc_set ||
        o->command_line != NULL || o->module_count != 0 || o->pce || o->cesr != 0 ||
        o->event_select[0] != 0 || o->event_select[1] != 0 || o->monitor != NULL ||
        (o->model == NULL && (o->clock_mhz != 0 || o->agent != NULL || o->wires != NULL || o->check != NULL)))
        return error_set(
            error, P5_ERR_RANGE,
            "memory, instruction set, seed, clock, modules and counters are part of the snapshot");
    return P5_OK;
}

/* Opens a machine and loads the file's sections after the preface into it. The guest may access only what `options`
 * grants now: a snapshot grants no access to the host. After an error, the caller closes *machine, which may be NULL. */
static p5_status load_machine(snapshot_file *f, const p5_snapshot_info *info,
                              const p5_machine_options *options, p5_machine **machine, p5_error *error)
{
    const guest_kind *kind = kind_named(info->kind);
    if (kind == NULL)
        return error_set(error, P5_ERR_FORMAT, "preface.kind: unknown kind of guest '%s'", info->kind);
    p5_machine_options complete = *options;
    complete.permissive = info->permissive;
    complete.memory_bytes = info->memory_bytes;
    p5_status status = machine_open(&complete, options->model != NULL ? NULL : info->model, machine, error);
    if (status == P5_OK)
        status = machine_open_engine(*machine, info->memory_bytes, 0, error);
    if (status == P5_OK) {
        (*machine)->guest = kind;
        status = transfer_all(*machine, f, info->clock, error);
        (*machine)->options.image = NULL; /* it belongs to the caller */
    }
    return status;
}

p5_status p5_machine_restore(const char *path, const p5_machine_options *options, p5_machine **machine,
                             p5_error *error)
{
    *machine = NULL;
    p5_machine_options own;
    p5_status status = SIZED_COPY_IN(p5_machine_options, &own, options, error);
    if (status == P5_OK)
        status = check_options(&own, error);
    if (status == P5_OK && path == NULL)
        status = error_null(error, "path");
    if (status != P5_OK)
        return status;
    snapshot_file *f;
    status = snapshot_file_open(path, &f, error);
    if (status != P5_OK)
        return status;
    p5_snapshot_info info = {.size = sizeof info};
    status = read_preface(f, &info, error);
    if (status == P5_OK)
        status = load_machine(f, &info, &own, machine, error);
    p5_snapshot_info_free(&info);
    snapshot_file_close(f);
    if (status != P5_OK) {
        p5_machine_close(*machine);
        *machine = NULL;
    }
    return status;
}

uint64_t p5_machine_input_taken(const p5_machine *machine)
{
    return devices_input_taken(machine->devices);
}
