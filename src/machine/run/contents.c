#include "machine/run/run_internal.h"

#include "machine/base/end.h"
#include "machine/state.h"

/* --- Translation: there is none until a loader has opened the engine. --- */

static uint32_t contents_translate(void *context, uint32_t linear)
{
    const p5_machine *machine = context;
    uint32_t physical;
    return machine->engine != NULL && engine_translate(machine->engine, linear, &physical) ? physical
                                                                                           : linear;
}

static void contents_walk(void *context, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry)
{
    const p5_machine *machine = context;
    *directory_entry = *table_entry = 0;
    if (machine->engine != NULL)
        engine_walk(machine->engine, linear, directory_entry, table_entry);
}

static unsigned contents_page_bits_set(void *context, uint32_t linear, bool write)
{
    const p5_machine *machine = context;
    return machine->engine != NULL ? engine_page_bits_set(machine->engine, linear, write) : 0;
}

static unsigned contents_page_rights(void *context, uint32_t linear)
{
    const p5_machine *machine = context;
    return machine->engine != NULL ? engine_page_rights(machine->engine, linear) : 0;
}

static void contents_translation(void *context, const p5_translation *translation)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_set_translation(machine->engine, translation);
}

/* --- Lines --- */

static void contents_to_memory(void *context, uint32_t physical, uint32_t size)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_line_to_memory(machine->engine, physical, size);
}

static void contents_from_memory(void *context, uint32_t physical, uint32_t size)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_line_from_memory(machine->engine, physical, size);
}

static bool contents_read_line(void *context, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES])
{
    const p5_machine *machine = context;
    return machine->engine != NULL && engine_read_line(machine->engine, physical, memory, bytes);
}

bool contents_keep_memory(p5_machine *machine)
{
    return machine->keeps_memory = engine_keep_memory(machine->engine);
}

/* Starts the separate copy of memory on demand: neither a Linux guest nor a guest whose test registers the
 * host writes has one. */
static void contents_write_line(void *context, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES])
{
    p5_machine *machine = context;
    if (machine->engine == NULL)
        return;
    if (contents_keep_memory(machine))
        engine_write_line(machine->engine, physical, bytes);
    else
        machine_end(machine, P5_END_FAILED, 0);
}

static void contents_code_line(void *context, uint32_t physical, const uint8_t *bytes)
{
    p5_machine *machine = context;
    if (machine->engine != NULL && !engine_set_code_line(machine->engine, physical, bytes))
        machine_end(machine, P5_END_FAILED, 0);
}

p5_core_hooks contents_hooks(p5_machine *machine)
{
    return (p5_core_hooks){.size = sizeof(p5_core_hooks),
                           .context = machine,
                           .translate = contents_translate,
                           .walk = contents_walk,
                           .page_bits_set = contents_page_bits_set,
                           .page_rights = contents_page_rights,
                           .to_memory = contents_to_memory,
                           .keeps_memory = &machine->keeps_memory,
                           .from_memory = contents_from_memory,
                           .read_line = contents_read_line,
                           .write_line = contents_write_line,
                           .code_line = contents_code_line,
                           .translation = contents_translation};
}

void contents_look(p5_machine *machine)
{
    bool refetch;
    bool before = machine->watching;
    machine->watching = p5_core_watching(machine->core, &refetch);
    machine->refetch |= refetch;
    if (machine->watching || before || refetch || machine->wires_followed)
        machine->attention_wanted = true;
}
