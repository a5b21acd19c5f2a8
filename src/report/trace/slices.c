/* Follows the profile's call stack. A function's address contains an address space (PROFILE_AT): 0 is the guest's own. */
#include "report/trace/slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "machine/machine.h"
#include "report/profile/symbols.h"

/* An active function. */
typedef struct slice {
    uint64_t function; /* its first address */
    size_t depth;      /* profile_options.moved; a tail call has the depth of its caller */
    uint64_t from;     /* clock at which it was entered */
} slice;

/* An activation that has ended. */
typedef struct finished_slice {
    uint64_t function, from, to;
} finished_slice;

enum { NAME_ROOM = 24 }; /* bytes of a name that is not a symbol's */

struct slices {
    const p5_machine *machine;
    profile_symbols symbols;
    uint64_t least; /* clocks of the shortest activation that is put */
    uint64_t begin; /* clock of the window's beginning */
    bool shown;     /* the window is open */
    bool out_of_memory;
    ARRAY_OF(slice) stack; /* active functions, the innermost last */
    /* Activations that have ended but not been put, because each began at the same clock as its caller, which is still
     * active. Ascending starts. */
    ARRAY_OF(finished_slice) held;
    void (*put)(void *context, const char *name, uint64_t from, uint64_t to);
    void *context;
};

static const char *name_of(const slices *s, uint64_t function, char buffer[NAME_ROOM])
{
    size_t count = s->symbols.functions.count;
    const profile_function *functions = s->symbols.functions.items;
    size_t at = ARRAY_SEARCH(functions, count, end, function + 1ull);
    if (at < count && functions[at].start <= function)
        return functions[at].name;
    snprintf(buffer, NAME_ROOM, "sub_%" PRIx32, (uint32_t)function);
    return buffer;
}

/* Returns the clock at which a slice begins within the window. */
static uint64_t shown_from(const slices *s, const slice *x)
{
    return x->from > s->begin ? x->from : s->begin;
}

static void put_slice(const slices *s, const finished_slice *x)
{
    char buffer[NAME_ROOM];
    s->put(s->context, name_of(s, x->function, buffer), x->from, x->to);
}

/* Ends the innermost slice. Of slices that begin at the same clock the caller is put first, because viewers
 * nest such slices in file order. A slice is therefore held until its caller has been put. */
static void end_one(slices *s, uint64_t clock)
{
    const slice *ended = &s->stack.items[--s->stack.count];
    const slice *caller = s->stack.count > 0 ? &s->stack.items[s->stack.count - 1] : NULL;
    const finished_slice x = {ended->function, shown_from(s, ended), clock};
    if (!s->shown || x.to < x.from || x.to - x.from < s->least)
        return;
    if (caller != NULL && shown_from(s, caller) == x.from) {
        s->out_of_memory |= !ARRAY_ADD(&s->held, x);
        return;
    }
    put_slice(s, &x);
    while (s->held.count > 0 && s->held.items[s->held.count - 1].from == x.from)
        put_slice(s, &s->held.items[--s->held.count]);
}

/* Callback of the profile (profile_options.moved). Functions that are deeper have ended. */
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

p5_status slices_open(p5_machine *machine, const slices_options *options, slices **out, p5_error *error)
{
    slices *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    s->machine = machine;
    s->least = options->least;
    s->put = options->put;
    s->context = options->context;
    p5_status status = profile_symbols_read(machine, options->guest, options->beside, &s->symbols, error);
    const profile_options profile = {.sample_quantity = P5_PROFILE_NONE, .moved = moved, .moved_context = s};
    if (status == P5_OK && !profile_symbols_start(machine, &s->symbols, profile))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    if (status == P5_OK)
        *out = s;
    else
        slices_close(s);
    return status;
}

/* Closing empties the stack. A function that is still active is on it again when control returns to it, as an activation
 * that begins then. */
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
    return !s->out_of_memory && profile_is_complete(machine_core(s->machine));
}

void slices_close(slices *s)
{
    if (s == NULL)
        return;
    profile_end_moved(machine_core(s->machine));
    profile_symbols_free(&s->symbols);
    free(s->stack.items);
    free(s->held.items);
    free(s);
}
