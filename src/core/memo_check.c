/* Checks the memo against a second core without one (memo_check.h). */
#include "core/memo_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core.h"
#include "core/replay/memo.h"
#include "p5scope/event.h"

/* ---- hooks of the second core: they call those of the first one's owner ------------------------------- */

static uint32_t translate(void *context, uint32_t linear)
{
    memo_check *check = context;
    return check->hooks.translate(check->hooks.context, linear);
}

static void walk(void *context, uint32_t linear, uint32_t *directory, uint32_t *table)
{
    memo_check *check = context;
    check->hooks.walk(check->hooks.context, linear, directory, table);
}

static unsigned page_rights(void *context, uint32_t linear)
{
    memo_check *check = context;
    return check->hooks.page_rights(check->hooks.context, linear);
}

/* Returns what the owner reported to the first core for this page, because it reports each bit only once. The entry is
 * then removed from the log. */
static unsigned page_bits_set(void *context, uint32_t linear, bool write)
{
    memo_check *check = context;
    for (unsigned i = 0; i < check->page_bits.count; i++) {
        page_bits_entry *t = &check->page_bits.bits[i];
        if (t->linear >> 12 == linear >> 12 && t->write == write) {
            unsigned bits = t->bits;
            *t = check->page_bits.bits[--check->page_bits.count];
            return bits;
        }
    }
    return 0;
}

/* The second core gets no memory contents, because no clock or event depends on them. */
static p5_core_hooks hooks_of(memo_check *check)
{
    const p5_core_hooks *h = &check->hooks;
    return (p5_core_hooks){.size = sizeof(p5_core_hooks),
                           .context = check,
                           .translate = h->translate != NULL ? translate : NULL,
                           .walk = h->walk != NULL ? walk : NULL,
                           .page_bits_set = h->page_bits_set != NULL ? page_bits_set : NULL,
                           .page_rights = h->page_rights != NULL ? page_rights : NULL};
}

p5_status p5_core_check_memo(p5_core *core, p5_error *error)
{
    if (core->memo_off || core->blocks != NULL || core->check != NULL)
        return error_set(error, P5_ERR_STATE,
                         "the memo can be checked from the start only, and while it is on");
    memo_check *check = calloc(1, sizeof *check);
    if (check == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    check->hooks = *memory_hooks(core->memory);
    const p5_core_hooks hooks = hooks_of(check);
    p5_status status = p5_core_open(memory_model(core->memory), &hooks, &check->exact, error);
    if (status != P5_OK) {
        free(check);
        return status;
    }
    p5_core_set_memo(check->exact, false);
    core->check = check;
    core->exact = check->exact;
    memory_log_page_bits(core->memory,
                         &check->page_bits); /* the first core stores the owner's reports there */
    return P5_OK;
}

bool p5_core_memo_checked(const p5_core *core, uint64_t *stretches, const char **difference)
{
    *stretches = core->check != NULL ? core->check->stretches : 0;
    *difference = core->check != NULL && core->check->difference[0] != '\0' ? core->check->difference : NULL;
    return core->check != NULL;
}

void memo_check_close(memo_check *check)
{
    if (check == NULL)
        return;
    p5_core_close(check->exact);
    free(check);
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

/* Names the first total that differs in `text`, and sets `*with` and `*without` to its two values. */
static void name_difference(const memo_check *check, char *text, size_t size, uint64_t *with,
                            uint64_t *without)
{
    const p5_counts *a = &check->with, *b = &check->without;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        const char *level = class == P5_CPL_USER    ? ", CPL 3"
                            : class == P5_CPL_INNER ? ", CPL 1-2"
                                                    : ", CPL 0";
        for (unsigned s = 0; s < P5_STALL_COUNT; s++) {
            *with = a->stalls[s][class];
            *without = b->stalls[s][class];
            snprintf(text, size, "clocks of %s%s", p5_stall_name((p5_stall)s), level);
            if (*with != *without)
                return;
        }
        for (unsigned w = 0; w < 2; w++) {
            *with = a->bus_bytes[w][class];
            *without = b->bus_bytes[w][class];
            snprintf(text, size, "bytes %s the bus%s", w == 0 ? "from" : "to", level);
            if (*with != *without)
                return;
        }
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            bool asserted = a->increments[e][class] == b->increments[e][class];
            *with = asserted ? a->asserted[e][class] : a->increments[e][class];
            *without = asserted ? b->asserted[e][class] : b->increments[e][class];
            snprintf(text, size, "%s%s%s", p5_event_describe((enum p5_event)e)->name,
                     asserted ? " in clocks" : "", level);
            if (*with != *without)
                return;
        }
    }
}

void memo_check_compare(p5_core *core, const char *what, uint32_t address)
{
    memo_check *check = core->check;
    check->page_bits.count = 0;
    if (check->difference[0] != '\0') /* only the first difference is reported */
        return;
    p5_core_counts(core, &check->with);
    p5_core_counts(check->exact, &check->without);
    uint64_t with = core->now, without = check->exact->now;
    char total[80] = "clock";
    if (with == without) {
        if (memcmp(&check->with, &check->without, sizeof check->with) == 0)
            return;
        name_difference(check, total, sizeof total, &with, &without);
    }
    snprintf(check->difference, sizeof check->difference,
             "%s at %08" PRIx32 ", after %" PRIu64 " that agreed: %s: %" PRIu64 " with the memo, %" PRIu64
             " on the exact path",
             what, address, check->stretches, total, with, without);
}

/* ---- feeding ------------------------------------------------------------------------------------------- */

void memo_check_fed(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    memo_check *check = core->check;
    if (r->count == 0)
        return;
    p5_retired other = *r;
    other.block = r->block->exact;
    core_price(check->exact, &other, prediction); /* the prediction is the first core's, on the P55C */
    memo_check_compare(core, "stretch", r->block->ops[r->first].address);
    if (check->difference[0] == '\0')
        check->stretches++;
}

/* Prices one stretch at a time on both cores. */
size_t memo_check_batch(p5_core *core, const p5_batch *batch, uint64_t limit)
{
    size_t n = 0;
    for (; n < batch->count; n++) {
        p5_batch one = batch_rest(batch, n);
        one.count = 1;
        if (limit == UINT64_MAX)
            memo_price_batch(core, &one);
        else if (memo_price_batch_before(core, &one, limit) == 0)
            break;
        const p5_retired r = block_first(&one);
        memo_check_fed(core, &r, *one.predictions);
    }
    return n;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* A snapshot in memory. */
typedef struct image {
    ARRAY_OF(unsigned char) bytes;
    size_t taken; /* bytes that were read from it */
} image;

/* The callback with which p5_core_save writes to an image. */
static bool put(void *context, const void *bytes, size_t size)
{
    image *i = context;
    if (!array_reserve(&i->bytes.items, &i->bytes.capacity, i->bytes.count + size, 1))
        return false;
    memcpy(i->bytes.items + i->bytes.count, bytes, size);
    i->bytes.count += size;
    return true;
}

/* The callback with which p5_core_load reads from an image. */
static bool take(void *context, void *bytes, size_t size)
{
    image *i = context;
    if (i->bytes.count - i->taken < size)
        return false;
    memcpy(bytes, i->bytes.items + i->taken, size);
    i->taken += size;
    return true;
}

p5_status memo_check_follow(p5_core *core, p5_error *error)
{
    image i = {0};
    p5_status status = p5_core_save(core, put, &i, error); /* what it has just loaded */
    if (status == P5_OK)
        status = p5_core_load(core->exact, take, &i, error);
    free(i.bytes.items);
    return status;
}
