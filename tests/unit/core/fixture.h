/* What the tests of src/core share: the memory side (caches, TLBs, write buffers, bus) of a built-in model, single
 * references to it, and what it counts. Linear addresses equal physical ones, with paging, too. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "core/memory/memory.h"
#include "p5scope/model.h"

/* Physical addresses to which page walks refer. */
enum { TEST_PAGE_DIRECTORY = 0x3c0000, TEST_PAGE_TABLES = 0x3c1000 };

typedef struct fixture {
    p5_model *model;
    memory *memory;
    counts totals;
    uint64_t now;    /* core clock */
    unsigned traits; /* traits of the references of fixture_data (data_answer.h) */
} fixture;

/* Opens a built-in model. */
static inline p5_model *fixture_model(const char *name)
{
    p5_model *model;
    p5_error error;
    if (p5_model_open(name, &model, &error) != P5_OK)
        fail_msg("model %s: %s:%u: %s", name, error.where, error.line, error.message);
    return model;
}

static inline void close_model(p5_model **model)
{
    p5_model_close(*model);
}

/* Declares `model`, a built-in model, which is closed at the end of the block. */
#define MODEL(model, name) CLOSED_BY(close_model) p5_model *model = fixture_model(name)

/* p5_core_hooks.walk: gives the physical addresses of the page directory's and the page table's entry for `linear`. */
static inline void fixture_walk(void *context, uint32_t linear, uint32_t *directory, uint32_t *table)
{
    (void)context;
    *directory = TEST_PAGE_DIRECTORY + (linear >> 22) * 4;
    *table = TEST_PAGE_TABLES + (linear >> 12) * 4;
}

/* Opens the memory side of a built-in model, which `adjust` may change first; NULL: it stays as it is. */
static inline void fixture_open(fixture *f, const char *name, bool paging, void (*adjust)(p5_model *model))
{
    *f = (fixture){.model = fixture_model(name)};
    if (adjust != NULL)
        adjust(f->model);
    p5_core_hooks hooks = {.size = sizeof hooks, .walk = fixture_walk};
    f->memory = memory_open(f->model, &hooks, &f->totals);
    assert_non_null(f->memory);
    memory_set_control(f->memory, &(p5_control){.size = sizeof(p5_control), .paging = paging});
}

static inline void fixture_close(fixture *f)
{
    memory_close(f->memory);
    p5_model_close(f->model);
}

/* Declares `f`, opens it by fixture_open, and closes it at the end of the block. */
#define FIXTURE(f, ...)                                                                                      \
    CLOSED_BY(fixture_close) fixture f;                                                                      \
    fixture_open(&f, __VA_ARGS__)

/* Returns a reference of `size` bytes; `flags` are P5_ACCESS_*. */
static inline p5_access fixture_access(uint32_t address, unsigned size, unsigned flags)
{
    return (p5_access){
        .linear = address, .physical = address, .size = (uint8_t)size, .flags = (uint8_t)flags};
}

/* Makes a reference at f->now, counts all of its events, and moves f->now on to the clock at which it is done. */
static inline data_answer fixture_data(fixture *f, uint32_t address, unsigned size, unsigned flags)
{
    p5_access access = fixture_access(address, size, flags);
    data_answer answer;
    memory_data(f->memory, &access, f->now, f->traits, &answer);
    f->now = answer.done;
    return answer;
}

/* Moves f->now on by so many clocks that write-backs, buffered writes and line fills are over. */
static inline void fixture_settle(fixture *f)
{
    f->now += 10000;
    memory_advance(f->memory, f->now);
}

/* Returns how often an event was counted, at all privilege levels. */
static inline uint64_t fixture_event(fixture *f, enum p5_event event)
{
    memory_fold(f->memory);
    return f->totals.increments[event][P5_CPL_KERNEL] + f->totals.increments[event][P5_CPL_USER];
}

/* Returns the state of the data cache's line of `physical`. */
static inline mesi fixture_state(const fixture *f, uint32_t physical)
{
    int way = data_cache_find(&f->memory->data, physical);
    return way < 0 ? MESI_INVALID : (mesi)f->memory->data.state[cache_set(physical)][way];
}

#endif
