/* Copies of a machine in memory: the sections of a snapshot, one after the other, without the headers of a file. */
#include "machine/snapshot/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/board/devices.h"
#include "machine/run/open.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"

/* The position in a copy that is loaded. */
typedef struct reader {
    const machine_copy *copy;
    size_t at; /* offset of the next byte */
} reader;

/* snapshot.write and snapshot.read for copies. */
static bool write_bytes(void *context, const void *bytes, size_t size)
{
    machine_copy *copy = context;
    if (!array_reserve(&copy->bytes, &copy->capacity, copy->size + size, 1))
        return false;
    memcpy(copy->bytes + copy->size, bytes, size);
    copy->size += size;
    return true;
}

static bool read_bytes(void *context, void *bytes, size_t size)
{
    reader *from = context;
    if (size > from->copy->size - from->at)
        return false;
    memcpy(bytes, from->copy->bytes + from->at, size);
    from->at += size;
    return true;
}

/* A Linux program reads standard input; for other guests, the board's devices take the input. */
uint64_t machine_input_taken(const p5_machine *machine)
{
    return machine->linux_input_bytes + p5_machine_input_taken(machine);
}

p5_status machine_copy_take(p5_machine *machine, machine_copy *copy, p5_error *error)
{
    *copy = (machine_copy){.instructions = machine->instructions, .input = machine_input_taken(machine)};
    devices_console_flush(machine->devices);
    snapshot s = {.write = write_bytes, .context = copy, .error = error};
    machine_transfer(machine, &s);
    if (s.status != P5_OK) {
        machine_copy_free(copy);
        return s.status;
    }
    /* Several copies may be kept, and the buffer has grown by doubling. */
    uint8_t *fitting = realloc(copy->bytes, copy->size);
    if (fitting != NULL) {
        copy->bytes = fitting;
        copy->capacity = copy->size;
    }
    return P5_OK;
}

/* Console callback of a copy's machine: drops the output, because the original machine has written it. */
static void discard(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

p5_status machine_copy_open(const machine_copy *copy, const p5_machine *like, p5_machine **machine,
                            p5_error *error)
{
    p5_machine_options options = {.size = sizeof options,
                                  .memory_bytes = like->options.memory_bytes,
                                  .permissive = like->options.permissive,
                                  .shares = like->shares,
                                  .share_count = like->options.share_count,
                                  .threads = 1,
                                  .console = discard};
    reader from = {.copy = copy};
    snapshot s = {.loading = true,
                  .read = read_bytes,
                  .context = &from,
                  .revision = SNAPSHOT_REVISION,
                  .clock = SNAPSHOT_CLOCK_MOST, /* limit until the core sets the clock */
                  .error = error};
    p5_status status = machine_open(&options, like->model, machine, error);
    if (status == P5_OK) {
        (*machine)->replaying = true;
        status = machine_open_engine(*machine, like->options.memory_bytes, 0, error);
    }
    if (status == P5_OK) {
        (*machine)->guest = like->guest;
        machine_transfer(*machine, &s);
        status = s.status;
    }
    if (status != P5_OK) {
        p5_machine_close(*machine);
        *machine = NULL;
    }
    return status;
}

void machine_copy_free(machine_copy *copy)
{
    free(copy->bytes);
    *copy = (machine_copy){0};
}
