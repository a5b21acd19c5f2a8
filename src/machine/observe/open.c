/* Opening and closing observers. */
#include "machine/observe/observe_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"

static void free_observer(p5_observer *o)
{
    free(o->points);
    free(o->addresses);
    free(o->watches);
    free(o->stretch_before);
    free(o->frames.items);
    free(o);
}

void observers_free(p5_machine *machine)
{
    observers *all = machine->observers;
    if (all == NULL)
        return;
    for (p5_observer *o = all->first, *next; o != NULL; o = next) {
        next = o->next;
        free_observer(o);
    }
    free(all->cuts);
    free(all);
    machine->observers = NULL;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return ARRAY_ORDER(x, y);
}

/* Returns an allocated copy of an array, which is not NULL even for 0 items; NULL if memory runs out. */
static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy != NULL && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

/* Makes the engine begin a new stretch at each address that an observer watches (a cut). Must be called between
 * runs. After an error, the old cuts stay. */
static p5_status set_cuts(p5_machine *machine, p5_error *error)
{
    observers *all = machine->observers;
    size_t count = 0;
    for (const p5_observer *o = all->first; o != NULL; o = o->next)
        count += o->options.address_count;
    if (count > P5_OBSERVE_ADDRESSES)
        return error_set(error, P5_ERR_RANGE, "all observers together are limited to %d addresses",
                         P5_OBSERVE_ADDRESSES);
    uint32_t *cuts = malloc((count + 1) * sizeof *cuts);
    if (cuts == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
    count = 0;
    for (const p5_observer *o = all->first; o != NULL; o = o->next)
        for (size_t i = 0; i < o->options.address_count; i++)
            cuts[count++] = o->addresses[i];
    qsort(cuts, count, sizeof *cuts, ascending);
    engine_set_cuts(machine->engine, cuts, count);
    free(all->cuts);
    all->cuts = cuts;
    all->cut_count = count;
    return P5_OK;
}

/* Frees what no observer and no cut needs. */
static void free_unused(p5_machine *machine)
{
    const observers *all = machine->observers;
    if (all != NULL && all->first == NULL && all->cut_count == 0)
        observers_free(machine);
}

void observers_sweep(p5_machine *machine)
{
    observers *all = machine->observers;
    if (all == NULL || !(all->some_closed || all->cuts_stay))
        return;
    for (p5_observer **at = &all->first; *at != NULL;) {
        p5_observer *o = *at;
        if (o->machine != NULL) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        free_observer(o);
    }
    all->some_closed = false;
    observe_goals(all, machine);
    /* After an error, no observer matches the old cuts. */
    all->cuts_stay = machine->running || set_cuts(machine, NULL) != P5_OK;
    free_unused(machine);
}

/* Copies event `i` of the options, whose elements may have the size of another version. */
static p5_status take_watch(const p5_observe_options *options, size_t i, p5_event_watch *taken,
                            p5_error *error)
{
    return SIZED_COPY_IN(p5_event_watch, taken, (const p5_event_watch *)sized_at(options->events, i), error);
}

static p5_status check_options(const p5_machine *machine, const p5_observe_options *options, p5_error *error)
{
    if (machine->engine == NULL)
        return error_set(error, P5_ERR_STATE, "the machine has no guest to observe");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "open observers between runs, not in a callback");
    if ((options->points == NULL && options->point_count != 0) ||
        (options->addresses == NULL && options->address_count != 0) ||
        (options->events == NULL && options->event_count != 0))
        return error_set(error, P5_ERR_RANGE,
                         "an array of p5_observe_options is NULL, but its count is not 0");
    for (size_t i = 0; i < options->event_count; i++) {
        p5_event_watch taken;
        p5_status status = take_watch(options, i, &taken, error);
        if (status != P5_OK)
            return status;
        const p5_event_watch *w = &taken;
        if ((unsigned)w->event >= P5_EVENT_COUNT || w->cpl_mask > P5_CPL_MASK_ALL || w->every == 0)
            return error_set(error, P5_ERR_RANGE,
                             "event %zu of the observation: needs a valid event, a CPL mask of 0 to %d, and "
                             "every >= 1",
                             i, P5_CPL_MASK_ALL);
    }
    return P5_OK;
}

/* Makes an observer that begins at the current clock and counts. Returns NULL if memory runs out. */
static p5_observer *make_observer(p5_machine *machine, const p5_observe_options *options)
{
    p5_observer *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    o->machine = machine;
    o->options = *options;
    o->points = copy_of(options->points, options->point_count, sizeof *o->points);
    o->addresses = copy_of(options->addresses, options->address_count, sizeof *o->addresses);
    o->watches = calloc(options->event_count + 1, sizeof *o->watches);
    bool counts = options->retired != NULL && options->stretch_counts;
    o->stretch_before = counts ? malloc(sizeof *o->stretch_before) : NULL;
    if (o->points == NULL || o->addresses == NULL || o->watches == NULL ||
        (counts && o->stretch_before == NULL)) {
        free_observer(o);
        return NULL;
    }
    uint64_t clock = o->stretch_clock = p5_machine_clock(machine);
    if (counts)
        p5_machine_counts(machine, o->stretch_before);
    for (size_t i = 0; i < options->event_count; i++) {
        take_watch(options, i, &o->watches[i].what, NULL); /* checked before */
        observe_watch(&o->watches[i], observe_total(o, &o->watches[i]), clock);
    }
    observe_intervals(o);
    observe_own_goals(o);
    return o;
}

p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_observer **observer,
                             p5_error *error)
{
    if (observer != NULL)
        *observer = NULL;
    p5_observe_options own;
    p5_status status = SIZED_COPY_IN(p5_observe_options, &own, options, error);
    if (status == P5_OK)
        status = check_options(machine, &own, error);
    if (status != P5_OK)
        return status;
    if (machine->observers == NULL)
        machine->observers = calloc(1, sizeof *machine->observers);
    observers *all = machine->observers;
    p5_observer *o = all != NULL ? make_observer(machine, &own) : NULL;
    if (o == NULL) {
        free_unused(machine);
        return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
    }
    /* Append it to the list, because observers are notified in the order of opening. */
    p5_observer **last = &all->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = o;
    status = set_cuts(machine, error);
    if (status != P5_OK) {
        p5_observer_close(o);
        return status;
    }
    all->most = bound_of_model(machine->model);
    observe_goals(all, machine);
    if (o->options.address_count > 0) /* the next instruction may be the first of a watched function */
        observe_arrive(machine, observe_linear_eip(machine->engine), engine_cpl(machine->engine), 0, false);
    if (observer != NULL)
        *observer = o;
    return P5_OK;
}

/* Marks the observer as closed, because a callback may close it while the list is walked. observers_sweep frees it. */
void p5_observer_close(p5_observer *observer)
{
    if (observer == NULL || observer->machine == NULL)
        return;
    p5_machine *machine = observer->machine;
    observer->machine = NULL;
    observer->options = (p5_observe_options){0};
    observer->interval_clock = observer->interval_instruction = UINT64_MAX;
    observer->frames.count = 0;
    observer->arrived = false;
    observe_own_goals(observer);
    machine->observers->some_closed = true;
    /* The next stretch must reach observers_retired, which sweeps. */
    machine->horizon = (observe_horizon){0};
    if (!machine->running)
        observers_sweep(machine);
}

void p5_observer_point(p5_observer *observer, size_t number, const p5_point *point)
{
    if (observer->machine == NULL || number >= observer->options.point_count)
        return;
    observer->points[number] = *point;
    observe_own_goals(observer);
    observe_goals(observer->machine->observers, observer->machine);
}

void p5_observer_every(p5_observer *observer, uint64_t clocks, uint64_t instructions)
{
    if (observer->machine == NULL)
        return;
    observer->options.every_clocks = clocks;
    observer->options.every_instructions = instructions;
    observe_intervals(observer);
    observe_own_goals(observer);
    observe_goals(observer->machine->observers, observer->machine);
}
