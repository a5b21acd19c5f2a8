#include "cli/region.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/interval_option.h"
#include "p5scope/observe.h"

enum { NUMBER_FROM, NUMBER_TO }; /* of points and addresses */

bool region_parse(region *r, const char *text, const char *path)
{
    const char *comma = strchr(text, ',');
    *r = (region){.text = text};
    if (comma == NULL) {
        if (!bound_option("--roi", text, path, &r->from))
            return false;
        if (r->from.kind == P5_BOUND_ADDRESS)
            return true;
        cli_complain("--roi", text, 1, "where does the region end? FROM,TO or one function");
        return false;
    }
    char *first = strndup(text, (size_t)(comma - text));
    bool good = first != NULL && bound_option("--roi", first, path, &r->from) &&
                bound_option("--roi", comma + 1, path, &r->to);
    free(first);
    return good && bounds_in_order(&r->from, &r->to, "--roi", text, (unsigned)(comma - text) + 2);
}

static void look(p5_machine *machine, p5_stat_run *run)
{
    p5_machine_counts(machine, &run->counts);
    run->instructions = p5_machine_instructions(machine);
    run->clock = p5_machine_clock(machine);
    run->permissive = p5_machine_permissive_count(machine);
}

static void begin(region *r, p5_machine *machine)
{
    look(machine, &r->before);
    r->times++;
    if (r->turned != NULL)
        r->turned(r->context, machine, true);
}

static void end(region *r, p5_machine *machine)
{
    p5_stat_run now;
    look(machine, &now);
    p5_counts_add(&r->counted.counts, &now.counts);
    p5_counts_subtract(&r->counted.counts, &r->before.counts);
    r->counted.instructions += now.instructions - r->before.instructions;
    r->counted.clock += now.clock - r->before.clock;
    r->counted.permissive += now.permissive - r->before.permissive;
    if (r->turned != NULL)
        r->turned(r->context, machine, false);
}

/* From one time that control comes there to the next. */
static bool same_place(const region *r)
{
    return r->from.kind == r->to.kind && r->from.at == r->to.at;
}

static void observed(void *context, p5_machine *machine, const p5_observation *o)
{
    region *r = context;
    bool function = r->to.kind == P5_BOUND_NONE;
    if (r->over)
        return;
    if (function && o->kind == P5_OBSERVE_ENTRY) {
        if (r->depth++ == 0)
            begin(r, machine);
    } else if (function) {
        if (r->depth > 0 && --r->depth == 0)
            end(r, machine);
    } else if (o->kind == P5_OBSERVE_EXIT) {
        ; /* only entries are places */
    } else if (o->number == NUMBER_FROM && r->depth == 0) {
        r->depth = 1;
        begin(r, machine);
    } else if (r->depth == 1 && (o->number == NUMBER_TO || same_place(r))) {
        end(r, machine);
        r->depth = 0;
        r->over = true;
    } else if (o->number == NUMBER_TO && o->kind == P5_OBSERVE_POINT) {
        r->over = true; /* the end has come before the beginning, and does not come again */
    }
}

bool region_begin(region *r, p5_machine *machine)
{
    /* Points and addresses are numbered alike, whichever of the two are which. */
    p5_point points[2];
    uint32_t addresses[2];
    const p5_bound *bounds[2] = {&r->from, &r->to};
    p5_observe_options options = {
        .size = sizeof options, .points = points, .addresses = addresses, .observed = observed, .context = r};
    p5_error error = {0};
    r->depth = 0;
    r->times = 0;
    r->over = false;
    r->turned = NULL;
    memset(&r->counted, 0, sizeof r->counted);
    for (unsigned i = NUMBER_FROM; i <= NUMBER_TO; i++) {
        points[i] = (p5_point){.at = UINT64_MAX};
        addresses[i] = UINT32_MAX;
        if (bounds[i]->kind == P5_BOUND_ADDRESS)
            addresses[i] = (uint32_t)bounds[i]->at;
        else if (bounds[i]->kind != P5_BOUND_NONE)
            points[i] = (p5_point){bounds[i]->kind == P5_BOUND_INSTRUCTION, bounds[i]->at};
    }
    options.point_count = 2;
    options.address_count = 2;
    if (r->to.kind != P5_BOUND_NONE && r->from.kind != P5_BOUND_ADDRESS && r->from.at == 0) {
        r->depth = 1; /* from the very beginning: no boundary comes before the first instruction */
        begin(r, machine);
    }
    if (p5_machine_observe(machine, &options, NULL, &error) == P5_OK)
        return true;
    cli_show_error(&error, "--roi", r->text, NULL);
    return false;
}

void region_end(region *r, p5_machine *machine, p5_stat_run *run)
{
    if (r->depth > 0)
        end(r, machine); /* the guest ended within it */
    double seconds = run->host_seconds;
    uint64_t instructions = run->host_instructions;
    *run = r->counted;
    run->host_seconds = seconds;
    run->host_instructions = instructions;
    if (r->times == 0)
        fprintf(stderr, "p5scope: --roi %s: the guest never came there; nothing was counted\n", r->text);
}
