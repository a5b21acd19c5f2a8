/* Connects the local APIC and the I/O APIC to the devices, to the processor and to memory. */
#include "machine/board/apic.h"

#include "core/model/model.h"
#include "machine/base/notice.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum { PIC_INPUT = 0 /* input of the I/O APIC that the 8259s drive */ };
enum { REGISTER_BYTES = 4, REGISTER_DISTANCE = 16 };

/* Convert between core clocks and clocks of the bus, in which the local APIC counts time: bus_clock returns the number
 * of bus clocks up to a core clock, core_clock the first core clock of a bus clock. half_ratio is the number of core
 * clocks in two bus clocks. */
static uint64_t bus_clock(const devices *b, uint64_t clock)
{
    return 2 * clock / b->machine->model->half_ratio;
}

static uint64_t core_clock(const devices *b, uint64_t clock)
{
    return (clock * b->machine->model->half_ratio + 1) / 2;
}

/* Passes on what the local APIC has requested of the rest of the machine. Called after everything that may make it
 * request something. */
static void serve_requests(devices *b)
{
    local_apic *local = &b->local_apic;
    while (local->wants != 0) {
        unsigned wants = local->wants;
        local->wants = 0;
        if ((wants & LOCAL_APIC_EOI) != 0)
            io_apic_end(&b->io_apic, local->eoi_vector);
        if ((wants & LOCAL_APIC_NMI) != 0)
            b->machine->nmi_request = b->machine->attention_wanted = true;
        if ((wants & LOCAL_APIC_INIT) != 0)
            devices_reset_processor(b);
        if ((wants & LOCAL_APIC_SMI) != 0)
            notice_once(&b->machine->notices, NOTICE_OTHER, 0xa91c5u,
                        "the guest sends itself SMI#; there is no system management mode");
    }
}

/* --- registers --- */

/* Reads the whole register that contains the byte at `physical`. */
static uint32_t read_register(devices *b, uint32_t physical)
{
    uint32_t offset = physical % MODEL_APIC_BYTES & ~(uint32_t)(REGISTER_DISTANCE - 1);
    return physical < MODEL_LOCAL_APIC ? io_apic_read(&b->io_apic, offset)
                                       : local_apic_read(&b->local_apic, offset, bus_clock(b, b->now));
}

/* Registers are doublewords at multiples of 16. The bytes between them read as 0. */
uint64_t apic_read(devices *b, uint32_t physical, unsigned size)
{
    uint32_t byte = physical % REGISTER_DISTANCE;
    if (byte >= REGISTER_BYTES)
        return 0;
    uint64_t value = read_register(b, physical) >> 8 * byte;
    return value & UINT64_MAX >> (64 - 8 * size);
}

/* Only whole registers can be written. */
void apic_write(devices *b, uint32_t physical, unsigned size, uint64_t value)
{
    uint32_t offset = physical % MODEL_APIC_BYTES;
    if (physical % REGISTER_DISTANCE != 0 || size < REGISTER_BYTES)
        return;
    if (physical < MODEL_LOCAL_APIC)
        io_apic_write(&b->io_apic, offset, (uint32_t)value);
    else
        local_apic_write(&b->local_apic, offset, (uint32_t)value, bus_clock(b, b->now));
    serve_requests(b);
}

/* --- lines --- */

void apic_set_irq(devices *b, unsigned irq, bool level)
{
    io_apic_set_line(&b->io_apic, apic_input(irq), level);
    serve_requests(b);
}

/* Returns true if the processor gets the vectors of the 8259s' requests from the 8259s themselves (delivery mode
 * EXTINT). */
static bool extint_enabled(const devices *b)
{
    return local_apic_has(&b->local_apic, LVT_LINT0, APIC_EXTINT) ||
           io_apic_has(&b->io_apic, PIC_INPUT, APIC_EXTINT);
}

bool apic_intr(devices *b, bool request)
{
    local_apic_set_lint0(&b->local_apic, request);
    io_apic_set_line(&b->io_apic, PIC_INPUT, request);
    serve_requests(b);
    return (request && extint_enabled(b)) || local_apic_pending(&b->local_apic);
}

bool apic_open(const devices *b, unsigned irq, bool passes_pic)
{
    bool pic_passes_on = extint_enabled(b) || local_apic_has(&b->local_apic, LVT_LINT0, APIC_FIXED) ||
                         local_apic_has(&b->local_apic, LVT_LINT0, APIC_NMI) ||
                         io_apic_has(&b->io_apic, PIC_INPUT, IO_APIC_ANY_MODE);
    return (passes_pic && pic_passes_on) || io_apic_has(&b->io_apic, apic_input(irq), IO_APIC_ANY_MODE);
}

/* Serves a request of the 8259s first, because it has no priority. */
uint8_t apic_acknowledge(devices *b)
{
    if (pic_intr(&b->pic) && extint_enabled(b))
        return pic_acknowledge(&b->pic);
    return local_apic_acknowledge(&b->local_apic);
}

bool devices_may_raise_nmi(const devices *b)
{
    if (!b->machine->model->apic)
        return false;
    bool may = local_apic_has(&b->local_apic, LVT_LINT0, APIC_NMI);
    for (unsigned i = 0; i < IO_APIC_INPUTS; i++)
        may |= io_apic_has(&b->io_apic, i, APIC_NMI);
    return may;
}

/* Raises NMI. A processor with a local APIC has LINT1 on this pin, so the entry of LINT1 decides what is raised. */
void devices_nmi(devices *b)
{
    if (b->machine->model->apic)
        local_apic_raise(&b->local_apic, LVT_LINT1);
    else
        b->machine->nmi_request = b->machine->attention_wanted = true;
    serve_requests(b);
}

void devices_performance_interrupt(devices *b)
{
    local_apic_raise(&b->local_apic, LVT_PERFORMANCE);
    serve_requests(b);
    devices_advance(b, b->now);
}

/* --- time --- */

uint64_t apic_deadline(const devices *b)
{
    uint64_t clock = local_apic_deadline(&b->local_apic);
    return clock == UINT64_MAX ? clock : core_clock(b, clock);
}

void apic_advance(devices *b)
{
    local_apic_advance(&b->local_apic, bus_clock(b, b->now));
}

/* --- the board --- */

/* A BIOS leaves the APICs in virtual wire mode: the 8259s and NMI reach the processor as without APICs
 * (MultiProcessor Specification 1.4, 3.6.2.2). */
void devices_start_apic(devices *b)
{
    /* offsets of registers and their values: enabled by software, with spurious vector 0Fh; LINT0 is EXTINT; LINT1 is
     * NMI */
    static const uint32_t words[][2] = {{0xf0, 0x10f}, {0x350, 0x700}, {0x360, 0x400}};
    const p5_model *model = b->machine->model;
    local_apic_reset(&b->local_apic, model->monitor != MONITOR_P5);
    io_apic_reset(&b->io_apic, &b->local_apic);
    if (!model->apic)
        return;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        local_apic_write(&b->local_apic, words[i][0], words[i][1], 0);
    io_apic_write(&b->io_apic, 0, 0); /* select the register with the identifier, and write it */
    io_apic_write(&b->io_apic, 0x10, (uint32_t)IO_APIC_ID << 24);
    /* windows 0 and 1 are the VGA's */
    engine_set_window(b->machine->engine, 2,
                      &(engine_window){.first = MODEL_IO_APIC, .bytes = MODEL_APIC_BYTES, .timed = true});
    engine_set_window(b->machine->engine, 3,
                      &(engine_window){.first = MODEL_LOCAL_APIC, .bytes = MODEL_APIC_BYTES, .timed = true});
    mp_table_fill(b);
}
