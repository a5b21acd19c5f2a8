/* Checks that the keys of a model are complete, and that they agree with each other. model_value.c checks the value of
 * a single key. */
#include "base/error.h"
#include "core/model/bound.h"
#include "core/model/model.h"

/* Checks where the board connects the pins PM0 and PM1 and the overflow interrupt (PMI). */
static p5_status check_wires(const p5_model *m, p5_error *error)
{
    if (m->pmi != PIN_TO_NOTHING && m->monitor == MONITOR_P5)
        return error_set(error, P5_ERR_RANGE, "pins.pmi needs monitor = p6 or arch3: CESR has no interrupt");
    if (m->pmi != PIN_TO_NOTHING && m->apic)
        return error_set(
            error, P5_ERR_RANGE,
            "pins.pmi and board.apic = on exclude each other: the local vector table (340h) says "
            "where the interrupt goes");
    if (m->pins[0] != PIN_TO_CASCADE && m->pins[1] != PIN_TO_CASCADE && m->pmi != PIN_TO_CASCADE)
        return P5_OK;
    error_set(error, P5_ERR_RANGE, "no pin can be wired to irq2, where the second interrupt controller is");
    error_hint(error, "irq9 is in its place on a PC/AT");
    return P5_ERR_RANGE;
}

/* Checks the performance monitor and its pins. The register maps of later processors need the Pentium MMX, which has
 * RDPMC. */
p5_status model_validate_monitor(const p5_model *m, p5_error *error)
{
    if (m->monitor != MONITOR_P5 && m->family != P5_FAMILY_P55C)
        return error_set(error, P5_ERR_RANGE,
                         "processor.monitor can only be p5 on a P54C, which has no RDPMC");
    if (m->counter_bits != 40 && (m->counter_bits != 48 || m->monitor != MONITOR_ARCH3))
        return error_set(error, P5_ERR_RANGE, "processor.counter_bits is 40, or 48 with monitor = arch3");
    return check_wires(m, error);
}

/* Returns what is wrong with the combination of several keys, or NULL. */
static const char *contradiction(const p5_model *m)
{
    const uint32_t code_entries = m->code_tlb.sets * m->code_tlb.ways;
    const uint32_t data_entries = m->data_tlb.sets * m->data_tlb.ways;
    if (code_entries > 64 || data_entries > 64)
        return "a TLB has at most 64 entries: sets times ways";
    if (code_entries + data_entries + m->data_tlb.large_sets * m->data_tlb.large_ways > 128)
        return "the TLBs have at most 128 entries together, data_tlb.large_sets and large_ways included";
    if ((m->data_tlb.large_sets == 0) != (m->data_tlb.large_ways == 0) || m->data_tlb.large_ways == 1)
        return "data_tlb.large_sets and large_ways must both be 0, or give an array of 2 or 4 ways";
    if (m->l2.bytes > 0 && m->l2.bytes < 32)
        return "l2.bytes is less than a line of 32 bytes; 0 is for no cache";
    if (m->timing.trig_small > m->timing.trig_middle)
        return "x87.trig_small is above x87.trig_middle";
    if (m->write_buffer_per_pipe && m->write_buffers % 2 != 0)
        return "write_buffers.entries must be even if they belong to pipes";
    if (bound_of_model(m).fetch_clocks > INT16_MAX) /* the states of the pipe have 16 bits for it */
        return "with these figures of [bus], [dram] and [agent], the processor could wait 32768 core clocks "
               "or longer for code; make the slowest of them faster";
    return NULL;
}

/* Checks that no key is missing, except texts, and what involves more than one key. */
p5_status model_validate(const p5_model *m, const bool *given, const char *name, p5_error *error)
{
    const error_place file = {.where = name};
    for (unsigned i = 0; i < model_field_count; i++)
        if (!given[i] && model_fields[i].kind != MODEL_STRING)
            return error_set_at(error, P5_ERR_SYNTAX, file, "the model has no %s.%s (%s)",
                                model_fields[i].section, model_fields[i].key, model_fields[i].meaning);
    const char *wrong = contradiction(m);
    if (wrong != NULL)
        return error_set_at(error, P5_ERR_RANGE, file, "%s", wrong);
    p5_status status = model_validate_monitor(m, error);
    if (status != P5_OK)
        error_at(error, name, 0, 0);
    return status;
}
