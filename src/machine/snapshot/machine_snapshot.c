/* Snapshots of machines (include/p5scope/snapshot.h): which parts there are, in which order. What a part
 * holds is said by whom it belongs to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/snapshot.h"
#include "core/model/model.h"
#include "machine/board/devices.h"
#include "machine/run/contents.h"
#include "machine/copy.h"
#include "machine/snapshot/snapshot_file.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"
#include "pmu/pmu_snapshot.h"

enum { SHARES_AT_MOST = 4096 };

/* ---- what stands first: how to make the machine -------------------------------------------------------- */

typedef struct saved_share {
    char *host, *guest;
    bool writable;
} saved_share;

typedef struct preface {
    p5_snapshot_info info;
    p5_model model;
    saved_share *shares;
    size_t share_count;
} preface;

static void transfer_share(saved_share *share, snapshot *s)
{
    snapshot_text(s, "share.host", &share->host);
    snapshot_text(s, "share.guest", &share->guest);
    share->writable = snapshot_number(s, "share.writable", share->writable, 1) != 0;
    if (s->loading && s->status == P5_OK && (share->host == NULL || share->guest == NULL))
        snapshot_refuse(s, "a directory of the snapshot has no name");
}

static void transfer_preface(preface *p, snapshot *s)
{
    p5_snapshot_info *info = &p->info;
    snapshot_piece(s, "model", &p->model, sizeof p->model);
    snapshot_piece(s, "kind", info->kind, sizeof info->kind);
    info->kind[sizeof info->kind - 1] = '\0';
    info->memory_bytes = (uint32_t)snapshot_number(s, "memory", info->memory_bytes, 0x80000000u);
    info->permissive = snapshot_number(s, "permissive", info->permissive, 1) != 0;
    info->instructions = snapshot_number(s, "instructions", info->instructions, UINT64_MAX);
    info->clock = snapshot_number(s, "clock", info->clock, UINT64_MAX);
    snapshot_text(s, "guest", &info->guest);
    snapshot_text(s, "command", &info->command);
    size_t count = (size_t)snapshot_number(s, "shares", p->share_count, SHARES_AT_MOST);
    if (s->loading && count > 0) {
        p->shares = calloc(count, sizeof *p->shares);
        if (p->shares == NULL) {
            s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
            return;
        }
        p->share_count = count;
    }
    for (size_t i = 0; i < count; i++)
        transfer_share(&p->shares[i], s);
}

static void preface_free(preface *p)
{
    for (size_t i = 0; i < p->share_count; i++) {
        free(p->shares[i].host);
        free(p->shares[i].guest);
    }
    free(p->shares);
    p5_snapshot_info_free(&p->info);
}

static bool preface_of(const p5_machine *machine, const p5_save_options *options, preface *p)
{
    p->model = *machine->model;
    p->info = (p5_snapshot_info){.memory_bytes = machine->options.memory_bytes,
                                 .permissive = machine->options.permissive,
                                 .instructions = machine->instructions,
                                 .clock = p5_machine_clock(machine)};
    snprintf(p->info.kind, sizeof p->info.kind, "%s", machine->guest->name);
    if (options != NULL && options->guest != NULL) /* wherever the loader stands */
        p->info.guest = realpath(options->guest, NULL);
    if (options != NULL && options->command != NULL)
        p->info.command = strdup(options->command);
    p->shares = calloc(machine->options.share_count + 1, sizeof *p->shares);
    if (p->shares == NULL)
        return false;
    for (; p->share_count < machine->options.share_count; p->share_count++) {
        const p5_share *from = &machine->shares[p->share_count];
        saved_share *to = &p->shares[p->share_count];
        to->host = realpath(from->host, NULL);
        to->guest = strdup(from->guest);
        to->writable = from->writable;
        if (to->host == NULL || to->guest == NULL)
            return false;
    }
    return true;
}

/* ---- the machine itself -------------------------------------------------------------------------------- */

static void transfer_machine(p5_machine *m, snapshot *s)
{
    m->instructions = snapshot_number(s, "instructions", m->instructions, UINT64_MAX);
    m->forward_instructions = snapshot_number(s, "forward", m->forward_instructions, UINT64_MAX);
    m->forward_clocks = snapshot_number(s, "forward.clocks", m->forward_clocks, UINT64_MAX);
    snapshot_piece(s, "forward.counts", &m->forward_counts, sizeof m->forward_counts);
    snapshot_piece(s, "after", &m->after, sizeof m->after);
    snapshot_piece(s, "after.linear", &m->after_linear, sizeof m->after_linear);
    snapshot_piece(s, "after.msr", &m->after_msr, sizeof m->after_msr);
    snapshot_piece(s, "after.value", &m->after_value, sizeof m->after_value);
    snapshot_piece(s, "dr", m->dr, sizeof m->dr);
    snapshot_piece(s, "dr.written", &m->debug_written, sizeof m->debug_written);
    snapshot_piece(s, "intr", &m->interrupt_request, sizeof m->interrupt_request);
    snapshot_piece(s, "halted", &m->halted, sizeof m->halted);
    snapshot_piece(s, "frozen", &m->frozen, sizeof m->frozen);
    snapshot_piece(s, "machine_check", &m->machine_check, sizeof m->machine_check);
    snapshot_piece(s, "nmi", &m->nmi_request, sizeof m->nmi_request);
    snapshot_piece(s, "in_repeat", &m->in_repeat, sizeof m->in_repeat);
    snapshot_piece(s, "watching", &m->watching, sizeof m->watching);
    snapshot_piece(s, "refetch", &m->refetch, sizeof m->refetch);
    snapshot_piece(s, "case_exit", &m->case_exit, sizeof m->case_exit);
    notice_transfer(&m->notices, s);
    devices_transfer(m->devices, s);
}

static p5_status transfer_section(p5_machine *m, snapshot_file *f, const char *name,
                                  void (*transfer)(p5_machine *m, snapshot *s), p5_error *error)
{
    snapshot s;
    snapshot_file_begin(f, name, &s, error);
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
    m->memory_apart = engine_keeps_memory(m->engine);
}

static void transfer_guest(p5_machine *m, snapshot *s)
{
    if (m->guest->transfer != NULL)
        m->guest->transfer(m, s);
}

/* The monitor comes behind the core, whose totals its counters follow; the guest behind everything that it
 * stands on. */
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

static p5_status transfer_all(p5_machine *m, snapshot_file *f, p5_error *error)
{
    p5_status status = P5_OK;
    for (unsigned i = 0; i < sizeof sections / sizeof *sections && status == P5_OK; i++)
        status = transfer_section(m, f, sections[i].name, sections[i].transfer, error);
    return status;
}

/* ---- saving -------------------------------------------------------------------------------------------- */

p5_status p5_machine_save(p5_machine *machine, const char *path, const p5_save_options *options,
                          p5_error *error)
{
    if (options != NULL && options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE, "p5_save_options.size is %zu, this library expects %zu",
                         options->size, sizeof *options);
    if (machine->guest == NULL)
        return error_set(error, P5_ERR_STATE, "nothing is loaded whose state could be saved");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "a machine is saved between runs, not in a callback of one");
    if (machine->ended)
        return error_set(error, P5_ERR_STATE, "the guest has ended: there is nothing to go on from");
    snapshot_file *f = snapshot_file_create(path, error);
    if (f == NULL)
        return error != NULL ? error->status : P5_ERR_IO;
    devices_console_flush(machine->devices);
    preface *p = calloc(1, sizeof *p);
    p5_status status = P5_OK;
    if (p == NULL || !preface_of(machine, options, p))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    if (status == P5_OK) {
        snapshot s;
        snapshot_file_begin(f, "preface", &s, error);
        transfer_preface(p, &s);
        status = snapshot_file_end(f, &s);
    }
    if (p != NULL)
        preface_free(p);
    free(p);
    if (status == P5_OK)
        status = transfer_all(machine, f, error);
    if (status != P5_OK) {
        snapshot_file_close(f);
        return status;
    }
    return snapshot_file_finish(f, error);
}

/* ---- loading ------------------------------------------------------------------------------------------- */

static p5_status read_preface(snapshot_file *f, preface *p, p5_error *error)
{
    snapshot s;
    snapshot_file_begin(f, "preface", &s, error);
    transfer_preface(p, &s);
    p5_status status = snapshot_file_end(f, &s);
    if (status != P5_OK)
        return status;
    p->info.model = model_copy(&p->model);
    return p->info.model != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for the model");
}

p5_status p5_snapshot_read_info(const char *path, p5_snapshot_info *info, p5_error *error)
{
    memset(info, 0, sizeof *info);
    snapshot_file *f = snapshot_file_open(path, error);
    if (f == NULL)
        return error != NULL ? error->status : P5_ERR_IO;
    preface *p = calloc(1, sizeof *p);
    p5_status status =
        p != NULL ? read_preface(f, p, error) : error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    if (status == P5_OK) {
        *info = p->info;
        p->info = (p5_snapshot_info){0};
    }
    if (p != NULL)
        preface_free(p);
    free(p);
    snapshot_file_close(f);
    return status;
}

void p5_snapshot_info_free(p5_snapshot_info *info)
{
    free(info->guest);
    free(info->command);
    if (info->model != NULL)
        p5_model_close(info->model);
    *info = (p5_snapshot_info){0};
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

/* What is part of the state cannot be asked for. */
static p5_status check_options(const p5_machine_options *o, p5_error *error)
{
    if (o->size != sizeof *o)
        return error_set(error, P5_ERR_STATE, "p5_machine_options.size is %zu, this library expects %zu",
                         o->size, sizeof *o);
    if (o->memory_bytes != 0 || o->permissive || o->random_seed != 0 || o->rtc_set ||
        o->command_line != NULL || o->module_count != 0 || o->disk_writable || o->pce || o->cesr != 0 ||
        o->event_select[0] != 0 || o->event_select[1] != 0 || o->monitor != NULL ||
        (o->model == NULL && (o->clock_mhz != 0 || o->agent != NULL || o->wires != NULL || o->check != NULL)))
        return error_set(
            error, P5_ERR_RANGE,
            "memory, instruction set, seed, clock, modules and counters are part of the snapshot");
    return P5_OK;
}

/* The options of p5_machine_open that make a machine like the one that was saved. What of the host the guest
 * sees is what the caller gives it now: a snapshot grants nothing. */
static void complete_options(const preface *p, const p5_machine_options *from, p5_machine_options *to)
{
    if (from != NULL)
        *to = *from;
    to->size = sizeof *to;
    to->permissive = p->info.permissive;
    to->memory_bytes = p->info.memory_bytes;
}

static p5_status load_machine(snapshot_file *f, const preface *p, const p5_machine_options *options,
                              p5_machine **machine, p5_error *error)
{
    p5_machine_options complete = {0};
    const guest_kind *kind = kind_named(p->info.kind);
    p5_status status = P5_OK;
    if (kind == NULL)
        status =
            error_set(error, P5_ERR_FORMAT, "the snapshot is of a guest of unknown kind: %s", p->info.kind);
    complete_options(p, options, &complete);
    if (status == P5_OK)
        status = machine_open(&complete, options != NULL && options->model != NULL ? NULL : &p->model,
                              machine, error);
    if (status == P5_OK)
        status = machine_open_engine(*machine, p->info.memory_bytes, 0, error);
    if (status == P5_OK) {
        (*machine)->guest = kind;
        status = transfer_all(*machine, f, error);
    }
    return status;
}

p5_status p5_machine_load(const char *path, const p5_machine_options *options, p5_machine **machine,
                          p5_error *error)
{
    *machine = NULL;
    p5_status status = options != NULL ? check_options(options, error) : P5_OK;
    if (status != P5_OK)
        return status;
    snapshot_file *f = snapshot_file_open(path, error);
    if (f == NULL)
        return error != NULL ? error->status : P5_ERR_IO;
    preface *p = calloc(1, sizeof *p);
    status =
        p != NULL ? read_preface(f, p, error) : error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    if (status == P5_OK)
        status = load_machine(f, p, options, machine, error);
    if (p != NULL)
        preface_free(p);
    free(p);
    snapshot_file_close(f);
    if (status != P5_OK) {
        p5_machine_close(*machine);
        *machine = NULL;
    }
    return status;
}

uint64_t p5_machine_input_taken(const p5_machine *machine)
{
    return machine->devices->input_taken;
}
