/* Notifications other than goals: stretches, markers, instructions of the performance monitor, exceptions,
 * ports and pins. */
#include "machine/observe/observe_internal.h"

#include "core/block.h"

const char *p5_observation_name(p5_observation_kind kind)
{
    static const char *const names[P5_OBSERVE_KINDS] = {"interval", "point", "entry", "exit",  "begin",
                                                        "end",      "rdpmc", "rdmsr", "wrmsr", "event"};
    return names[kind];
}

/* Returns the linear address of CS:EIP. */
uint32_t observe_linear_eip(const engine *e)
{
    engine_segment code;
    engine_get_segment(e, ENGINE_CS, &code);
    return code.base + engine_get(e, ENGINE_EIP);
}

/* Reports a stretch (a block that has retired, or a part of one), with what the totals have gained since the stretch
 * that was reported to the same observer before. */
void observe_stretch(p5_machine *machine, const p5_retired *r)
{
    const op *first = &r->block->ops[r->first], *last = first + r->count - 1;
    p5_stretch stretch = {.size = sizeof stretch,
                          .address = first->address,
                          .next = r->next,
                          .bytes = last->address + last->length - first->address,
                          .instructions = (uint32_t)r->count - r->interrupted,
                          .repeats = r->repeats,
                          .cpl = r->cpl,
                          .clock = p5_machine_clock(machine)};
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next) {
        if (o->options.retired == NULL)
            continue;
        p5_counts now, gained;
        stretch.clocks = stretch.clock - o->stretch_clock;
        stretch.counts = NULL;
        o->stretch_clock = stretch.clock;
        if (o->stretch_before != NULL) {
            p5_machine_counts(machine, &now);
            gained = now;
            p5_counts_subtract(&gained, o->stretch_before);
            *o->stretch_before = now;
            stretch.counts = &gained;
        }
        o->options.retired(o->options.context, machine, &stretch);
    }
}

void observers_marker(p5_machine *machine, bool end, uint32_t id)
{
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.markers)
            observe_notify(o, end ? P5_OBSERVE_END : P5_OBSERVE_BEGIN, observe_linear_eip(machine->engine),
                           engine_cpl(machine->engine), id, 0);
}

/* Reports RDPMC, and RDMSR and WRMSR of the monitor's registers: the Pentium's are TSC to CTR1, those of architectural
 * performance monitoring begin at PMC0. */
void observers_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value)
{
    if (kind != P5_OBSERVE_RDPMC && (ecx < P5_MSR_TSC || ecx > P5_MSR_CTR1) && ecx < P5_MSR_PMC0)
        return;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.pmu)
            observe_notify(o, kind, observe_linear_eip(machine->engine), engine_cpl(machine->engine), ecx,
                           value);
}

void observers_exception(p5_machine *machine, const engine_event *event)
{
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    bool page_fault = event->kind == P5_TRANSFER_FAULT && event->vector == VECTOR_PF;
    p5_exception_info x = {.size = sizeof x,
                           .kind = event->kind,
                           .vector = event->vector,
                           .cpl = (uint8_t)engine_cpl(machine->engine),
                           .has_error_code = event->has_error_code,
                           .error_code = event->has_error_code ? event->error_code : 0,
                           .cr2 = page_fault ? event->fault_address : 0,
                           .cs = code.selector,
                           .eip = event->eip,
                           .address = code.base + event->eip,
                           .clock = p5_machine_clock(machine),
                           .instructions = machine->instructions};
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.exception != NULL)
            o->options.exception(o->options.context, machine, &x);
}

void observers_port(p5_machine *machine, p5_port_access access)
{
    access.cpl = (uint8_t)engine_cpl(machine->engine);
    access.address = observe_linear_eip(machine->engine);
    access.clock = p5_machine_clock(machine);
    access.instructions = machine->instructions;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.port != NULL)
            o->options.port(o->options.context, machine, &access);
}

bool observers_want_pins(const p5_machine *machine)
{
    const p5_observer *o = machine->observers != NULL ? machine->observers->first : NULL;
    while (o != NULL && o->options.pin == NULL)
        o = o->next;
    return o != NULL;
}

void observers_pin(p5_machine *machine, p5_pin pin, bool level, uint64_t clock)
{
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.pin != NULL)
            o->options.pin(o->options.context, machine, pin, level, clock);
}
