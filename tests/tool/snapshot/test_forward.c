/* Tests of fast-forwarding against a counted run of the same instructions. Both leave caches, TLBs, branch target buffer,
 * clock and the guest's registers equal. The fast-forward has counted nothing. After it, both runs count the same.
 *
 *   snapshot_forward MODEL INSTRUCTIONS GUEST [ARGUMENT...] */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/memory/memory_system.h"
#include "core/branch/predictor.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"

static unsigned failures;

/* Counts a failure unless `a` of the modelled run equals `b` of the other one. */
static void same(const char *what, const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size) == 0)
        return;
    printf("%s: not what the modelled run has\n", what);
    failures++;
}

static p5_machine *open_guest(const char *model, char **guest)
{
    static const char *const environment[] = {NULL};
    const p5_machine_options options = {.size = sizeof options, .model = model};
    p5_machine *m;
    p5_error error = {0};
    if (p5_machine_open(&options, &m, &error) != P5_OK ||
        p5_machine_load_linux(m, guest[0], (const char *const *)guest, environment, &error) != P5_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
    return m;
}

static void same_tlb(const char *what, const tlb *a, const tlb *b)
{
    char text[80];
    snprintf(text, sizeof text, "%s: entries", what);
    same(text, a->row, b->row, sizeof a->row);
    snprintf(text, sizeof text, "%s: order", what);
    same(text, a->lru, b->lru, sizeof a->lru);
}

static void same_btb(const btb *a, const btb *b)
{
    for (unsigned i = 0; i < BTB_ENTRIES; i++) {
        const btb_raw x = btb_raw_of(a, i), y = btb_raw_of(b, i);
        if (x.valid != y.valid || x.used != y.used ||
            (x.valid && (x.tag != y.tag || x.offset != y.offset || x.target != y.target || x.type != y.type ||
                         x.history != y.history || memcmp(x.counter, y.counter, sizeof x.counter) != 0))) {
            printf("branch target buffer, set %u, way %u: not what the modelled run has\n", i / BTB_WAYS,
                   i % BTB_WAYS);
            failures++;
            return;
        }
    }
}

static void same_memory(const struct memory *x, const struct memory *y)
{
    same("data cache: tags", x->data.tag, y->data.tag, sizeof x->data.tag);
    same("data cache: states", x->data.state, y->data.state, sizeof x->data.state);
    same("data cache: order", x->data.lru, y->data.lru, sizeof x->data.lru);
    same("code cache: tags", x->code.tag, y->code.tag, sizeof x->code.tag);
    same("code cache: order", x->code.lru, y->code.lru, sizeof x->code.lru);
    same_tlb("data TLB", &x->data_tlb, &y->data_tlb);
    same_tlb("code TLB", &x->code_tlb, &y->code_tlb);
    if (x->bus.board.l2_tag != NULL)
        same("second-level cache", x->bus.board.l2_tag, y->bus.board.l2_tag,
             x->bus.board.l2_lines * sizeof *x->bus.board.l2_tag);
}

/* Continues both machines to `n` instructions. What the counted run adds to its totals must equal the totals of the other
 * one. */
static void same_from_here(p5_machine *modelled, p5_machine *forwarded, uint64_t n)
{
    static p5_counts before, all, counted;
    const p5_limits limits = {.size = sizeof limits, .max_instructions = n};
    p5_run_result a = {.size = sizeof a}, b = {.size = sizeof b};
    p5_error error = {0};
    p5_machine_counts(modelled, &before);
    if (p5_machine_run(modelled, &limits, &a, &error) != P5_OK ||
        p5_machine_run(forwarded, &limits, &b, &error) != P5_OK) {
        printf("%s\n", error.message);
        failures++;
        return;
    }
    p5_machine_settle(modelled);
    p5_machine_settle(forwarded);
    p5_machine_counts(modelled, &all);
    p5_machine_counts(forwarded, &counted);
    p5_counts_subtract(&all, &before);
    same("totals after it", &all, &counted, sizeof all);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    uint64_t n = strtoull(argv[2], NULL, 0), clocks;
    p5_machine *modelled = open_guest(argv[1], argv + 3), *forwarded = open_guest(argv[1], argv + 3);
    const p5_limits limits = {.size = sizeof limits, .max_instructions = n};
    p5_run_result a = {.size = sizeof a}, b = {.size = sizeof b};
    p5_error error = {0};
    static p5_counts totals;
    if (p5_machine_run(modelled, &limits, &a, &error) != P5_OK ||
        p5_machine_fast_forward(forwarded, &limits, &b, &error) != P5_OK) {
        printf("%s\n", error.message);
        return 1;
    }
    p5_machine_settle(modelled);
    memory_upgrade_lines(modelled->core->memory, UINT64_MAX - 1); /* writes that are under way end */
    same_memory(modelled->core->memory, forwarded->core->memory);
    same_btb(&modelled->core->predictor->btb, &forwarded->core->predictor->btb);

    for (engine_register r = ENGINE_EAX; r <= ENGINE_EFLAGS; r++)
        if (engine_get(modelled->engine, r) != engine_get(forwarded->engine, r)) {
            printf("register %u differs\n", (unsigned)r);
            failures++;
        }
    p5_machine_counts(forwarded, &totals);
    for (const uint64_t *at = (const uint64_t *)(const void *)&totals; at < (const uint64_t *)(&totals + 1);
         at++)
        failures += *at != 0;
    if (p5_machine_fast_forwarded(forwarded, &clocks) != n || p5_machine_instructions(forwarded) != n ||
        clocks != p5_machine_clock(forwarded) || clocks != p5_machine_clock(modelled)) {
        printf("%llu instructions and %llu clocks were fast-forwarded\n",
               (unsigned long long)p5_machine_fast_forwarded(forwarded, NULL), (unsigned long long)clocks);
        failures++;
    }
    if (a.end != P5_END_INSTRUCTIONS || b.end != a.end)
        failures++;
    same_from_here(modelled, forwarded, 2 * n);
    p5_machine_close(modelled);
    p5_machine_close(forwarded);
    return failures != 0;
}
