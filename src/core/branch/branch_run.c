/* When each branch last ran (branch_run.h): a hash table of records by address, length and kind. */
#include "core/branch/branch_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/branch/predictor_fast.h"

static branch_run **bucket_of(const branch_runs *all, uint32_t address)
{
    assert(all->buckets != 0 && (all->buckets & (all->buckets - 1)) == 0);
    return &all->bucket[(address ^ address >> 12) & (all->buckets - 1)];
}

/* Doubles the number of buckets, or makes the first ones. Returns false if memory runs out. */
static bool grow(branch_runs *all)
{
    enum { FIRST = 1 << 10 };
    branch_runs more = *all;
    more.buckets = all->buckets ? 2 * all->buckets : FIRST;
    more.bucket = calloc(more.buckets, sizeof(branch_run *));
    if (!more.bucket)
        return false;
    for (unsigned i = 0; i < all->buckets; i++) {
        for (branch_run *r = all->bucket[i], *next; r; r = next) {
            branch_run **bucket = bucket_of(&more, r->address);
            next = r->next;
            r->next = *bucket;
            *bucket = r;
        }
    }
    free(all->bucket);
    *all = more;
    assert(all->count <= all->buckets);
    return true;
}

/* Returns the record of a branch. If there is none, makes one that says it never ran; NULL if memory runs out. `kind`
 * may be ISA_NOT_BRANCH, because the last instruction of every block has a record. */
branch_run *branch_runs_find(branch_runs *all, uint32_t address, uint8_t length, uint8_t kind)
{
    assert(all->count <= all->buckets);
    for (branch_run *r = all->count > 0 ? *bucket_of(all, address) : NULL; r; r = r->next)
        if (r->address == address && r->length == length && r->kind == kind)
            return r;
    if (all->count == all->buckets && !grow(all))
        return NULL;
    branch_run **bucket = bucket_of(all, address), *r = arena_alloc(&all->arena, sizeof *r);
    if (!r)
        return NULL;
    r->address = address;
    r->length = length;
    r->kind = kind;
    r->branch = kind != ISA_NOT_BRANCH && kind < ISA_FAR ? predictor_branch_of(address + length - 1, kind)
                                                         : (btb_branch){.owner = NO_OWNER};
    r->next = *bucket;
    *bucket = r;
    all->count++;
    return r;
}

/* Drops all records that are not recent. At most BRANCH_RUN_RECENT stay, because no two branches ran as the same
 * instruction (P55C) or in the same group (P54C). Their memory and buckets stay for new records, so that memory
 * cannot run out here and lose a record. */
void branch_runs_trim(branch_runs *all, uint64_t now, uint64_t groups)
{
    branch_run recent[BRANCH_RUN_RECENT];
    unsigned count = 0;
    for (unsigned bucket = 0; bucket < all->buckets; bucket++)
        for (const branch_run *r = all->bucket[bucket]; r; r = r->next)
            if (count < BRANCH_RUN_RECENT && branch_run_recent(r, now, groups))
                recent[count++] = *r;
    arena_clear(&all->arena);
    if (all->count > 0)
        memset(all->bucket, 0, all->buckets * sizeof(branch_run *));
    all->count = 0;
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
    free(all->bucket);
    all->bucket = NULL;
    all->buckets = all->count = 0;
}
