/* The core's callbacks (p5_core_hooks): translations by the guest's page tables, and the contents of cache lines and
 * memory where they differ. The engine holds both; its RAM is what the processor sees through its caches. */
#include "machine/run/run_internal.h"

#include "machine/base/end.h"
#include "machine/state.h"

/* --- Translation. Until a loader has opened the engine, addresses are mapped one to one. --- */

static uint32_t contents_translate(void *context, uint32_t linear)
{
    const p5_machine *machine = context;
    uint32_t physical;
    return machine->engine != NULL && engine_translate(machine->engine, linear, &physical) ? physical
                                                                                           : linear;
}

/* Gets the physical addresses of the page-table entries for `linear`: 0 if there is no such entry. */
static void contents_walk(void *context, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry)
{
    const p5_machine *machine = context;
    *directory_entry = *table_entry = 0;
    if (machine->engine != NULL)
        engine_walk(machine->engine, linear, directory_entry, table_entry);
}

/* Returns the accessed and dirty bits (P5_PAGE_*) that the access at `linear` has set. */
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

/* Follows a test register that has written or removed an entry of a TLB, which then overrides the page tables. */
static void contents_translation(void *context, const p5_translation *translation)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_set_translation(machine->engine, translation);
}

/* --- Lines: all ranges are physical and lie within one cache line. --- */

/* Follows a bus cycle that has written bytes: memory now holds what the processor sees. */
static void contents_to_memory(void *context, uint32_t physical, uint32_t size)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_line_to_memory(machine->engine, physical, size);
}

/* Follows the loss of a line without a write-back (INVD, test registers): the processor now sees what memory holds. */
static void contents_from_memory(void *context, uint32_t physical, uint32_t size)
{
    const p5_machine *machine = context;
    if (machine->engine != NULL)
        engine_line_from_memory(machine->engine, physical, size);
}

/* Reads a line as data references see it, or with `memory` as memory holds it. Returns false if there is no RAM. */
static bool contents_read_line(void *context, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES])
{
    const p5_machine *machine = context;
    return machine->engine != NULL && engine_read_line(machine->engine, physical, memory, bytes);
}

bool contents_keep_memory(p5_machine *machine)
{
    return machine->keeps_memory = engine_keep_memory(machine->engine);
}

/* Sets the bytes that the processor sees in a line, for a test register, and leaves memory as it is. Memory must be
 * kept separately for that, which begins here if it has not yet: bare-metal guests keep it from the start, others do
 * not. The run ends if host memory runs out. */
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

/* Makes the processor execute `bytes` where data references see others; NULL ends that. */
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

/* Asks the core whether it must be fed single instructions from now on, and requests attention if that may change. */
void contents_update_watching(p5_machine *machine)
{
    bool refetch;
    bool before = machine->watching;
    machine->watching = p5_core_watching(machine->core, &refetch);
    machine->refetch |= refetch;
    /* Pins that are followed may change at any instruction. */
    if (machine->watching || before || refetch || machine->wires_followed)
        machine->attention_wanted = true;
}
