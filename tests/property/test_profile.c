/* Laws of the exact profile on random guests. Making it changes no count. The memo and the exact path give the same
 * profile, instruction by instruction and context by context, also if the memo is dropped all the time or gets batches.
 * The costs of instructions add up to the totals. Arguments: guests per board, and the first one's number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/core/retire_blocks.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/profile/profile.h"
#include "core/model/model.h"
#include "p5scope/model.h"
#include "random_core.h"
#include "random_model.h"

enum {
    STRETCHES = 1200,
    LONG = 5 * STRETCHES, /* long enough for periods within which the memo answers */
    SAMPLES = 2000,
    LONGEST_PERIOD = 50,
    BATCH = 16,
    REFERENCES = 128,
    FUNCTIONS = 12,
    FUNCTION_BYTES = 0x40
};

/* Stretches that have been put off. */
typedef struct batch {
    p5_retired_block stretches[BATCH];
    p5_access accesses[BATCH * REFERENCES];
    p5_value values[BATCH * REFERENCES];
    unsigned count, access_count, value_count;
} batch;

typedef struct recording {
    size_t budget;     /* of the memo */
    uint64_t interval; /* clocks */
    batch *batch;      /* NULL: every stretch is fed by itself */
    profile_edge *edges;
    size_t edge_count;
    profile_interval *intervals;
    size_t interval_count;
    unsigned stretches;
    int sampled; /* quantity; P5_PROFILE_NONE: no samples */
    uint64_t period;
    uint32_t latency;
    profile_sample *samples;
    size_t sample_count;
    uint64_t overflows;
    profile_site *sites; /* sorted; the amounts too */
    size_t count;
    uint64_t sum[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES], asserted[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES];
    p5_counts totals;
} recording;

static int by_quantity(const void *a, const void *b)
{
    uint32_t x = ((const profile_amount *)a)->quantity, y = ((const profile_amount *)b)->quantity;
    return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    const profile_site *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->cpl_class > y->cpl_class) - (x->cpl_class < y->cpl_class);
}

static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (!copy)
        abort();
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

/* Every second piece of the code is a function. */
static void begin(void *context, p5_core *core)
{
    const recording *r = context;
    core->memo.budget = r->budget;
    profile_range functions[FUNCTIONS];
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        functions[i] = (profile_range){RANDOM_CORE_CODE + 2 * i * FUNCTION_BYTES,
                                       RANDOM_CORE_CODE + (2 * i + 1) * FUNCTION_BYTES};
    const profile_options options = {.functions = functions,
                                     .function_count = FUNCTIONS,
                                     .interval_clocks = r->interval,
                                     .most_intervals = r->interval ? 16 : 0,
                                     .sample_quantity = r->sampled,
                                     .sample_period = r->period,
                                     .sample_latency = r->latency,
                                     .most_samples = SAMPLES};
    if (!profile_start(core, &options))
        abort();
}

static void settle(void *context, p5_core *core)
{
    batch *b = ((recording *)context)->batch;
    retire_blocks(core, b->accesses, b->values, b->stretches, b->count);
    b->count = b->access_count = b->value_count = 0;
}

static void put_off(void *context, p5_core *core, const p5_retired *r)
{
    batch *b = ((recording *)context)->batch;
    if (r->unsafe_x87) {
        settle(context, core);
        if (p5_core_retire(core, r) != P5_OK)
            abort();
        return;
    }
    memcpy(b->accesses + b->access_count, r->accesses, r->access_count * sizeof *r->accesses);
    memcpy(b->values + b->value_count, r->values, r->value_count * sizeof *r->values);
    b->access_count += r->access_count;
    b->value_count += r->value_count;
    b->stretches[b->count++] = (p5_retired_block){.block = r->block,
                                                  .accesses_end = b->accesses + b->access_count,
                                                  .values_end = b->values + b->value_count,
                                                  .next = r->next,
                                                  .cpl = r->cpl,
                                                  .cpl_after = r->cpl_after,
                                                  .mode = r->mode,
                                                  .iopl = r->iopl};
    if (b->count == BATCH)
        settle(context, core);
}

static void end(void *context, p5_core *core)
{
    recording *r = context;
    if (!profile_collect(core))
        abort();
    profile_view view;
    profile_get_view(core, &view);
    r->edge_count = view.edge_count;
    r->edges = copy_of(view.edges, view.edge_count, sizeof *r->edges);
    r->interval_count = view.interval_count;
    r->intervals = copy_of(view.intervals, view.interval_count, sizeof *r->intervals);
    r->sample_count = view.sample_count;
    r->overflows = view.overflows;
    r->samples = copy_of(view.samples, view.sample_count, sizeof *r->samples);
    r->count = view.site_count;
    r->sites = calloc(view.site_count + 1, sizeof *r->sites);
    if (!r->sites)
        abort();
    for (size_t i = 0; i < view.site_count; i++) {
        profile_site *to = &r->sites[i];
        *to = view.sites[i];
        to->amounts.items = copy_of(to->amounts.items, to->amounts.count, sizeof *to->amounts.items);
        qsort(to->amounts.items, to->amounts.count, sizeof *to->amounts.items, by_quantity);
        for (size_t j = 0; j < to->amounts.count; j++) {
            r->sum[to->amounts.items[j].quantity][to->cpl_class] += to->amounts.items[j].increments;
            r->asserted[to->amounts.items[j].quantity][to->cpl_class] += to->amounts.items[j].asserted;
        }
    }
    qsort(r->sites, r->count, sizeof *r->sites, by_place);
}

/* Records a profile with the options that `r` already has. */
static void record(recording *r, const p5_model *model, bool memo_on, uint64_t seed)
{
    batch *in = r->batch;
    const random_core_observer observer = {.begin = begin,
                                           .end = end,
                                           .retire = in ? put_off : NULL,
                                           .settle = in ? settle : NULL,
                                           .context = r};
    random_core_watch(model, memo_on, seed, r->stretches, &r->totals, &observer);
}

/* Returns the options of a recording without samples. */
static recording unsampled(size_t budget, uint64_t interval, batch *in)
{
    return (recording){.budget = budget,
                       .interval = interval,
                       .batch = in,
                       .stretches = STRETCHES,
                       .sampled = P5_PROFILE_NONE};
}

/* Returns the options of a recording that samples after every `period` counts of a quantity. The seed selects the
 * quantity and the latency. */
static recording sampling(uint64_t seed, unsigned stretches, uint64_t period, batch *in)
{
    static const int sampled[] = {P5_PROFILE_CLOCKS,
                                  P5_EVENT_DATA_READ_OR_WRITE,
                                  P5_EVENT_BUS_CYCLE_DURATION,
                                  P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE,
                                  P5_EVENT_INSTRUCTIONS_EXECUTED,
                                  P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS,
                                  P5_PROFILE_STALLS + P5_STALL_ISSUE,
                                  P5_PROFILE_EXECUTIONS};
    return (recording){.budget = SIZE_MAX,
                       .batch = in,
                       .stretches = stretches,
                       .sampled = sampled[seed % (sizeof sampled / sizeof *sampled)],
                       .latency = seed % 4,
                       .period = period};
}

static void forget(recording *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->sites[i].amounts.items);
    free(r->sites);
    free(r->edges);
    free(r->intervals);
    free(r->samples);
}

/* ---- laws ---- */

static bool same_site(const profile_site *x, const profile_site *y)
{
    if (by_place(x, y) != 0 || x->amounts.count != y->amounts.count)
        return false;
    for (size_t i = 0; i < x->amounts.count; i++) {
        const profile_amount *a = &x->amounts.items[i], *b = &y->amounts.items[i];
        if (a->quantity != b->quantity || a->increments != b->increments || a->asserted != b->asserted)
            return false;
    }
    return true;
}

static void print_site(const profile_site *x)
{
    printf("%08" PRIx64 " in context %u, class %u:", x->address, x->context, x->cpl_class);
    for (size_t i = 0; i < x->amounts.count; i++)
        printf(" %u:%" PRIu64 "/%" PRIu64, x->amounts.items[i].quantity, x->amounts.items[i].increments,
               x->amounts.items[i].asserted);
    printf("\n");
}

static bool same_profile(const recording *a, const recording *b)
{
    size_t n = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < n; i++) {
        if (same_site(&a->sites[i], &b->sites[i]))
            continue;
        printf("the profiles differ:\n");
        print_site(&a->sites[i]);
        print_site(&b->sites[i]);
        return false;
    }
    if (a->count != b->count)
        printf("profiles of %zu and %zu sites\n", a->count, b->count);
    bool same_edges = a->edge_count == b->edge_count;
    for (size_t i = 0; i < a->edge_count && same_edges; i++) {
        const profile_edge *x = &a->edges[i], *y = &b->edges[i];
        same_edges = x->from == y->from && x->call_site == y->call_site && x->function == y->function &&
                     x->to == y->to && x->calls == y->calls;
    }
    if (!same_edges)
        printf("other calls\n");
    return a->count == b->count && same_edges;
}

static bool same_intervals(const recording *a, const recording *b)
{
    bool same = a->interval_count == b->interval_count;
    for (size_t i = 0; i < a->interval_count && same; i++)
        same = a->intervals[i].clock == b->intervals[i].clock &&
               memcmp(a->intervals[i].totals, b->intervals[i].totals, sizeof a->intervals[i].totals) == 0;
    if (!same)
        printf("other totals over time\n");
    return same;
}

static bool same_samples(const recording *a, const recording *b)
{
    if (a->sample_count != b->sample_count || a->overflows != b->overflows) {
        printf("%zu and %zu samples, %" PRIu64 " and %" PRIu64 " overflows\n", a->sample_count,
               b->sample_count, a->overflows, b->overflows);
        return false;
    }
    for (size_t i = 0; i < a->sample_count; i++) {
        const profile_sample *x = &a->samples[i], *y = &b->samples[i];
        if (x->address == y->address && x->context == y->context && x->clock == y->clock)
            continue;
        printf("sample %zu: %08" PRIx64 " in context %u at clock %" PRIu64 ", %08" PRIx64
               " in context %u at clock %" PRIu64 "\n",
               i, x->address, x->context, x->clock, y->address, y->context, y->clock);
        return false;
    }
    return true;
}

static bool of_the_bus(unsigned event)
{
    return event == P5_EVENT_BUS_CYCLE_DURATION ||
           event == P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY;
}

/* Events that are not all due to instructions: another master does something. */
static bool of_the_board(unsigned event)
{
    return event == P5_EVENT_EXTERNAL_SNOOPS || event == P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS ||
           event == P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK || event == P5_EVENT_BUS_OWNERSHIP_TRANSFERS ||
           event == P5_EVENT_BUS_OWNERSHIP_LATENCY || event == P5_EVENT_CACHE_LINE_SHARING ||
           event == P5_EVENT_CACHE_M_STATE_LINE_SHARING;
}

static bool adds_up(const recording *r, bool other_master)
{
    unsigned wrong = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        uint64_t clocks = 0;
        for (unsigned s = 0; s < P5_STALL_COUNT; s++) {
            clocks += r->sum[P5_PROFILE_STALLS + s][class];
            wrong += r->sum[P5_PROFILE_STALLS + s][class] != r->totals.stalls[s][class];
        }
        wrong += clocks != r->totals.clocks[class];
        if (clocks != r->totals.clocks[class])
            printf("class %u: %" PRIu64 " clocks in the profile, %" PRIu64 " in all\n", class, clocks,
                   r->totals.clocks[class]);
        uint64_t issued =
            r->sum[P5_PROFILE_IN_V][class]; /* an instruction in U has a reason to be alone, or PAIRED */
        for (unsigned q = P5_PROFILE_UNPAIRED; q < P5_PROFILE_QUANTITIES; q++)
            issued += r->sum[q][class];
        wrong += issued != r->sum[P5_PROFILE_EXECUTIONS][class];
        if (issued != r->sum[P5_PROFILE_EXECUTIONS][class])
            printf("class %u: %" PRIu64 " instructions in U and V, %" PRIu64 " in all\n", class, issued,
                   r->sum[P5_PROFILE_EXECUTIONS][class]);
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            if (e == P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE) /* made from the clocks */
                continue;
            uint64_t total = r->totals.increments[e][class], asserted = r->totals.asserted[e][class];
            bool fits = r->sum[e][class] == total && r->asserted[e][class] == asserted;
            if (of_the_bus(e)) /* cycles in progress are attributed to the instruction that began them */
                fits = other_master ||
                       r->sum[e][0] + r->sum[e][1] >= r->totals.increments[e][0] + r->totals.increments[e][1];
            else if (of_the_board(e))
                fits = r->sum[e][class] <= total && r->asserted[e][class] <= asserted;
            if (!fits)
                printf("class %u, %s: %" PRIu64 " of %" PRIu64 ", asserted %" PRIu64 " of %" PRIu64 "\n",
                       class, p5_event_describe((enum p5_event)e)->name, r->sum[e][class], total,
                       r->asserted[e][class], asserted);
            wrong += !fits;
        }
    }
    return wrong == 0;
}

/* Returns whether there are samples, unless the guest counts too little for one. */
static bool has_samples(const recording *r)
{
    enum { ENOUGH = 20 };
    uint64_t total = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        total += r->sampled == P5_PROFILE_CLOCKS || r->sampled == P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE
                     ? r->totals.clocks[class]
                     : r->sum[r->sampled][class];
    if (r->sample_count > 0 || total < ENOUGH * r->period)
        return true;
    printf("no sample\n");
    return false;
}

static bool law_holds(const p5_model *model, uint64_t seed, bool other_master)
{
    static recording usual, exact, tiny, batches, sampled, sampled_batches;
    static batch put_off;
    static p5_counts plain;
    random_core_run(model, true, seed, STRETCHES, &plain);
    usual = unsampled(SIZE_MAX, 0, NULL);
    record(&usual, model, true, seed);
    exact = unsampled(SIZE_MAX, 1 + seed * 97 % 1000, NULL);
    record(&exact, model, false, seed);
    tiny = unsampled(1, 0, NULL);
    record(&tiny, model, true, seed);
    batches = unsampled(SIZE_MAX, 1 + seed * 97 % 1000, &put_off);
    record(&batches, model, true, seed);
    const uint64_t period = 1 + seed * 31 % LONGEST_PERIOD;
    sampled = sampling(seed, STRETCHES, period, NULL);
    record(&sampled, model, false, seed);
    sampled_batches = sampling(seed, STRETCHES, period, &put_off);
    record(&sampled_batches, model, true, seed);
    bool same_counts = memcmp(&plain, &usual.totals, sizeof plain) == 0 &&
                       memcmp(&plain, &exact.totals, sizeof plain) == 0 &&
                       memcmp(&plain, &tiny.totals, sizeof plain) == 0 &&
                       memcmp(&plain, &batches.totals, sizeof plain) == 0 &&
                       memcmp(&plain, &sampled.totals, sizeof plain) == 0 &&
                       memcmp(&plain, &sampled_batches.totals, sizeof plain) == 0;
    if (!same_counts)
        printf("the profile changes the counts\n");
    bool holds = same_counts && same_profile(&usual, &exact) && same_profile(&tiny, &exact) &&
                 same_profile(&batches, &exact) && same_intervals(&batches, &exact) &&
                 same_profile(&sampled, &exact) && same_profile(&sampled_batches, &exact) &&
                 has_samples(&sampled) && same_samples(&sampled_batches, &sampled) &&
                 adds_up(&usual, other_master);
    if (!holds)
        printf("model %s, seed %" PRIu64 "\n", p5_model_name(model), seed);
    forget(&usual);
    forget(&exact);
    forget(&tiny);
    forget(&batches);
    forget(&sampled);
    forget(&sampled_batches);
    return holds;
}

/* Periods so long that the memo answers in between: the samples of the exact path. */
static bool far_samples_are_the_same(const p5_model *model, uint64_t seed)
{
    static recording exact, alone, batches;
    static batch put_off;
    const uint64_t period = 300 + seed * 7919 % 4000;
    exact = sampling(seed, LONG, period, NULL);
    record(&exact, model, false, seed);
    alone = sampling(seed, LONG, period, NULL);
    record(&alone, model, true, seed);
    batches = sampling(seed, LONG, period, &put_off);
    record(&batches, model, true, seed);
    const bool holds = memcmp(&exact.totals, &alone.totals, sizeof exact.totals) == 0 &&
                       memcmp(&exact.totals, &batches.totals, sizeof exact.totals) == 0 &&
                       same_profile(&alone, &exact) && same_profile(&batches, &exact) &&
                       has_samples(&exact) && same_samples(&alone, &exact) && same_samples(&batches, &exact);
    if (!holds)
        printf("model %s, seed %" PRIu64 ", samples every %" PRIu64 " of %d\n", p5_model_name(model), seed,
               period, exact.sampled);
    forget(&exact);
    forget(&alone);
    forget(&batches);
    return holds;
}

static const char *const agents[] = {"none", "dma,period=61,base=20000h,len=1K,write=on"};

int main(int argc, char **argv)
{
    unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 8;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    for (unsigned which = 0; which < 4; which++) {
        p5_model *model;
        p5_error error;
        if (p5_model_open(which % 2 ? "p55c-200" : "p54c-133", &model, &error) != P5_OK ||
            p5_model_set_agent(model, agents[which / 2], &error) != P5_OK) {
            printf("%s\n", error.message);
            return 1;
        }
        for (unsigned long seed = first; seed < first + seeds; seed++)
            if (!law_holds(model, seed, which / 2 > 0) || !far_samples_are_the_same(model, seed))
                return 1;
        p5_model_close(model);
    }
    for (unsigned long seed = first; seed < first + seeds; seed++) {
        p5_model *model = random_model(seed);
        if (!law_holds(model, seed, model->agent.kind != AGENT_NONE) ||
            !far_samples_are_the_same(model, seed)) {
            random_model_print(stdout, model);
            return 1;
        }
        p5_model_close(model);
    }
    return 0;
}
