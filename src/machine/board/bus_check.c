/* Machine check caused by a failing bus cycle: the board asserts BUSCHK#, or data has wrong parity while PEN#
 * is active. The processor latches address and type of the cycle in MCA and MCT. If CR4.MCE is set, it vectors
 * to #MC before the next instruction (Pentium Processor Family Developer's Manual, BUSCHK# and PEN#). */
#include "machine/board/bus_check.h"

#include "core/model/model.h"
#include "machine/state.h"

/* Latches a failed bus cycle and requests #MC. Does nothing if an earlier one is still latched. */
void p5_machine_bus_check(p5_machine *machine, uint32_t physical, unsigned type)
{
    bool latched = p5_pmu_bus_check(machine->pmu, physical, type);
    if (latched && machine->engine != NULL && (engine_get(machine->engine, ENGINE_CR4) & CR4_MCE) != 0)
        machine->machine_check = machine->attention_wanted = true;
}

/* Returns true if a bus cycle for the byte at `physical` includes the address in the model's section [check]. A
 * cycle covers a cache line, 8 bytes of memory, or `size` ports. */
static bool touches(const model_check *check, uint32_t physical, uint32_t size, bool port)
{
    enum { BUS_BYTES = 8 };
    if (port)
        return check->address - physical < size;
    return (physical ^ check->address) < (size == P5_LINE_BYTES ? P5_LINE_BYTES : BUS_BYTES);
}

void bus_check_cycle(void *context, uint32_t physical, uint32_t size, unsigned type)
{
    static const unsigned types[] = {[CHECK_READ] = P5_CYCLE_MEMORY | P5_CYCLE_DATA,
                                     [CHECK_WRITE] = P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_WRITE,
                                     [CHECK_CODE] = P5_CYCLE_MEMORY,
                                     [CHECK_IN] = P5_CYCLE_DATA,
                                     [CHECK_OUT] = P5_CYCLE_DATA | P5_CYCLE_WRITE};
    p5_machine *machine = context;
    const model_check *check = &machine->model->check;
    if ((type & ~(unsigned)P5_CYCLE_LOCKED) != types[check->cycle])
        return;
    if (touches(check, physical, size, (type & P5_CYCLE_MEMORY) == 0))
        p5_machine_bus_check(machine, physical & ~7u, type); /* the bus has no address lines 2 to 0 */
}

void bus_check_retired(p5_machine *machine, const p5_retired *retired)
{
    const model_check *check = &machine->model->check;
    for (uint32_t i = 0; i < retired->access_count; i++) {
        const p5_access *a = &retired->accesses[i];
        bool port = (a->flags & P5_ACCESS_IO) != 0;
        /* The instruction is issued without waiting for a partner, so that #MC follows it. */
        if (touches(check, a->physical, port ? a->size : P5_LINE_BYTES, port))
            p5_core_settle(machine->core);
    }
}
