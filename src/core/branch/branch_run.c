#include "core/branch/branch_run.h"

#include <string.h>

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

void branch_runs_trim(branch_runs *all, uint64_t now, uint64_t groups)
{
    branch_run recent[BRANCH_RUN_RECENT];
    unsigned count = 0;
    for (unsigned bucket = 0; bucket < BRANCH_RUN_BUCKETS; bucket++)
        for (const branch_run *r = all->bucket[bucket]; r; r = r->next)
            if (count < BRANCH_RUN_RECENT && branch_run_recent(r, now, groups))
                recent[count++] = *r;
    arena_free_all(&all->arena);
    memset(all->bucket, 0, sizeof all->bucket);
    while (count > 0) {
        const branch_run *was = &recent[--count];
        branch_run *r = branch_runs_find(all, was->address, was->length, was->kind);
        if (!r)
            return;
        r->instructions = was->instructions;
        r->groups = was->groups;
    }
}

void branch_runs_close(branch_runs *all)
{
    arena_free_all(&all->arena);
}
