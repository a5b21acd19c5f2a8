#include "machine/devices.h"

#include <string.h>
#include <unistd.h>

#include "machine/state.h"

void devices_init(devices *b, p5_machine *machine)
{
    memset(b, 0, sizeof *b);
    b->machine = machine;
    debug_port_attach(b);
    serial_attach(b);
    exit_port_attach(b);
}

void devices_attach(devices *b, const device *added)
{
    if (b->device_count < DEVICES_AT_MOST)
        b->attached[b->device_count++] = *added;
}

static const device *devices_find(const devices *b, uint16_t port)
{
    for (unsigned i = 0; i < b->device_count; i++)
        if (port >= b->attached[i].first && port <= b->attached[i].last)
            return &b->attached[i];
    return NULL;
}

uint32_t devices_read(void *context, uint16_t port, unsigned size)
{
    p5_machine *machine = context;
    const device *found = devices_find(&machine->devices, port);
    uint32_t ones = size == 4 ? 0xffffffffu : (1u << 8 * size) - 1;
    if (found != NULL)
        return found->read(found->context, port, size) & ones;
    notice_once(&machine->notices, NOTICE_PORT_READ, port, "port %Xh: nothing there, reads all ones", port);
    return ones;
}

void devices_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    p5_machine *machine = context;
    const device *found = devices_find(&machine->devices, port);
    if (found != NULL)
        found->write(found->context, port, size, value);
    else
        notice_once(&machine->notices, NOTICE_PORT_WRITE, port,
                    "port %Xh: nothing there, %u-byte write of %Xh ignored", port, size, value);
}

void devices_console_flush(devices *b)
{
    size_t size = b->console_used;
    b->console_used = 0;
    if (size == 0)
        return;
    if (b->console != NULL) {
        b->console(b->console_context, b->console_text, size);
        return;
    }
    for (const char *text = b->console_text; size != 0;) {
        ssize_t written = write(STDOUT_FILENO, text, size);
        if (written <= 0)
            return; /* nobody reads: the guest cannot know either */
        text += written;
        size -= (size_t)written;
    }
}

void devices_console_char(devices *b, char c)
{
    b->console_text[b->console_used++] = c;
    if (c == '\n' || b->console_used == sizeof b->console_text)
        devices_console_flush(b);
}
