/* Opening, closing and asking a machine. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "core/model/model.h"
#include "machine/board/bus_check.h"
#include "machine/board/devices.h"
#include "machine/board/ports.h"
#include "machine/run/contents.h"
#include "machine/board/pins.h"
#include "machine/run/pricer.h"
#include "machine/machine.h"
#include "machine/run/watchdog.h"
#include "machine/state.h"

enum { LEAST_MEMORY = 1024 * 1024 };
#define MOST_MEMORY 0x80000000u

static bool machine_copy_shares(p5_machine *machine, const p5_machine_options *options)
{
    machine->options.shares = NULL;
    machine->options.share_count = 0;
    if (options->share_count == 0)
        return true;
    machine->shares = calloc(options->share_count, sizeof *machine->shares);
    if (machine->shares == NULL)
        return false;
    machine->options.shares = machine->shares;
    for (size_t i = 0; i < options->share_count; i++) {
        const p5_share *from = &options->shares[i];
        p5_share *to = &machine->shares[machine->options.share_count++];
        to->writable = from->writable;
        to->max_bytes = from->max_bytes;
        to->host = strdup(from->host);
        to->guest = from->guest != NULL ? strdup(from->guest) : realpath(from->host, NULL);
        if (to->guest == NULL && from->guest == NULL)
            to->guest = strdup(from->host); /* does not exist: the loader will say so */
        if (to->host == NULL || to->guest == NULL)
            return false;
    }
    return true;
}

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
    return machine_open(options, NULL, machine, error);
}

p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error)
{
    *machine = NULL;
    if (options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE, "p5_machine_options.size is %zu, this library expects %zu",
                         options->size, sizeof *options);
    if (options->threads > 2)
        return error_set(error, P5_ERR_RANGE, "a machine has one thread or two");
    if (options->memory_bytes != 0 &&
        (options->memory_bytes < LEAST_MEMORY || options->memory_bytes > MOST_MEMORY))
        return error_set(error, P5_ERR_RANGE, "guest memory must be between 1 MB and 2 GB");
    p5_machine *m = host_line_calloc(sizeof *m);
    if (m == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a machine");
    spare_init(&m->spare);
    m->options = *options;
    m->options.model = NULL;
    p5_status status = P5_OK;
    if (!machine_copy_shares(m, options))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a machine");
    if (status == P5_OK)
        status = machine_model(options, model, &m->model, error);
    m->options.agent = m->options.wires = m->options.check = m->options.monitor = NULL;
    p5_core_hooks hooks = contents_hooks(m);
    if (status == P5_OK && m->model->check.cycle != CHECK_NONE) {
        hooks.bus_cycle = bus_check_cycle;
        m->after = AFTER_CHECK;
    }
    if (status == P5_OK)
        status = p5_core_open(m->model, &hooks, &m->core, error);
    if (status == P5_OK)
        status = p5_pmu_open(m->core, p5_model_family(m->model) | p5_model_monitor(m->model), &m->pmu, error);
    if (status == P5_OK) {
        p5_core_set_memo(m->core, !options->memo_off && hooks.bus_cycle == NULL);
        if (options->memo_check)
            status = p5_core_check_memo(m->core, error);
    }
    m->devices = devices_new(m);
    if (status == P5_OK && m->devices == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for a machine");
    if (status != P5_OK) {
        p5_machine_close(m);
        return status;
    }
    pins_open(m);
    p5_pmu_set_counter_bits(m->pmu, p5_model_counter_bits(m->model));
    p5_pmu_set_cc_clocks(m->pmu,
                         m->model->cc_clocks == CC_CLOCKS_FREE_RUNNING ? P5_CC_FREE_RUNNING : P5_CC_ASSERTED);
    m->clock_hz = (uint64_t)llround(p5_model_clock_mhz(m->model) * 1e6);
    m->notices.sink = options->notice;
    m->notices.context = options->notice_context;
    m->devices->console = options->console;
    m->devices->console_context = options->console_context;
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
                                  .port_write = ports_write};
    p5_status status = engine_open(&options, &callbacks, &machine->engine, error);
    if (status == P5_OK) {
        machine->options.memory_bytes = memory;
        cmos_set_memory(machine->devices);
    }
    return status;
}

p5_status machine_check_ready(const p5_machine *machine, p5_error *error)
{
    if (machine->guest == NULL)
        return error_set(error, P5_ERR_STATE, "nothing is loaded that could run");
    if (machine->options.look_only)
        return error_set(error, P5_ERR_STATE, "the machine was loaded to be looked at only");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "the machine is running: a callback of the run cannot run it");
    return P5_OK;
}

void p5_machine_close(p5_machine *machine)
{
    if (machine == NULL)
        return;
    if (machine->running) {
        machine->close_wanted = true;
        p5_machine_stop(machine);
        return;
    }
    if (machine->guest != NULL && machine->guest->close != NULL && machine->guest_state != NULL)
        machine->guest->close(machine);
    watchdog_close(machine->watchdog);
    if (machine->engine != NULL)
        engine_close(machine->engine); /* holds blocks of the core */
    pricer_close(machine->pricer);
    if (machine->pmu != NULL)
        p5_pmu_close(machine->pmu);
    if (machine->core != NULL)
        p5_core_close(machine->core);
    if (machine->model != NULL)
        p5_model_close(machine->model);
    if (machine->decoder != NULL)
        isa_decoder_close(machine->decoder);
    for (size_t i = 0; i < machine->options.share_count; i++) {
        free((char *)(uintptr_t)machine->shares[i].host);
        free((char *)(uintptr_t)machine->shares[i].guest);
    }
    free(machine->shares);
    observers_free(machine);
    free(machine->port_handlers.items);
    free(machine->devices);
    notice_free(&machine->notices);
    spare_free(&machine->spare);
    free(machine);
}

void machine_end(p5_machine *machine, p5_end end, int status)
{
    if (machine->ended)
        return;
    machine->ended = true;
    machine->result.end = end;
    machine->result.status = status;
    machine->attention_wanted = true;
    engine_request_attention(machine->engine);
}

size_t p5_machine_read_code(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                            bool *code32)
{
    if (machine->engine == NULL)
        return 0;
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    if (code32 != NULL)
        *code32 = (code.flags >> 22 & 1) != 0; /* the D bit */
    if (engine_read_linear(machine->engine, address, bytes, size))
        return size;
    size_t whole = PAGE_BYTES - address % PAGE_BYTES; /* the next page may be missing */
    return whole < size && engine_read_linear(machine->engine, address, bytes, whole) ? whole : 0;
}

/* An instruction for messages. */
typedef struct shown_insn {
    uint32_t linear;
    bool code32;
    uint8_t bytes[15];
    size_t available;
} shown_insn;

/* What stands at CS:`eip`. False if nothing can be read there, or not decoded. */
static bool show_insn(p5_machine *machine, uint32_t eip, shown_insn *insn)
{
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    *insn = (shown_insn){.linear = code.base + eip, .code32 = (code.flags >> 22 & 1) != 0}; /* the D bit */
    while (insn->available < sizeof insn->bytes &&
           engine_read_linear(machine->engine, insn->linear + (uint32_t)insn->available,
                              &insn->bytes[insn->available], 1))
        insn->available++;
    if (machine->decoder ==
        NULL) /* also later processors' instructions: they are what stops a guest most often */
        machine->decoder = isa_decoder_open(
            (p5_model_family(machine->model) == P5_FAMILY_P55C ? ISA_P55C : ISA_P54C) | ISA_P6);
    return machine->decoder != NULL && insn->available > 0;
}

void machine_end_at(p5_machine *machine, uint32_t eip)
{
    p5_run_result *result = &machine->result;
    shown_insn insn;
    bool shown = show_insn(machine, eip, &insn);
    result->address = insn.linear;
    result->instruction[0] = '\0';
    if (shown && isa_disassemble(machine->decoder, insn.bytes, insn.available, insn.linear, insn.code32,
                                 result->instruction, sizeof result->instruction) == 0)
        snprintf(result->instruction, sizeof result->instruction, "(bytes %02x %02x ...)", insn.bytes[0],
                 insn.available > 1 ? insn.bytes[1] : 0);
}

void machine_disassemble(p5_machine *machine, uint32_t linear, char *text, size_t size)
{
    engine_segment code;
    shown_insn insn;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    bool shown = show_insn(machine, linear - code.base, &insn);
    if (!shown ||
        isa_disassemble(machine->decoder, insn.bytes, insn.available, linear, insn.code32, text, size) == 0)
        snprintf(text, size, "(not readable)");
}

bool machine_is_later(p5_machine *machine, uint32_t eip)
{
    shown_insn insn;
    isa_insn decoded;
    return show_insn(machine, eip, &insn) &&
           isa_decode(machine->decoder, insn.bytes, insn.available, insn.linear, insn.code32, &decoded) &&
           !(decoded.flags & ISA_UNDEFINED) && isa_forms[decoded.form].models == ISA_P6;
}

void machine_end_message(p5_machine *machine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine->result.message, sizeof machine->result.message, format, arguments);
    va_end(arguments);
}

static p5_status machine_file_error(const char *path, const char *what, p5_error *error)
{
    error_set(error, P5_ERR_IO, "cannot %s the file: %s", what, strerror(errno));
    error_at(error, path, 0, 0);
    return P5_ERR_IO;
}

p5_status machine_read_file(const char *path, size_t limit, uint8_t **bytes, size_t *size, p5_error *error)
{
    *bytes = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return machine_file_error(path, "open", error);
    struct stat about;
    p5_status status = P5_OK;
    if (fstat(fd, &about) != 0)
        status = machine_file_error(path, "examine", error);
    else if (!S_ISREG(about.st_mode))
        status = error_set(error, P5_ERR_FORMAT, "this is not a regular file");
    else if ((uint64_t)about.st_size > limit)
        status = error_set(error, P5_ERR_FORMAT, "the file is larger than %zu MB", limit >> 20);
    else if ((*bytes = malloc((size_t)about.st_size + 1)) == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for the file");
    while (status == P5_OK && *size < (size_t)about.st_size) {
        ssize_t got = read(fd, *bytes + *size, (size_t)about.st_size - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = machine_file_error(path, "read", error);
        if (got <= 0)
            break; /* shrunk while being read: what is there counts */
        *size += (size_t)got;
    }
    close(fd);
    if (status != P5_OK) {
        free(*bytes);
        *bytes = NULL;
        error_at(error, path, 0, 0);
    }
    return status;
}

p5_core *machine_core(const p5_machine *machine)
{
    return machine->core;
}

uint32_t machine_page_directory(const p5_machine *machine)
{
    return machine->guest == &linux_guest ? 0 : engine_get(machine->engine, ENGINE_CR3);
}

uint32_t machine_program_base(const p5_machine *machine)
{
    const guest_kind *kind = machine->guest;
    return kind != NULL && kind->program_base != NULL ? kind->program_base(machine) : 0;
}

unsigned machine_threads(const p5_machine *machine)
{
    return machine->options.threads;
}

p5_core *p5_machine_core(p5_machine *machine)
{
    machine->lent = true;
    return machine->core;
}

p5_pmu *p5_machine_pmu(p5_machine *machine)
{
    machine->lent = true;
    return machine->pmu;
}

const p5_model *p5_machine_model(const p5_machine *machine)
{
    return machine->model;
}

void p5_machine_settle(p5_machine *machine)
{
    p5_core_settle(machine->core);
}

void p5_machine_counts(p5_machine *machine, p5_counts *counts)
{
    p5_core_counts(machine->core, counts);
    if (machine->forward_instructions != 0)
        p5_counts_subtract(counts, &machine->forward_counts);
}

uint64_t p5_machine_instructions(const p5_machine *machine)
{
    return machine->instructions;
}

uint64_t p5_machine_clock(const p5_machine *machine)
{
    return p5_core_clock_estimate(machine->core);
}

uint64_t p5_machine_permissive_count(const p5_machine *machine)
{
    return machine->engine != NULL ? engine_permissive_count(machine->engine) : 0;
}

bool p5_machine_screen(const p5_machine *machine, p5_screen *screen)
{
    enum { TEXT = 0xb8000, TEXT_BYTES = 0x8000, CELL = 2 };
    const guest_kind *kind = machine->guest;
    if (kind == NULL || machine->engine == NULL || kind == &linux_guest || kind == &case_guest)
        return false;
    const video *v = &machine->devices->video;
    const uint8_t *text = engine_ram(machine->engine, TEXT, TEXT_BYTES);
    if (text == NULL)
        return false;
    unsigned start = (unsigned)v->crtc[VIDEO_START_HIGH] << 8 | v->crtc[VIDEO_START_HIGH + 1];
    unsigned cursor = (unsigned)v->crtc[VIDEO_CURSOR_HIGH] << 8 | v->crtc[VIDEO_CURSOR_HIGH + 1];
    for (unsigned i = 0; i < P5_SCREEN_ROWS * P5_SCREEN_COLUMNS; i++) {
        const uint8_t *cell = text + (start + i) * CELL % TEXT_BYTES;
        screen->cells[i / P5_SCREEN_COLUMNS][i % P5_SCREEN_COLUMNS].character = cell[0];
        screen->cells[i / P5_SCREEN_COLUMNS][i % P5_SCREEN_COLUMNS].attribute = cell[1];
    }
    screen->row = (cursor - start) / P5_SCREEN_COLUMNS;
    screen->column = (cursor - start) % P5_SCREEN_COLUMNS;
    return true;
}
