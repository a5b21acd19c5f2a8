#include "machine/board/wires.h"

#include "core/core.h"
#include "core/model/model.h"
#include "machine/base/end.h"
#include "machine/base/notice.h"
#include "machine/observe/observe.h"
#include "pmu/pins.h"
#include "machine/board/board_internal.h"

/* The pins that a model can connect (section [pins]). A pulse of one bus clock is too short for an 8259, which
 * treats an input that falls before the acknowledge as spurious (level 7). Therefore the pin's rising edge sets
 * a flip-flop on the board, and the acknowledge of its request clears it. */
static const p5_pin wired_pins[] = {P5_PIN_PM0, P5_PIN_PM1, P5_PIN_PMI};
enum { WIRED_PINS = sizeof wired_pins / sizeof wired_pins[0] };

/* Returns where the model connects a pin: PIN_TO_NOTHING, PIN_TO_NMI, PIN_TO_APIC (the local APIC's entry for the
 * performance monitor), or PIN_TO_IRQ plus a line. */
static uint32_t wire_of(const p5_machine *machine, p5_pin pin)
{
    if (pin == P5_PIN_PMI)
        return machine->model->apic && machine->model->monitor != MONITOR_P5 ? PIN_TO_APIC
                                                                             : machine->model->pmi;
    return (unsigned)pin < MODEL_PINS ? machine->model->pins[pin] : PIN_TO_NOTHING;
}

/* Drives the input to which a pin is connected. Only a rise has an effect, because the inputs see edges. */
static void drive(p5_machine *machine, p5_pin pin, bool level)
{
    if (!level)
        return;
    uint32_t wire = wire_of(machine, pin);
    if (wire == PIN_TO_APIC)
        devices_performance_interrupt(machine->devices);
    else if (wire >= PIN_TO_IRQ)
        devices_set_irq(machine->devices, wire - PIN_TO_IRQ, true);
    else if (wire == PIN_TO_NMI)
        devices_nmi(machine->devices);
}

/* Clears the flip-flops whose interrupt has been acknowledged: it is in service, or no longer requested. */
void wires_acknowledged(p5_machine *machine)
{
    for (unsigned i = 0; i < WIRED_PINS && machine->wires_followed; i++) {
        uint32_t wire = wire_of(machine, wired_pins[i]);
        if (wire < PIN_TO_IRQ || wire == PIN_TO_APIC)
            continue;
        unsigned irq = wire - PIN_TO_IRQ;
        const pic *c = irq < 8 ? &machine->devices->pic.master : &machine->devices->pic.slave;
        if ((c->isr >> (irq & 7) & 1) != 0 || (c->irr >> (irq & 7) & 1) == 0)
            devices_set_irq(machine->devices, irq, false);
    }
}

static void pin_changed(void *context, p5_pin pin, bool level, uint64_t clock)
{
    p5_machine *machine = context;
    drive(machine, pin, level);
    if (machine->observers != NULL && pin < P5_PINS)
        observers_pin(machine, pin, level, clock);
}

/* Handles a parity error: IERR# is asserted, and the processor shuts down unless TR1.NS is set (manual,
 * 26.2.1.4). `array` is a bit of TR1. */
static void parity_error(void *context, uint32_t array, bool shutdown)
{
    static const char *const names[] = {"code cache tag",  "code cache data", "code cache data",
                                        "code cache data", "code cache data", "code TLB tag",
                                        "code TLB data",   "data cache tag",  "data cache data",
                                        "data TLB tag",    "data TLB data",   "microcode"};
    enum { FIRST = 2 /* number of the lowest of these bits */ };
    p5_machine *machine = context;
    const char *name = names[__builtin_ctz(array) - FIRST];
    notice_once(&machine->notices, NOTICE_OTHER, array, "parity error in the %s: IERR# is asserted", name);
    if (!shutdown || machine->ended)
        return;
    machine_end(machine, P5_END_SHUTDOWN, 0);
    machine_end_at(machine, engine_get(machine->engine, ENGINE_EIP));
    machine_end_message(machine, "parity error in the %s", name);
}

void wires_open(p5_machine *machine)
{
    pmu_own_parity_errors(machine->pmu, parity_error, machine);
    bool wired = false;
    for (unsigned i = 0; i < WIRED_PINS; i++)
        wired |= wire_of(machine, wired_pins[i]) != PIN_TO_NOTHING;
    bool follow = wired || observers_want_pins(machine);
    if (follow == machine->wires_followed)
        return; /* the state of pins that are being followed must not be lost */
    p5_pmu_on_pin(machine->pmu, follow ? pin_changed : NULL, machine);
    machine->wires_followed = follow;
}

void wires_follow(p5_machine *machine)
{
    if (machine->wires_followed)
        p5_pmu_follow_pins(machine->pmu);
}

uint64_t wires_deadline(const p5_machine *machine, bool halted)
{
    uint64_t turn = core_agent_turn(machine->core); /* when another bus master takes the bus */
    return machine->wires_followed ? p5_pmu_pin_deadline(machine->pmu, halted ? &turn : NULL) : UINT64_MAX;
}

/* The local APIC's entry for the performance monitor may have the delivery mode NMI. */
bool wires_may_raise_nmi(const p5_machine *machine)
{
    bool wired = false;
    for (unsigned i = 0; i < WIRED_PINS; i++) {
        uint32_t wire = wire_of(machine, wired_pins[i]);
        wired |= wire == PIN_TO_NMI || wire == PIN_TO_APIC;
    }
    return machine->nmi_request || devices_may_raise_nmi(machine->devices) ||
           (wired && wires_deadline(machine, true) != UINT64_MAX);
}
