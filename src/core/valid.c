/* Checks what a program feeds the core (p5scope/core.h). */
#include "core/valid.h"

#include "core/block.h"

/* Returns whether each reference has a size that the processor makes, and the array exists. */
static bool accesses_valid(const p5_access *accesses, uint32_t count)
{
    if (count != 0 && accesses == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (accesses[i].size != 1 && accesses[i].size != 2 && accesses[i].size != 4 && accesses[i].size != 8)
            return false;
    return true;
}

/* Returns whether a privilege level and a mode exist. */
static bool level_valid(uint8_t cpl, uint8_t mode)
{
    return cpl <= 3 && mode <= P5_MODE_V86;
}

/* Returns whether the stretch has the references of all its instructions but the last one, which may make fewer. */
static bool accesses_suffice(const p5_retired *r)
{
    const uint32_t *start = r->block->access_start;
    return r->access_count >= start[r->first + r->count - 1] - start[r->first];
}

bool valid_retired(const p5_retired *r)
{
    return r->block != NULL && r->count != 0 && r->first + r->count <= r->block->count &&
           accesses_suffice(r) && accesses_valid(r->accesses, r->access_count) &&
           (r->value_count == 0 || r->values != NULL) && level_valid(r->cpl, r->mode) &&
           level_valid(r->cpl_after, r->mode) && r->iopl <= 3 && r->gate <= P5_GATE_TASK &&
           (!r->unsafe_x87 || r->unsafe_mask != NULL);
}

bool valid_exception(const p5_exception *e)
{
    return (unsigned)e->kind <= P5_TRANSFER_NMI && level_valid(e->cpl, e->mode) &&
           level_valid(e->cpl_after, e->mode_after) && e->reference <= P5_REFERENCE_CODE &&
           (e->block == NULL || e->index < e->block->count) && accesses_valid(e->accesses, e->access_count);
}
