/* What limits a loop: its dependence chain (results that each trip needs of the trip before), and what the
 * loop would cost without one of the other limits, such as cache misses. The core prices that with perfect
 * parts (p5_core_set_ideal). */
#include <string.h>

#include "base/error.h"
#include "machine/machine.h"
#include "p5tool/loop.h"
#include "report/json_writer.h"
#include "report/loop/chain.h"

/* By p5_limit: its name in text and in JSON, and the perfect parts (P5_IDEAL_*) that remove it. */
static const struct {
    const char *name, *key;
    unsigned ideal;
} kinds[P5_LIMITS] = {
    [P5_LIMIT_RESULTS] = {"waits for results (AGI, x87, MMX)", "results", P5_IDEAL_RESULTS},
    [P5_LIMIT_PAIRS] = {"pairing rules", "pairing", P5_IDEAL_PAIRS},
    [P5_LIMIT_FETCH] = {"prefetch and decode", "fetch", P5_IDEAL_FETCH},
    [P5_LIMIT_MEMORY] = {"memory", "memory", P5_IDEAL_HITS},
    [P5_LIMIT_BRANCHES] = {"mispredicted branches", "branches", P5_IDEAL_BRANCHES},
    [P5_LIMIT_CHAIN] = {"the dependence chain", "chain", 0},
    [P5_LIMIT_EXECUTION] = {"the instructions' own clocks", "execution", 0},
    [P5_LIMIT_SEVERAL] = {"several of these at once, each of which hides the others", "several", 0},
};

/* Gives the loaded machine the perfect parts *context before it runs. */
static void make_ideal(void *context, p5_machine *machine)
{
    p5_core_set_ideal(p5_machine_core(machine), *(const unsigned *)context);
}

/* Gets the clocks of a trip on a processor with the perfect parts `ideal` (P5_IDEAL_*): the difference of two
 * runs, which make trips[0] and trips[1] trips, divided by that of the trips. */
static p5_status price(p5_case_program *const programs[2], const unsigned trips[2],
                       const p5_case_conditions *conditions, unsigned ideal, double *clocks, p5_error *error)
{
    const p5_case_observer observer = {make_ideal, &ideal};
    p5_counts counts[2];
    uint64_t sums[2];
    for (unsigned i = 0; i < 2; i++) {
        p5_status status = p5_case_run(programs[i], conditions, &observer, &counts[i], error);
        if (status != P5_OK)
            return status;
        sums[i] = p5_counts_sum(counts[i].clocks, P5_CPL_MASK_ALL);
    }
    *clocks = ((double)sums[1] - (double)sums[0]) / ((double)trips[1] - (double)trips[0]);
    return P5_OK;
}

/* Counts the instructions per trip that issued alone, by reason. */
static void count_alone(const p5_window *window, double alone[P5_UNPAIRED_REASONS])
{
    for (size_t i = 0; i < window->count; i++) {
        const p5_trace_insn *t = &window->items[i].trace;
        if (t->pipe == 0 && t->unpaired < P5_UNPAIRED_REASONS)
            alone[t->unpaired]++;
    }
    alone[0] = 0; /* reason 0 means that they issued in pairs */
    for (unsigned r = 0; r < P5_UNPAIRED_REASONS && window->trips > 0; r++)
        alone[r] /= window->trips;
}

/* Chooses the limit that the report names; p5_loop_limits.limit states the rule. */
static p5_limit choose(const p5_loop_limits *l)
{
    p5_limit limit = P5_LIMIT_SEVERAL;
    double least = l->clocks * 0.95;
    if (l->chain >= l->clocks * 0.9)
        return P5_LIMIT_CHAIN;
    if (l->without_all >= l->clocks * 0.9)
        return P5_LIMIT_EXECUTION;
    for (unsigned k = 0; k < P5_LIMIT_PRICED; k++) {
        if (l->without[k] <= least) {
            least = l->without[k];
            limit = (p5_limit)k;
        }
    }
    return limit;
}

/* Returns how many clocks per trip the loop could take without the limits that the perfect parts `ideal`
 * remove; the core has priced it at `priced` clocks.
 *
 * A processor without waits for results, or for banks of the data cache, does not have the chain's own
 * latencies either. No schedule can avoid these, so the loop takes at least the chain's clocks. With more
 * legal pairs, an instruction can get a partner at the cost of the next one, because D1 pairs the next two
 * instructions whenever it may; where that makes the loop slower (imul edx,eax; cmp eax,ecx; add ecx,eax; add
 * edx,[edi]; cmp ecx,ecx), the pairing rules cost nothing. Prices with other perfect parts need no
 * correction. */
static double bound(double priced, unsigned ideal, const p5_loop_limits *l)
{
    if (ideal & (P5_IDEAL_RESULTS | P5_IDEAL_HITS) && priced < l->chain)
        priced = l->chain;
    return ideal & P5_IDEAL_PAIRS && priced > l->clocks ? l->clocks : priced;
}

p5_status p5_loop_limits_find(p5_case_program *const programs[2], const unsigned trips[2],
                              const p5_case_conditions *conditions, const p5_window *window,
                              p5_loop_limits *out, p5_error *error)
{
    memset(out, 0, sizeof *out);
    out->of_calls = conditions->function != NULL;
    unsigned all = 0; /* perfect parts of all limits */
    out->chain = chain_find(window, programs[1], out->chain_text, sizeof out->chain_text);
    if (out->chain < 0)
        return error_set(error, P5_ERR_MEMORY, "no memory for the dependence chain");
    p5_status status = price(programs, trips, conditions, 0, &out->clocks, error);
    for (unsigned k = 0; k < P5_LIMIT_PRICED && status == P5_OK; k++) {
        status = price(programs, trips, conditions, kinds[k].ideal, &out->without[k], error);
        out->without[k] = bound(out->without[k], kinds[k].ideal, out);
        all |= kinds[k].ideal;
    }
    if (status == P5_OK)
        status = price(programs, trips, conditions, all, &out->without_all, error);
    out->without_all = bound(out->without_all, all, out);
    count_alone(window, out->alone);
    out->limit = choose(out);
    return status;
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static void write_text(FILE *out, const p5_loop_limits *l)
{
    fprintf(out, "Limited by %s.\n\n%14.3f  clocks per trip of %s; without\n", kinds[l->limit].name,
            l->clocks, l->of_calls ? "the loop that calls it" : "this loop");
    for (unsigned k = 0; k < P5_LIMIT_PRICED; k++)
        fprintf(out, "%14.3f    %-36s %+.3f\n", l->without[k], kinds[k].name, l->without[k] - l->clocks);
    fprintf(out, "%14.3f    all of these\n", l->without_all);
    if (l->chain > 0)
        fprintf(out, "%14.3f  clocks of the dependence chain: %s\n", l->chain, l->chain_text);
    for (unsigned r = 0; r < P5_UNPAIRED_REASONS; r++)
        if (l->alone[r] > 0)
            fprintf(out, "%14.3f  alone: %s\n", l->alone[r], p5_unpaired_text(r));
}

static void write_json(FILE *out, const p5_loop_limits *l)
{
    json_writer json;
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "what", "limits");
    json_key_string(&json, "limit", kinds[l->limit].key);
    json_key_double(&json, "clocks", l->clocks);
    json_key_object(&json, "without");
    for (unsigned k = 0; k < P5_LIMIT_PRICED; k++)
        json_key_double(&json, kinds[k].key, l->without[k]);
    json_key_double(&json, "all", l->without_all);
    json_close_object(&json);
    json_key_double(&json, "chain", l->chain);
    json_key_string(&json, "chain_text", l->chain_text);
    json_key_object(&json, "alone");
    for (unsigned r = 0; r < P5_UNPAIRED_REASONS; r++)
        if (l->alone[r] > 0)
            json_key_double(&json, p5_unpaired_text(r), l->alone[r]);
    json_close_object(&json);
    json_close_object(&json);
}

void p5_loop_limits_write(FILE *out, p5_row_format format, const p5_loop_limits *limits)
{
    if (format == P5_ROWS_JSON)
        write_json(out, limits);
    else
        write_text(out, limits);
}
