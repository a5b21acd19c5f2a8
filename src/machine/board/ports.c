#include "machine/board/ports.h"

#include "base/error.h"
#include "base/sized.h"
#include "machine/board/devices.h"
#include "machine/observe/observe.h"
#include "machine/state.h"

/* Offers an access to the host's handlers, the one attached last first. Returns true if one handled it. */
static bool handlers_do(p5_machine *machine, uint16_t port, unsigned size, uint32_t *value, bool write)
{
    for (size_t i = machine->port_handlers.count; i-- > 0;) {
        const p5_port_options *h = &machine->port_handlers.items[i];
        if (port < h->first || port > h->last)
            continue;
        if (write ? h->write != NULL && h->write(h->context, machine, port, size, *value)
                  : h->read != NULL && h->read(h->context, machine, port, size, value))
            return true;
    }
    return false;
}

static void observe(p5_machine *machine, p5_port_access access)
{
    access.size = sizeof access;
    if (machine->observers != NULL)
        observers_port(machine, access);
}

uint32_t ports_read(void *context, uint16_t port, unsigned size)
{
    p5_machine *machine = context;
    uint32_t value = 0;
    bool handled = handlers_do(machine, port, size, &value, false);
    value = handled ? value & UINT32_MAX >> (32 - 8 * size) : devices_read(machine, port, size);
    observe(machine,
            (p5_port_access){.port = port, .bytes = (uint8_t)size, .handled = handled, .value = value});
    return value;
}

void ports_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    p5_machine *machine = context;
    bool handled = handlers_do(machine, port, size, &value, true);
    if (!handled)
        devices_write(machine, port, size, value);
    observe(machine,
            (p5_port_access){
                .port = port, .bytes = (uint8_t)size, .write = true, .handled = handled, .value = value});
}

p5_status p5_machine_attach_ports(p5_machine *machine, const p5_port_options *options, p5_error *error)
{
    p5_port_options own;
    p5_status status = SIZED_COPY_IN(p5_port_options, &own, options, error);
    if (status != P5_OK)
        return status;
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "attach ports between runs, not in a callback");
    if (own.first > own.last)
        return error_set(error, P5_ERR_RANGE, "ports %Xh to %Xh: the first is above the last", own.first,
                         own.last);
    if (!ARRAY_ROOM(&machine->port_handlers))
        return error_set(error, P5_ERR_MEMORY, "no memory for a port handler");
    machine->port_handlers.items[machine->port_handlers.count++] = own;
    return P5_OK;
}
