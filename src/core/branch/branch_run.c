#include "core/branch/branch_run.h"

branch_run *branch_runs_find(branch_runs *all, uint32_t address, uint8_t length, uint8_t kind)
{
    branch_run **bucket = &all->bucket[(address ^ address >> 12) % BRANCH_RUN_BUCKETS];
    for (branch_run *r = *bucket; r; r = r->next)
        if (r->address == address && r->length == length && r->kind == kind)
            return r;
    branch_run *r = arena_alloc_line(&all->arena, sizeof *r);
    if (!r)
        return NULL;
    r->address = address;
    r->length = length;
    r->kind = kind;
    r->entry = &all->nobody;
    r->jcc_place = r->other_place = BRANCH_NOWHERE;
    r->next = *bucket;
    *bucket = r;
    return r;
}

void branch_runs_close(branch_runs *all)
{
    arena_free_all(&all->arena);
}
