/* Regions of --roi: an observer of the machine sees where they begin and end, and the counts in between are added
 * up. */
#include "cli/region.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_values.h"
#include "p5scope/observe.h"

/* Parses one --roi. Returns false after a message. */
static bool parse_part(region_part *part, const char *text, const char *path)
{
    const char *comma = place_comma(text);
    *part = (region_part){.text = text};
    if (comma == NULL) {
        if (!bound_option("--roi", text, path, &part->from))
            return false;
        if (part->from.kind == P5_BOUND_BEGIN)
            part->to = (p5_bound){.kind = P5_BOUND_END, .at = part->from.at};
        if (part->from.kind == P5_BOUND_ADDRESS || part->from.kind == P5_BOUND_BEGIN)
            return true;
        return cli_refuse("--roi", text, 1, "--roi needs FROM,TO or a function");
    }
    char *first = strndup(text, (size_t)(comma - text));
    bool good = first != NULL && bound_option("--roi", first, path, &part->from) &&
                end_option("--roi", comma + 1, path, &part->to);
    free(first);
    return good && bounds_in_order(&part->from, &part->to, "--roi", text, (unsigned)(comma - text) + 2);
}

bool region_add(region *r, const char *text, const char *path)
{
    if (r->count == REGION_MOST_PARTS)
        return cli_refuse("--roi", text, 1, "more than %d regions", REGION_MOST_PARTS);
    size_t length = strlen(r->text);
    snprintf(r->text + length, sizeof r->text - length, "%s%s", length > 0 ? " and " : "", text);
    return parse_part(&r->parts[r->count++], text, path);
}

/* Stores the machine's totals. */
static void read_totals(p5_machine *machine, p5_stat_run *run)
{
    p5_machine_counts(machine, &run->counts);
    run->instructions = p5_machine_instructions(machine);
    run->clock = p5_machine_clock(machine);
    run->permissive = p5_machine_permissive_count(machine);
}

/* Begins part number `index`. Counting begins unless another part is active. The point of a relative end is set
 * now, or by region_begin if the observer is not open yet. */
static void begin(region *r, size_t index, p5_machine *machine)
{
    const p5_bound *to = &r->parts[index].to;
    r->parts[index].times++;
    if (to->relative && r->observer != NULL) {
        const p5_point end = p5_bound_point(to, p5_machine_clock(machine), p5_machine_instructions(machine));
        p5_observer_point(r->observer, 2 * index + 1, &end);
    }
    if (r->inside++ > 0)
        return;
    read_totals(machine, &r->before);
    r->times++;
    if (r->turned != NULL)
        r->turned(r->context, machine, true);
}

/* Ends a part. Counting ends with the last active one. */
static void end(region *r, p5_machine *machine)
{
    if (--r->inside > 0)
        return;
    p5_stat_run now;
    read_totals(machine, &now);
    p5_counts_add(&r->counted.counts, &now.counts);
    p5_counts_subtract(&r->counted.counts, &r->before.counts);
    r->counted.instructions += now.instructions - r->before.instructions;
    r->counted.clock += now.clock - r->before.clock;
    r->counted.permissive += now.permissive - r->before.permissive;
    if (r->turned != NULL)
        r->turned(r->context, machine, false);
}

/* Returns true if the region extends from one execution of a place to the next execution of the same place. */
static bool same_place(const region_part *part)
{
    return part->from.kind == part->to.kind && part->from.at == part->to.at;
}

/* Handles an observation for a part that is a function: it is active from the outermost call to its return. */
static void observed_function(region *r, size_t index, p5_machine *machine, const p5_observation *o)
{
    region_part *part = &r->parts[index];
    if (o->kind == P5_OBSERVE_ENTRY && o->address == part->from.at) {
        if (part->depth++ == 0)
            begin(r, index, machine);
    } else if (o->kind == P5_OBSERVE_EXIT && r->addresses[o->number] == part->from.at && part->depth > 0 &&
               --part->depth == 0) {
        end(r, machine);
    }
}

/* Handles an observation for a part FROM,TO. */
static void observed_part(region *r, size_t index, p5_machine *machine, const p5_observation *o)
{
    region_part *part = &r->parts[index];
    /* The points of part n have the numbers 2n (from) and 2n + 1 (to). */
    bool from = p5_bound_is_here(&part->from, o, 2 * (uint32_t)index);
    bool to = p5_bound_is_here(&part->to, o, 2 * (uint32_t)index + 1);
    if (part->over)
        return;
    if (part->depth == 0 && from) {
        part->depth = 1;
        begin(r, index, machine);
    } else if (part->depth == 1 && (to || (from && same_place(part)))) {
        end(r, machine);
        part->depth = 0;
        part->over = !p5_bound_is_marker(&part->from) && !p5_bound_is_marker(&part->to);
    } else if (to && o->kind == P5_OBSERVE_POINT) {
        part->over = true; /* the end came before the beginning and does not come again */
    }
}

/* The observer's callback. */
static void observed(void *context, p5_machine *machine, const p5_observation *o)
{
    region *r = context;
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].to.kind == P5_BOUND_NONE)
            observed_function(r, i, machine, o);
        else
            observed_part(r, i, machine, o);
}

/* Opens the observer for all parts. A part that begins at clock or instruction 0 begins here. Returns false after a
 * message. */
bool region_begin(region *r, p5_machine *machine)
{
    p5_point points[2 * REGION_MOST_PARTS];
    p5_observe_options options = {.size = sizeof options,
                                  .points = points,
                                  .point_count = 2 * r->count,
                                  .addresses = r->addresses,
                                  .address_count = 2 * r->count,
                                  .observed = observed,
                                  .context = r};
    p5_error error = {0};
    r->inside = 0;
    r->times = 0;
    r->turned = NULL;
    r->observer = NULL;
    memset(&r->counted, 0, sizeof r->counted);
    for (size_t i = 0; i < 2 * r->count; i++) {
        region_part *part = &r->parts[i / 2];
        const p5_bound *bound = i % 2 == 0 ? &part->from : &part->to;
        if (i % 2 == 0) {
            part->depth = 0;
            part->times = 0;
            part->over = false;
        }
        points[i] = (p5_point){.at = UINT64_MAX}; /* never reached */
        r->addresses[i] = UINT32_MAX;             /* no place */
        if (bound->kind == P5_BOUND_ADDRESS)
            r->addresses[i] = (uint32_t)bound->at;
        else if (p5_bound_is_marker(bound))
            options.markers = true;
        else if (!bound->relative || part->depth > 0)
            points[i] = p5_bound_point(bound, p5_machine_clock(machine), p5_machine_instructions(machine));
        if (i % 2 == 0 && bound->kind != P5_BOUND_ADDRESS && !p5_bound_is_marker(bound) && bound->at == 0) {
            part->depth = 1; /* from the very beginning: no boundary comes before the first instruction */
            begin(r, i / 2, machine);
        }
    }
    if (p5_machine_observe(machine, &options, &r->observer, &error) == P5_OK)
        return true;
    return cli_refuse_error(&error, "--roi", r->text, NULL);
}

bool region_missed(const region *r, char *text, size_t size)
{
    for (size_t i = 0; i < r->count; i++) {
        const region_part *part = &r->parts[i];
        bool open = part->depth > 0 && part->to.kind != P5_BOUND_NONE;
        if (part->times > 0 && !open)
            continue;
        snprintf(text, size, "--roi %s: the guest never came %s", part->text,
                 part->times == 0 ? "there" : "to the end of the region");
        return true;
    }
    return false;
}

bool region_is_over(const region *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->parts[i].over)
            return false;
    return true;
}

/* Ends parts that are still active, and stores what was counted in *run, except its host_ members. */
void region_end(region *r, p5_machine *machine, p5_stat_run *run)
{
    r->open = r->inside > 0;
    if (r->open) {
        r->inside = 1; /* ends all active parts at once */
        end(r, machine);
    }
    double seconds = run->host_seconds;
    uint64_t instructions = run->host_instructions;
    *run = r->counted;
    run->host_seconds = seconds;
    run->host_instructions = instructions;
    if (r->times == 0)
        fprintf(stderr, "p5scope: --roi %s: the guest did not reach it; nothing was counted\n", r->text);
}
