#include "report/trace/slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "report/profile/symbols.h"

/* A function that has not returned. */
typedef struct slice {
    uint64_t function; /* its first address */
    size_t depth;      /* frames below it; a tail call has those of its caller */
    uint64_t from;
} slice;

struct slices {
    profile_symbols symbols;
    uint64_t least, begin; /* clock of the window's beginning */
    bool shown, out_of_memory;
    ARRAY_OF(slice) stack;
    void (*put)(void *context, const char *name, uint64_t from, uint64_t to);
    void *context;
};

static const char *name_of(const slices *s, uint64_t function, char room[16])
{
    size_t count = s->symbols.functions.count;
    const profile_function *functions = s->symbols.functions.items;
    size_t at = ARRAY_SEARCH(functions, count, end, function + 1ull);
    if (at < count && functions[at].start <= function)
        return functions[at].name;
    if (PROFILE_SPACE(function) == 0 && function >= PROFILE_LINUX_KERNEL)
        return "[kernel]";
    snprintf(room, 16, "0x%08" PRIx32, (uint32_t)function);
    return room;
}

/* The youngest is over. */
static void end_one(slices *s, uint64_t clock)
{
    const slice *over = &s->stack.items[--s->stack.count];
    uint64_t from = over->from > s->begin ? over->from : s->begin;
    char room[16];
    if (s->shown && clock >= from && clock - from >= s->least)
        s->put(s->context, name_of(s, over->function, room), from, clock);
}

/* Control is in `function` with `depth` frames below it. */
static void moved(void *context, size_t depth, uint64_t function, uint64_t clock)
{
    slices *s = context;
    while (s->stack.count > 0 && s->stack.items[s->stack.count - 1].depth > depth)
        end_one(s, clock);
    const slice *top = s->stack.count > 0 ? &s->stack.items[s->stack.count - 1] : NULL;
    if (function == 0 || (top != NULL && top->depth == depth && top->function == function))
        return;
    s->out_of_memory |= !ARRAY_ADD(&s->stack, (slice){function, depth, clock});
}

p5_status slices_open(p5_machine *machine, const char *guest, const char *const *beside, uint64_t least,
                      void (*put)(void *context, const char *name, uint64_t from, uint64_t to), void *context,
                      slices **out, p5_error *error)
{
    slices *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    s->least = least;
    s->put = put;
    s->context = context;
    p5_status status = profile_symbols_read(machine, guest, beside, &s->symbols, error);
    const profile_options options = {.sample_quantity = P5_PROFILE_NONE, .moved = moved, .moved_context = s};
    if (status == P5_OK && !profile_symbols_start(machine, &s->symbols, options))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    if (status == P5_OK)
        *out = s;
    else
        slices_close(s);
    return status;
}

void slices_window(slices *s, uint64_t clock, bool opens)
{
    if (opens)
        s->begin = clock;
    while (!opens && s->stack.count > 0)
        end_one(s, clock);
    s->shown = opens;
}

bool slices_good(const slices *s)
{
    return !s->out_of_memory;
}

void slices_close(slices *s)
{
    if (s == NULL)
        return;
    profile_symbols_free(&s->symbols);
    free(s->stack.items);
    free(s);
}
