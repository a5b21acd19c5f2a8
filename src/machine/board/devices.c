/* What joins the devices to a board: ports, time, interrupt lines, and the user's input and output. */
#include "machine/board/board_internal.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model/model.h"
#include "machine/base/notice.h"
#include "machine/base/time.h"
#include "machine/board/apic.h"
#include "machine/state.h"

devices *devices_new(p5_machine *machine)
{
    devices *b = calloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    b->machine = machine;
    b->deadline = UINT64_MAX;
    debug_port_attach(b);
    exit_port_attach(b);
    interrupts_attach(b);
    timer_attach(b);
    keyboard_attach(b);
    cmos_attach(b);
    serial_attach(b);
    system_ports_attach(b);
    coprocessor_attach(b);
    marker_port_attach(b);
    pci_attach(b);
    dma_attach(b);
    ide_attach(b);
    floppy_attach(b);
    opl_attach(b);
    sound_attach(b);
    for (unsigned i = 0; i < DEVICES_DISKS; i++)
        disk_image_none(&b->disks[i]);
    if (video_attach(b))
        return b;
    devices_free(b);
    return NULL;
}

void devices_free(devices *b)
{
    if (b == NULL)
        return;
    for (unsigned i = 0; i < DEVICES_DISKS; i++)
        disk_image_close(&b->disks[i]);
    free(b->video.memory);
    free(b);
}

void devices_attach(devices *b, const device *added)
{
    assert(b->device_count < DEVICES_AT_MOST);
    b->attached[b->device_count++] = *added;
}

static void service_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    (void)value;
    b->service(b->service_context);
}

void devices_attach_service(devices *b, uint16_t port, void (*service)(void *context), void *context)
{
    b->service = service;
    b->service_context = context;
    devices_attach(b, &(device){port, port, .write = service_write});
}

void devices_attach_timer(devices *b, const device_timer *added)
{
    assert(b->timer_count < DEVICE_TIMERS_AT_MOST);
    b->timers[b->timer_count++] = *added;
}

/* --- time --- */

uint64_t devices_pulses(const devices *b, uint64_t clock, uint64_t hz)
{
    return (uint64_t)((unsigned __int128)clock * hz / b->machine->clock_hz);
}

uint64_t devices_clock_of(const devices *b, uint64_t pulse, uint64_t hz)
{
    unsigned __int128 clock = ((unsigned __int128)pulse * b->machine->clock_hz + hz - 1) / hz;
    return clock < UINT64_MAX ? (uint64_t)clock : UINT64_MAX;
}

uint64_t devices_microseconds(const devices *b, uint64_t microseconds)
{
    return microseconds * b->machine->clock_hz / 1000000;
}

uint64_t devices_after(const devices *b, uint64_t microseconds)
{
    return b->now + devices_microseconds(b, microseconds);
}

/* Recomputes whether the processor has an interrupt request, and alerts the run loop if it has a new one. The interrupt
 * controllers drive INTR or, with APICs, the inputs of these. */
static void update_intr(devices *b)
{
    p5_machine *machine = b->machine;
    bool request = pic_intr(&b->pic);
    if (machine->model->apic)
        request = apic_intr(b, request);
    machine->attention_wanted |= request && !machine->interrupt_request;
    machine->interrupt_request = request;
}

/* Returns true if a request on line `irq` would interrupt the processor: no mask and no interrupt in service
 * blocks it. */
static bool devices_irq_open(const devices *b, unsigned irq)
{
    bool passes = pic_open(&b->pic, irq);
    return b->machine->model->apic ? apic_open(b, irq, passes) : passes;
}

/* Recomputes INTR and the deadline after a change of any device, and alerts the run loop if they changed. Events
 * whose interrupt is masked need no deadline: the device is updated when the guest next accesses it. */
static void devices_changed(devices *b)
{
    p5_machine *machine = b->machine;
    uint64_t deadline = UINT64_MAX;
    for (unsigned i = 0; i < b->timer_count; i++) {
        const device_timer *timer = &b->timers[i];
        uint64_t own = devices_irq_open(b, timer->irq) ? timer->deadline(b) : UINT64_MAX;
        deadline = own < deadline ? own : deadline;
    }
    if (machine->model->apic) {
        uint64_t own = apic_deadline(b);
        deadline = own < deadline ? own : deadline;
    }
    machine->attention_wanted |= deadline != b->deadline;
    b->deadline = deadline;
    update_intr(b);
}

uint64_t devices_deadline(const devices *b)
{
    return b->deadline;
}

uint64_t devices_now(const devices *b)
{
    return b->now;
}

/* Updates all devices to the clock `clock`. The caller then calls devices_changed. */
static void devices_catch_up(devices *b, uint64_t clock)
{
    if (clock > b->now)
        b->now = clock;
    for (unsigned i = 0; i < b->timer_count; i++)
        b->timers[i].advance(b);
    if (b->machine->model->apic)
        apic_advance(b);
}

void devices_advance(devices *b, uint64_t clock)
{
    devices_catch_up(b, clock);
    devices_changed(b);
}

/* --- interrupt lines --- */

void devices_set_irq(devices *b, unsigned irq, bool level)
{
    if (pic_level(&b->pic, irq) == level)
        return;
    pic_set_line(&b->pic, irq, level);
    if (b->machine->model->apic)
        apic_set_irq(b, irq, level);
    update_intr(b);
}

uint8_t devices_acknowledge(devices *b)
{
    uint8_t vector = b->machine->model->apic ? apic_acknowledge(b) : pic_acknowledge(&b->pic);
    devices_changed(b);
    return vector;
}

/* --- ports --- */

static const device *devices_find(const devices *b, uint16_t port)
{
    for (unsigned i = 0; i < b->device_count; i++)
        if (port >= b->attached[i].first && port <= b->attached[i].last)
            return &b->attached[i];
    return NULL;
}

/* Returns true for the ports of ISA cards, and for those above them up to FFFh. Programs read them to detect cards, so
 * such accesses cause no notice. */
static bool is_card_port(uint16_t port)
{
    return port >= 0x100 && port < 0x1000;
}

static void notice_empty_port(p5_machine *machine, uint16_t port)
{
    if (is_card_port(port))
        return;
    notice_once(&machine->notices, NOTICE_PORT, port,
                "port %Xh has no device; reads return all ones and writes are ignored", port);
}

static uint32_t device_read(const device *d, devices *b, uint16_t port, unsigned size)
{
    if (d->read == NULL)
        return UINT32_MAX;
    b->access_bytes = size;
    uint32_t value = d->read(b, port);
    for (unsigned i = 1; d->by_bytes && i < size; i++)
        value |= (port + i <= d->last ? d->read(b, (uint16_t)(port + i)) : 0xff) << 8 * i;
    return value;
}

static void device_write(const device *d, devices *b, uint16_t port, unsigned size, uint32_t value)
{
    b->access_bytes = size;
    d->write(b, port, value);
    for (unsigned i = 1; d->by_bytes && i < size && port + i <= d->last; i++)
        d->write(b, (uint16_t)(port + i), value >> 8 * i);
}

uint32_t devices_read(p5_machine *machine, uint16_t port, unsigned size)
{
    devices *b = machine->devices;
    const device *found = devices_find(b, port);
    uint32_t ones = UINT32_MAX >> (32 - 8 * size);
    if (found == NULL) {
        notice_empty_port(machine, port);
        return ones;
    }
    if (!found->untimed)
        devices_catch_up(b, p5_core_clock(machine->core));
    uint32_t value = device_read(found, b, port, size) & ones;
    if (!found->untimed)
        devices_changed(b);
    return value;
}

void devices_write(p5_machine *machine, uint16_t port, unsigned size, uint32_t value)
{
    devices *b = machine->devices;
    const device *found = devices_find(b, port);
    if (found == NULL) {
        notice_empty_port(machine, port);
        return;
    }
    if (!found->untimed)
        devices_catch_up(b, p5_core_clock(machine->core));
    device_write(found, b, port, size, value);
    if (!found->untimed)
        devices_changed(b);
}

uint64_t devices_memory_read(void *context, uint32_t physical, unsigned size)
{
    p5_machine *machine = context;
    devices *b = machine->devices;
    if (!model_apic(machine->model, physical))
        return video_window_read(b, physical);
    devices_catch_up(b, p5_core_clock(machine->core));
    uint64_t value = apic_read(b, physical, size);
    devices_changed(b);
    return value;
}

void devices_memory_write(void *context, uint32_t physical, unsigned size, uint64_t value)
{
    p5_machine *machine = context;
    devices *b = machine->devices;
    if (!model_apic(machine->model, physical)) {
        video_window_write(b, physical, (uint8_t)value);
        return;
    }
    devices_catch_up(b, p5_core_clock(machine->core));
    apic_write(b, physical, size, value);
    devices_changed(b);
}

/* Takes a byte of the user's input. `idle` tells the host that the guest does nothing until a byte comes. Returns as
 * devices_input. */
static int devices_take(devices *b, uint8_t *byte, bool idle)
{
    const p5_machine_options *options = &b->machine->options;
    if (options->input == NULL)
        return -1;
    devices_console_flush(b); /* show a prompt before waiting for the answer */
    int got = options->input(options->input_context, byte, idle);
    b->input_taken += got == 1;
    return got;
}

int devices_input(devices *b, input_to to, uint8_t *byte)
{
    return b->input == to ? devices_take(b, byte, b->machine->halted) : -1;
}

int devices_input_idle(devices *b, uint8_t *byte)
{
    return devices_take(b, byte, true);
}

void devices_input_to_keyboard(devices *b)
{
    b->input = INPUT_KEYBOARD;
}

uint64_t devices_input_taken(const devices *b)
{
    return b->input_taken;
}

/* Waits until standard output accepts PIPE_BUF bytes. Returns false if the run must end first. */
static bool wait_for_reader(const devices *b)
{
    enum { WAIT_MILLISECONDS = 50 };
    struct pollfd wanted = {.fd = STDOUT_FILENO, .events = POLLOUT};
    while (poll(&wanted, 1, WAIT_MILLISECONDS) <= 0) {
        if (machine_pause_wanted(b->machine))
            return false;
    }
    return true;
}

void devices_console_flush(devices *b)
{
    const p5_machine_options *options = &b->machine->options;
    size_t size = b->console_used;
    b->console_used = 0;
    if (size == 0)
        return;
    if (options->console != NULL) {
        options->console(options->console_context, b->console_text, size);
        return;
    }
    output_begins(b->machine, STDOUT_FILENO);
    for (const char *text = b->console_text; size != 0;) {
        if (!wait_for_reader(b)) {
            memmove(b->console_text, text, size);
            b->console_used = size;
            return;
        }
        ssize_t written = write(STDOUT_FILENO, text, size < PIPE_BUF ? size : PIPE_BUF);
        if (written < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (written <= 0)
            return; /* the reader is gone; a real machine would not notice either */
        text += written;
        size -= (size_t)written;
    }
}

void devices_console_char(devices *b, char c)
{
    b->keyboard.looks_at_end = 0;                 /* a guest that writes is not stuck: keyboard_polled */
    if (b->console_used < sizeof b->console_text) /* it is full only if the run is about to end */
        b->console_text[b->console_used++] = c;
    if (c == '\n' || b->console_used == sizeof b->console_text)
        devices_console_flush(b);
}

/* --- snapshots --- */

static const snapshot_table devices_state = {
    SNAPSHOT(devices, "board", FIELD_TIME(now), FIELD_DEADLINE(deadline), FIELD_TABLE(&pic_state, pic),
             FIELD_TABLE(&pit_state, pit), FIELD_MOST(UINT64_C(1) << 58, pit_seen),
             FIELD_ANY(system_port, post_code), FIELD_FLAG(a20, math_error),
             FIELD_TABLE(&serial_state, serial), FIELD_TABLE(&keyboard_state, keyboard),
             FIELD_TABLE(&rtc_state, rtc), FIELD_TABLE(&video_state, video),
             FIELD_MOST(INPUT_KEYBOARD, input), FIELD_ANY(input_taken),
             FIELD_SINCE(2, FIELD_ANY(pci_address), FIELD_TABLE(&dma_state, dma),
                         FIELD_TABLE(&ide_state, ide), FIELD_TABLE(&floppy_state, floppy),
                         FIELD_TABLE(&opl_state, opl), FIELD_TABLE(&sound_state, sound),
                         FIELD_TABLE(&local_apic_state, local_apic), FIELD_TABLE(&io_apic_state, io_apic))),
    .partial = true};

const snapshot_table *const devices_tables[] = {&devices_state, NULL};

void devices_transfer(devices *b, snapshot *s)
{
    snapshot_state(s, &devices_state, b);
    if (s->loading && !b->machine->replaying && b->machine->options.input != NULL) {
        keyboard_input_again(b);
        b->serial.input_ended = false;
    }
    video_transfer_memory(b, s);
    devices_transfer_disks(b, s);
}
