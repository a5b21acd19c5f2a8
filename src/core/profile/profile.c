/* The profile's sites, what is counted for them, and collection. profile.h explains sites, contexts and
 * quantities. */
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/event/events.h"
#include "core/profile/profiler.h"

/* Doubles the number of slots, half of which are used at most. Returns false if memory runs out or the table is
 * full. */
bool key_grow(key_table *t)
{
    t->full = t->size / 2 >= PROFILE_MOST_KEYS;
    if (t->full)
        return false;
    size_t size = t->size ? 2 * t->size : 1024;
    key_slot *slots = calloc(size, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < t->size; i++) {
        if (t->slots[i].index == 0)
            continue;
        size_t at = key_hash(t->slots[i].a, t->slots[i].b) & (size - 1);
        while (slots[at].index != 0)
            at = (at + 1) & (size - 1);
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->size = size;
    return true;
}

/* ---- start and end ------------------------------------------------------------------------------------- */

static void observe_count(core_observer *o, uint32_t quantity, uint64_t increments, uint64_t asserted);
static void observe_asking(core_observer *o);
static void observe_miss(core_observer *o, uint32_t physical, bool code);

profiler *profile_open(p5_core *core, const profile_options *options)
{
    profiler *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->options = *options;
    p->options.functions = NULL;
    p->options.texts = NULL;
    p->directory = options->directory;
    p->sink.core = core;
    p->sink.observer =
        (core_observer){.counted = observe_count, .asks = observe_asking, .missed = observe_miss};
    p->expected = PROFILE_ELSEWHERE;
    p->sink.watched = options->sample_period > 0 ? options->sample_quantity : P5_PROFILE_NONE;
    p->interval_clocks = options->interval_clocks;
    /* if there is room for fewer than two, no intervals are recorded: dropping every second one would make no room */
    p->interval_at = options->most_intervals >= 2 ? core->now + options->interval_clocks : UINT64_MAX;
    if (options->function_count > 0) {
        p->functions = malloc(options->function_count * sizeof *p->functions);
        if (p->functions)
            memcpy(p->functions, options->functions, options->function_count * sizeof *p->functions);
    }
    if (options->text_count > 0) {
        p->texts = malloc(options->text_count * sizeof *p->texts);
        if (p->texts)
            memcpy(p->texts, options->texts, options->text_count * sizeof *p->texts);
    }
    bool fits = (p->functions || options->function_count == 0) && (p->texts || options->text_count == 0) &&
                array_reserve(&p->contexts.items, &p->contexts.capacity, 2, sizeof *p->contexts.items);
    if (!fits) {
        p->options.release = NULL; /* after an error, the caller still owns the symbols */
        profile_close(p);
        return NULL;
    }
    p->contexts.items[0] = p->contexts.items[1] = (profile_context){.parent = 1}; /* not used; the root */
    p->contexts.count = 2;
    return p;
}

void profile_begin(p5_core *core)
{
    profiler *p = core->profile;
    profile_set_context(core, 1); /* the root */
    memory_set_totals(core->memory, &p->scratch, NULL);
    memory_bus_taken(core->memory); /* forgets the bus clocks from before the profile began */
}

void profile_close(profiler *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->sites.count; i++) {
        free(p->sites.items[i].amounts.items);
        free(p->sites.items[i].own);
    }
    free(p->filled.items);
    free(p->sites.items);
    free(p->site_table.slots);
    free(p->cells.items);
    free(p->cell_table.slots);
    free(p->code.items);
    free(p->code_table.slots);
    free(p->contexts.items);
    free(p->edges.items);
    free(p->edge_table.slots);
    free(p->entry_table.slots);
    free(p->frames.items);
    free(p->samples.items);
    free(p->intervals.items);
    free(p->markers.items);
    free(p->sink.deltas.items);
    free(p->functions);
    free(p->texts);
    free(p->directories.items);
    if (p->options.release)
        p->options.release(p->options.symbols);
    free(p);
}

/* ---- sites --------------------------------------------------------------------------------------------- */

/* Returns the site of an instruction, and makes it if there is none. Returns NULL if memory runs out. */
profile_site *profile_site_of(profiler *p, uint32_t context, uint64_t address, unsigned cpl_class)
{
    if (p->last_site) {
        profile_site *last = &p->sites.items[p->last_site - 1];
        if (profile_is_site(last, context, address, cpl_class))
            return last;
    }
    uint32_t *index = key_find(&p->site_table, (uint64_t)context << 40 | address, cpl_class);
    if (!index)
        return NULL;
    if (*index == 0) {
        if (!ARRAY_ROOM(&p->sites)) {
            p->site_table.used--; /* key_find has counted the slot, but it stays free */
            return NULL;
        }
        p->sites.items[p->sites.count++] =
            (profile_site){.context = context, .address = address, .cpl_class = cpl_class};
        *index = (uint32_t)p->sites.count;
    }
    p->last_site = *index;
    return &p->sites.items[*index - 1];
}

void profile_amount_add(profiler *p, profile_site *site, uint32_t quantity, uint64_t increments,
                        uint64_t asserted)
{
    for (size_t i = 0; i < site->amounts.count; i++) {
        profile_amount *a = &site->amounts.items[i];
        if (a->quantity == quantity) {
            a->increments += increments;
            a->asserted += asserted;
            return;
        }
    }
    if (!ARRAY_ROOM(&site->amounts)) {
        p->out_of_memory = true;
        return;
    }
    site->amounts.items[site->amounts.count++] = (profile_amount){quantity, increments, asserted};
}

/* Adds deltas, each `times` times, to the sites of their instructions in a context at a privilege class. */
static void add_deltas(profiler *p, const profile_delta *deltas, size_t count, uint32_t context,
                       unsigned cpl_class, uint64_t times)
{
    for (size_t i = 0; i < count; i++) {
        profile_site *site = profile_site_of(p, context, deltas[i].address, cpl_class);
        if (site)
            profile_amount_add(p, site, deltas[i].quantity, times * deltas[i].increments,
                               times * deltas[i].asserted);
        else
            p->out_of_memory = true;
    }
}

/* ---- the exact path ------------------------------------------------------------------------------------ */

/* Counts a quantity for an instruction (core_observer.counted): adds to one of the last YOUNG entries, which keeps
 * the sink short because an instruction counts the same few quantities again and again (REP), or else makes an
 * entry. */
static void observe_count(core_observer *o, uint32_t quantity, uint64_t increments, uint64_t asserted)
{
    enum { YOUNG = 24 };
    profile_sink *sink = (profile_sink *)o;
    if ((int)quantity == sink->watched)
        sink->watched_count += increments;
    size_t oldest = sink->deltas.count > YOUNG ? sink->deltas.count - YOUNG : 0;
    uint64_t instruction = PROFILE_AT(sink->core->profile->space, o->instruction);
    for (size_t i = sink->deltas.count; i-- > oldest;) {
        profile_delta *d = &sink->deltas.items[i];
        if (d->quantity == quantity && d->address == instruction) {
            d->increments += increments;
            d->asserted += asserted;
            return;
        }
    }
    if (!ARRAY_ROOM(&sink->deltas)) {
        sink->out_of_memory = true;
        return;
    }
    sink->deltas.items[sink->deltas.count++] = (profile_delta){instruction, quantity, increments, asserted};
}

/* The instruction makes a lookup on the memory side, of code or data (core_observer.asks). */
static void observe_asking(core_observer *o)
{
    profile_asks(((profile_sink *)o)->core, o->instruction);
}

/* A data reference or a fetch missed its first-level cache (core_observer.missed). */
static void observe_miss(core_observer *o, uint32_t physical, bool code)
{
    profiler *p = ((profile_sink *)o)->core->profile;
    (code ? p->code_misses : p->data_misses)[cache_set(physical)]++;
}

core_observer *profile_observer(p5_core *core)
{
    return &core->profile->sink.observer;
}

bool profile_takes_samples(const p5_core *core)
{
    return core->profile->sink.watched != P5_PROFILE_NONE;
}

bool profile_is_looking(const p5_core *core)
{
    return core->profile->looking;
}

uint64_t profile_look_clock(const p5_core *core)
{
    return core->profile->look_clock;
}

/* Adds the deltas since the last commit to the sites of the current context and privilege class, and empties their
 * list. */
void profile_commit(p5_core *core)
{
    profiler *p = core->profile;
    add_deltas(p, p->sink.deltas.items, p->sink.deltas.count, p->context, core->cpl_class, 1);
    p->sink.deltas.count = 0;
}

/* ---- the memo ------------------------------------------------------------------------------------------ */

/* Makes the detail of a leaf: a copy of the deltas since the last commit, which must still be committed. Returns NULL
 * if memory runs out; the leaf is then not kept, so the profile stays complete. */
memo_detail *profile_detail(p5_core *core, arena *from)
{
    profiler *p = core->profile;
    size_t count = p->sink.deltas.count;
    memo_detail *d = arena_alloc(from, sizeof *d + count * sizeof d->deltas[0]);
    if (!d)
        return NULL;
    d->number = p->detail_count++;
    d->cell = d->cell_before = UINT32_MAX;
    d->count = (uint32_t)count;
    if (count)
        memcpy(d->deltas, p->sink.deltas.items, count * sizeof d->deltas[0]);
    d->next = p->details;
    p->details = d;
    return d;
}

/* Adds the leaf's uses since the last booking to its current cell; they are lost if it has none. `uses` is the leaf's
 * total number of uses (profile.h), not only the new ones. */
void profile_book(p5_core *core, memo_detail *d, const uint64_t *uses)
{
    profiler *p = core->profile;
    if (d->cell != UINT32_MAX) {
        profile_cell *cell = &p->cells.items[d->cell];
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
            cell->uses[class] += uses[class] - d->taken[class];
    }
    memcpy(d->taken, uses, sizeof d->taken);
}

/* Finds or makes the cell of the detail in the current context, for the uses that follow. Those so far must have been
 * booked. */
void profile_move(p5_core *core, memo_detail *d)
{
    profiler *p = core->profile;
    uint32_t to = d->cell_before;
    d->cell_before = d->cell;
    if (to != UINT32_MAX && p->cells.items[to].context == p->context) {
        d->cell = to; /* the leaf is used alternately in two contexts */
        return;
    }
    uint32_t *index = key_find(&p->cell_table, d->number, p->context);
    if (index && *index == 0) {
        if (ARRAY_ROOM(&p->cells)) {
            p->cells.items[p->cells.count++] = (profile_cell){.detail = d, .context = p->context};
            *index = (uint32_t)p->cells.count;
        } else {
            p->cell_table.used--;
            index = NULL;
        }
    }
    p->out_of_memory |= !index;
    d->cell = index ? *index - 1 : UINT32_MAX;
}

/* For each cell, adds what one use counts, times its number of uses, to the sites; then empties the cell. */
static void collect_cells(profiler *p)
{
    for (size_t i = 0; i < p->cells.count; i++) {
        profile_cell *cell = &p->cells.items[i];
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
            if (cell->uses[class])
                add_deltas(p, cell->detail->deltas, cell->detail->count, cell->context, class,
                           cell->uses[class]);
            cell->uses[class] = 0;
        }
    }
}

/* Adds the uses in cells to the sites and forgets details and cells. The memo calls it when it drops its leaves,
 * after it has booked all uses. */
void profile_forget(p5_core *core)
{
    profiler *p = core->profile;
    collect_cells(p);
    p->details = NULL;
    p->detail_count = 0;
    p->cells.count = 0;
    if (p->cell_table.size)
        memset(p->cell_table.slots, 0, p->cell_table.size * sizeof *p->cell_table.slots);
    p->cell_table.used = 0;
}

bool profile_is_complete(const p5_core *core)
{
    return !core->profile->out_of_memory && !core->profile->sink.out_of_memory;
}

bool profile_is_too_large(const p5_core *core)
{
    const profiler *p = core->profile;
    return p->site_table.full || p->cell_table.full || p->code_table.full || p->edge_table.full ||
           p->entry_table.full;
}

/* Adds to the sites what the memory side and the cells hold; deltas have been committed. Returns whether the profile
 * is complete. */
bool profile_sum_up(p5_core *core)
{
    profiler *p = core->profile;
    profile_gather_rest(core);
    profile_book_bus(p);
    collect_cells(p);
    return profile_is_complete(core);
}

void profile_end_moved(p5_core *core)
{
    if (core->profile)
        core->profile->options.moved = NULL;
}

const profile_options *profile_options_of(const p5_core *core)
{
    return &core->profile->options;
}

void profile_get_view(const p5_core *core, profile_view *view)
{
    const profiler *p = core->profile;
    *view = (profile_view){.sites = p->sites.items,
                           .site_count = p->sites.count,
                           .contexts = p->contexts.items,
                           .context_count = p->contexts.count,
                           .edges = p->edges.items,
                           .edge_count = p->edges.count,
                           .code = p->code.items,
                           .code_count = p->code.count,
                           .samples = p->samples.items,
                           .sample_count = p->samples.count,
                           .overflows = p->overflows,
                           .markers = p->markers.items,
                           .marker_count = p->markers.count,
                           .intervals = p->intervals.items,
                           .interval_count = p->intervals.count,
                           .data_misses = p->data_misses,
                           .code_misses = p->code_misses,
                           .directories = p->directories.items,
                           .directory_count = p->directories.count};
}
