/* Attributes what the memory side counts to the instructions that made the requests. Before each lookup that is no
 * simple hit, profile_asks sets the site for which the memory side counts next (profiler.asking). Most sites share
 * one object for these counts, profiler.scratch, which must be emptied whenever the site changes. A site with many
 * lookups gets an object of its own (profile_own), which is emptied only when totals are formed. */
#include <stdlib.h>

#include "core/event/events.h"
#include "core/profile/profile.h"
#include "core/profile/profiler.h"

/* Moves the counts of one event from `from` to the totals and to the site (NULL: none). */
static void move_event(p5_core *core, counts *from, profile_site *site, unsigned event)
{
    profiler *p = core->profile;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        uint64_t increments = from->increments[event][class], asserted = from->asserted[event][class];
        if ((increments | asserted) == 0)
            continue;
        from->increments[event][class] = from->asserted[event][class] = 0;
        core->memory_counts.increments[event][class] += increments;
        core->memory_counts.asserted[event][class] += asserted;
        if ((int)event == p->sink.watched)
            p->sink.watched_count += increments;
        if (site)
            profile_amount_add(p, site, event, increments, asserted);
    }
}

/* Moves counts to the totals and to the site, if any. Clocks in which the bus is in use belong to the
 * instruction that began the cycle and are counted as they pass; profile_book_bus books them. */
static void move_counts(p5_core *core, counts *from, profile_site *site)
{
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
        if (events_table[e].unit == P5_UNIT_MEMORY || events_table[e].unit == P5_UNIT_BUS)
            move_event(core, from, events_table[e].unit == P5_UNIT_MEMORY ? site : NULL, e);
}

/* Books what was counted for the site that made the last lookup: all of it, or only bus clocks if it has a
 * profile_own. */
static void book_last_lookup(p5_core *core)
{
    profiler *p = core->profile;
    uint64_t taken = memory_bus_taken(core->memory);
    if (p->own) {
        p->own->bus_clocks += taken;
        return;
    }
    profile_site *site = p->asking ? &p->sites.items[p->asking - 1] : NULL;
    if (site)
        site->bus_clocks += taken;
    move_counts(core, &p->scratch, site);
}

/* Returns a profile_own for a site (index plus 1), or NULL if memory is out. */
static profile_own *new_own(profiler *p, uint32_t site)
{
    profile_own *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->site = site;
    p->own_count++;
    return own;
}

/* Counts a lookup of the site. Returns whether it has made so many that it gets a profile_own. */
static bool wants_own(const profiler *p, profile_site *site)
{
    site->lookups += site->lookups < PROFILE_OFTEN;
    return site->lookups == PROFILE_OFTEN && p->own_count < PROFILE_MOST_OFTEN;
}

/* Returns the profile_own of a site (`number`: index plus 1), and makes it if it is time. Returns NULL if it has
 * none, or if counts must be booked at once because samples watch a total. */
static profile_own *own_of(profiler *p, profile_site *site, uint32_t number)
{
    if (p->looking)
        return NULL;
    if (!site->own && wants_own(p, site))
        site->own = new_own(p, number);
    if (site->own && !site->own->filled) {
        if (!ARRAY_ROOM(&p->filled))
            return NULL; /* booked at once */
        p->filled.items[p->filled.count++] = site->own;
        site->own->filled = true;
    }
    return site->own;
}

/* Makes the memory side count in `own`, or in `scratch` if that is NULL. */
static void count_for(p5_core *core, profile_own *own)
{
    profiler *p = core->profile;
    p->own = own;
    memory_set_totals(core->memory, own ? &own->counts : &p->scratch, own ? own->uses : NULL);
}

/* Returns the element of profiler.recent for a site: a hash. */
static uint32_t recent_slot(uint32_t context, uint64_t address)
{
    return (uint32_t)(address ^ address >> 8 ^ context * 37) % PROFILE_RECENT;
}

/* Attributes what the memory side counts from now on to the instruction at `linear`. */
void profile_asks(p5_core *core, uint32_t linear)
{
    profiler *p = core->profile;
    uint64_t instruction = PROFILE_AT(p->space, linear);
    if (p->asking) {
        profile_site *site = &p->sites.items[p->asking - 1];
        const bool same = profile_is_site(site, p->context, instruction, core->cpl_class);
        if (same && (p->own || p->looking || !wants_own(p, site)))
            return;
    }
    book_last_lookup(core);
    uint32_t *recent = &p->recent[recent_slot(p->context, instruction)];
    profile_site *site = *recent ? &p->sites.items[*recent - 1] : NULL;
    if (!site || !profile_is_site(site, p->context, instruction, core->cpl_class)) {
        site = profile_site_of(p, p->context, instruction, core->cpl_class);
        *recent = p->last_site;
    }
    p->asking = site ? (uint32_t)(site - p->sites.items) + 1 : 0;
    count_for(core, site ? own_of(p, site, p->asking) : NULL);
}

/* Moves what the memory side has counted for sites to the totals and the sites. */
void profile_gather(p5_core *core)
{
    profiler *p = core->profile;
    book_last_lookup(core);
    for (size_t i = 0; i < p->filled.count; i++) {
        profile_own *own = p->filled.items[i];
        profile_site *site = &p->sites.items[own->site - 1];
        memory_fold_uses(own->uses, &own->counts, site->cpl_class);
        move_counts(core, &own->counts, site);
        site->bus_clocks += own->bus_clocks;
        own->bus_clocks = 0;
        own->filled = false;
    }
    p->filled.count = 0;
    p->asking = 0;
    count_for(core, NULL);
}

/* Calls profile_gather, and moves the counts that belong to no site to the totals. */
void profile_gather_rest(p5_core *core)
{
    profile_gather(core);
    for (unsigned event = 0; event < P5_EVENT_COUNT; event++)
        move_event(core, &core->profile->scratch, NULL, event);
}

void profile_book_bus(profiler *p)
{
    for (size_t i = 0; i < p->sites.count; i++) {
        profile_site *site = &p->sites.items[i];
        if (site->bus_clocks == 0)
            continue;
        profile_amount_add(p, site, P5_EVENT_BUS_CYCLE_DURATION, site->bus_clocks, site->bus_clocks);
        profile_amount_add(p, site, P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY, site->bus_clocks,
                           site->bus_clocks);
        site->bus_clocks = 0;
    }
}
