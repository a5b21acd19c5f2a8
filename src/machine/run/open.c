/* Opening and closing a machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "core/model/model.h"
#include "machine/base/notice.h"
#include "machine/board/bus_check.h"
#include "machine/board/devices.h"
#include "machine/board/ports.h"
#include "machine/observe/observe.h"
#include "machine/run/run_internal.h"
#include "machine/board/wires.h"
#include "machine/run/open.h"
#include "machine/run/pricer.h"
#include "machine/run/watchdog.h"
#include "machine/state.h"

enum { LEAST_MEMORY = 1024 * 1024 }; /* bytes of guest memory */
#define MOST_MEMORY 0x80000000u

/* Copies the shares of the caller's options with their strings. A share without a guest path gets the host's path. */
static p5_status machine_copy_shares(p5_machine *machine, const p5_machine_options *options, p5_error *error)
{
    machine->options.shares = NULL;
    machine->options.share_count = 0;
    machine->shares = calloc(options->share_count + 1, sizeof *machine->shares);
    bool copied = machine->shares != NULL;
    machine->options.shares = machine->shares;
    for (size_t i = 0; copied && i < options->share_count; i++) {
        p5_share *to = &machine->shares[i], from;
        p5_status status =
            SIZED_COPY_IN(p5_share, &from, (const p5_share *)sized_at(options->shares, i), error);
        if (status != P5_OK)
            return status;
        if (from.host == NULL)
            return error_set(error, P5_ERR_RANGE, "share %zu has no directory: p5_share.host is NULL", i);
        machine->options.share_count++;
        *to = from;
        to->host = strdup(from.host);
        to->guest = from.guest != NULL ? strdup(from.guest) : realpath(from.host, NULL);
        if (to->guest == NULL && from.guest == NULL)
            to->guest = strdup(from.host); /* the path does not exist; the loader reports that */
        copied = to->host != NULL && to->guest != NULL;
    }
    return copied ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for a machine");
}

/* Copies `model`, or opens the model that the options describe if it is NULL. */
static p5_status machine_model(const p5_machine_options *options, const p5_model *model, p5_model **out,
                               p5_error *error)
{
    if (model != NULL) {
        *out = model_copy(model);
        return *out != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for the model");
    }
    p5_status status =
        p5_model_open(options->model != NULL ? options->model : p5_model_names()[0], out, error);
    if (status == P5_OK && options->clock_mhz != 0)
        status = p5_model_set_clock(*out, options->clock_mhz, error);
    if (status == P5_OK && options->agent != NULL)
        status = p5_model_set_agent(*out, options->agent, error);
    if (status == P5_OK && options->monitor != NULL)
        status = p5_model_set_monitor(*out, options->monitor, error);
    if (status == P5_OK && options->wires != NULL)
        status = p5_model_set_wires(*out, options->wires, error);
    if (status == P5_OK && options->check != NULL)
        status = p5_model_set_check(*out, options->check, error);
    return status;
}

p5_status p5_machine_open(const p5_machine_options *options, p5_machine **machine, p5_error *error)
{
    p5_machine_options own;
    *machine = NULL;
    p5_status status = SIZED_COPY_IN(p5_machine_options, &own, options, error);
    return status == P5_OK ? machine_open(&own, NULL, machine, error) : status;
}

/* Returns P5_ERR_RANGE if an array of the options is NULL although its count is not 0, or a text in it is NULL. */
static p5_status check_arrays(const p5_machine_options *options, p5_error *error)
{
    const struct {
        const char *name;
        const char *const *texts;
        size_t count;
    } arrays[] = {{"modules", options->modules, options->module_count},
                  {"disks", options->disks, options->disk_count}};
    if (options->shares == NULL && options->share_count != 0)
        return error_set(error, P5_ERR_RANGE, "p5_machine_options.shares is NULL, but its count is %zu",
                         options->share_count);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].texts == NULL && arrays[i].count != 0)
            return error_set(error, P5_ERR_RANGE, "p5_machine_options.%s is NULL, but its count is %zu",
                             arrays[i].name, arrays[i].count);
        for (size_t n = 0; n < arrays[i].count; n++)
            if (arrays[i].texts[n] == NULL)
                return error_set(error, P5_ERR_RANGE, "p5_machine_options.%s[%zu] is NULL", arrays[i].name,
                                 n);
    }
    return P5_OK;
}

p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error)
{
    *machine = NULL;
    p5_status status = check_arrays(options, error);
    if (status != P5_OK)
        return status;
    if (options->memo_off && options->memo_check)
        return error_set(error, P5_ERR_STATE,
                         "memo_check needs the memo, so it cannot be combined with memo_off");
    if (options->threads > 2)
        return error_set(error, P5_ERR_RANGE, "the number of threads must be 1 or 2");
    if (options->memory_bytes != 0 &&
        (options->memory_bytes < LEAST_MEMORY || options->memory_bytes > MOST_MEMORY))
        return error_set(error, P5_ERR_RANGE, "guest memory must be between 1 MB and 2 GB");
    p5_machine *m = host_line_calloc(sizeof *m);
    if (m == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a machine");
    m->options = *options;
    m->options.model = NULL; /* the caller's strings are not kept */
    status = machine_copy_shares(m, options, error);
    if (status == P5_OK)
        status = machine_model(options, model, &m->model, error);
    m->options.agent = m->options.wires = m->options.check = m->options.monitor = NULL;
    p5_core_hooks hooks = contents_hooks(m);
    if (status == P5_OK && m->model->check.cycle != CHECK_NONE) {
        hooks.bus_cycle = bus_check_cycle;
        m->after = AFTER_CHECK;
        if (options->memo_check)
            status = error_set(error, P5_ERR_STATE,
                               "the memo cannot be checked on a model with bus cycles that fail (section "
                               "[check]), which disable remembered prices");
    }
    if (status == P5_OK)
        status = p5_core_open(m->model, &hooks, &m->core, error);
    if (status == P5_OK)
        status = p5_pmu_open(m->core, p5_model_family(m->model) | p5_model_monitor(m->model), &m->pmu, error);
    if (status == P5_OK) {
        /* The memo replays what a block did before (core/memo.h), without a callback for each bus cycle. */
        p5_core_set_memo(m->core, !options->memo_off && hooks.bus_cycle == NULL);
        if (options->memo_check)
            status = p5_core_check_memo(m->core, error);
    }
    m->devices = devices_new(m);
    if (status == P5_OK && m->devices == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for a machine");
    if (status == P5_OK)
        status = devices_open_disks(m->devices, error);
    if (status != P5_OK) {
        p5_machine_close(m);
        return status;
    }
    wires_open(m);
    p5_pmu_set_counter_bits(m->pmu, p5_model_counter_bits(m->model));
    p5_pmu_set_cc_clocks(m->pmu,
                         m->model->cc_clocks == CC_CLOCKS_FREE_RUNNING ? P5_CC_FREE_RUNNING : P5_CC_ASSERTED);
    m->clock_hz = (uint64_t)llround(p5_model_clock_mhz(m->model) * 1e6);
    m->notices.sink = options->notice;
    m->notices.context = options->notice_context;
    *machine = m;
    return P5_OK;
}

p5_status machine_open_engine(p5_machine *machine, uint32_t default_bytes, uint32_t least_bytes,
                              p5_error *error)
{
    if (machine->engine != NULL)
        return error_set(error, P5_ERR_STATE, "the machine already has a guest; open another machine");
    uint32_t memory = machine->options.memory_bytes != 0 ? machine->options.memory_bytes : default_bytes;
    memory = memory / PAGE_BYTES * PAGE_BYTES;
    if (memory < least_bytes)
        return error_set(error, P5_ERR_RANGE, "this guest needs at least %u MB of memory", least_bytes >> 20);
    engine_options options = {.family = p5_model_family(machine->model),
                              .permissive = machine->options.permissive,
                              .locks_up = machine->model->errata,
                              .cpuid_signature = p5_model_signature(machine->model),
                              .memory_bytes = memory,
                              .core = machine->core};
    engine_callbacks callbacks = {.context = machine,
                                  .retired = run_retired,
                                  .retired_blocks = run_retired_blocks,
                                  .catch_up = run_catch_up,
                                  .attention = run_attention,
                                  .special = processor_special,
                                  .event = run_event,
                                  .delivered = run_delivered,
                                  .port_read = ports_read,
                                  .port_write = ports_write,
                                  .memory_read = devices_memory_read,
                                  .memory_write = devices_memory_write};
    p5_status status = engine_open(&options, &callbacks, &machine->engine, error);
    if (status == P5_OK) { /* the devices' part that depends on the size of memory */
        machine->options.memory_bytes = memory;
        cmos_fill(machine->devices);
        devices_start_apic(machine->devices);
    }
    return status;
}

/* Also closes a machine that could be opened only in part. */
void p5_machine_close(p5_machine *machine)
{
    if (machine == NULL)
        return;
    if (machine->running) { /* called by a callback: p5_machine_run closes it when it has ended */
        machine->close_wanted = true;
        p5_machine_stop(machine);
        return;
    }
    if (machine->guest != NULL && machine->guest->close != NULL && machine->guest_state != NULL)
        machine->guest->close(machine);
    watchdog_close(machine->watchdog);
    engine_close(machine->engine); /* before the core, because it holds blocks of the core */
    pricer_close(machine->pricer);
    p5_pmu_close(machine->pmu);
    p5_core_close(machine->core);
    p5_model_close(machine->model);
    isa_decoder_close(machine->decoder);
    for (size_t i = 0; i < machine->options.share_count; i++) {
        free((char *)(uintptr_t)machine->shares[i].host);
        free((char *)(uintptr_t)machine->shares[i].guest);
    }
    free(machine->shares);
    observers_free(machine);
    free(machine->port_handlers.items);
    devices_free(machine->devices);
    notice_free(&machine->notices);
    free(machine);
}
