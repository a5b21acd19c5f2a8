/* Reverse execution: opens a saved state as a copy of the machine and runs the copy forward to the place that gdb
 * wants. Places are numbers of completed instructions, which a replay reaches exactly. */
#include "machine/gdb/history.h"

#include "machine/gdb/gdb.h"

enum { FIRST_SPACING = 1000000 }; /* instructions between saved states, until they are thinned out */
#define MOST_BYTES    (UINT64_C(512) << 20) /* of all saved states */
#define PIECE_SECONDS 0.2                   /* host time between checks for an interruption */

/* ---- saved states -------------------------------------------------------------------------------------- */

static uint64_t bytes_kept(const gdb_history *h)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < h->count; i++)
        bytes += h->states[i].size;
    return bytes;
}

/* Drops every second state and doubles the spacing. Keeps the first state. */
static void thin_out(gdb_history *h)
{
    unsigned left = 0;
    for (unsigned i = 0; i < h->count; i++)
        if (i % 2 == 0)
            h->states[left++] = h->states[i];
        else
            machine_copy_free(&h->states[i]);
    h->count = left;
    h->spacing *= 2;
}

/* Returns why the machine's effects cannot be undone, or NULL if they can. */
static const char *cannot_go_back(const p5_machine *machine)
{
    for (size_t i = 0; i < machine->options.share_count; i++)
        if (machine->shares[i].writable)
            return "no reverse execution with a writable host directory (--dir ...:rw), because writes to "
                   "it cannot be undone";
    return NULL;
}

void gdb_history_keep(gdb *g)
{
    gdb_history *h = &g->history;
    p5_machine *machine = g->machine;
    if (h->present != NULL || machine->ended || h->refused != NULL)
        return;
    if (h->spacing == 0) {
        h->spacing = FIRST_SPACING;
        h->refused = cannot_go_back(machine);
    } else if (h->count > 0 && machine->instructions < h->states[h->count - 1].instructions + h->spacing) {
        return;
    }
    while (h->count > 1 && (h->count == HISTORY_STATES || bytes_kept(h) > MOST_BYTES))
        thin_out(h);
    p5_error error;
    if (machine_copy_take(machine, &h->states[h->count], &error) == P5_OK)
        h->count++;
}

/* ---- the copy ------------------------------------------------------------------------------------------ */

static p5_machine *present_of(const gdb *g)
{
    return g->history.present != NULL ? g->history.present : g->machine;
}

/* Makes gdb debug `machine`, the present or a copy, and gives it gdb's breakpoints. Closes the copy that gdb debugged
 * before. `continues`: the machine is where that copy is. */
static void switch_to(gdb *g, p5_machine *machine, bool continues)
{
    gdb_history *h = &g->history;
    p5_machine *present = present_of(g);
    if (g->machine != present)
        p5_machine_close(g->machine);
    h->present = machine != present ? present : NULL;
    g->machine = machine;
    debug_attach(machine, &g->stops);
    gdb_monitor_follow(g, continues);
}

/* Makes gdb debug a new copy in a saved state. If that fails, returns false and changes nothing. */
static bool switch_to_state(gdb *g, unsigned state)
{
    p5_machine *copy;
    p5_error error;
    if (machine_copy_open(&g->history.states[state], present_of(g), &copy, &error) != P5_OK)
        return false;
    switch_to(g, copy, false);
    return true;
}

bool gdb_history_arrives(gdb *g)
{
    p5_machine *present = g->history.present;
    if (present == NULL || g->machine->instructions < present->instructions)
        return false;
    switch_to(g, present, true);
    return true;
}

uint64_t gdb_history_left(const gdb *g)
{
    const p5_machine *present = g->history.present;
    return present != NULL ? present->instructions - g->machine->instructions : UINT64_MAX;
}

void gdb_history_close(gdb *g)
{
    switch_to(g, present_of(g), false);
    for (unsigned i = 0; i < g->history.count; i++)
        machine_copy_free(&g->history.states[i]);
}

/* ---- reverse execution --------------------------------------------------------------------------------- */

/* One command of reverse execution. */
typedef struct walk {
    gdb *g;
    bool (*interrupted)(void *context);
    void *context;
    bool broken_off; /* `interrupted` has returned true */
} walk;

/* Runs the copy until `instructions` are completed since the guest's start, a stop is reached, or the walk is broken
 * off. Returns false if the run fails or the guest ends. */
static bool run_to(walk *w, uint64_t instructions)
{
    gdb *g = w->g;
    p5_error error;
    g->stops.stop = DEBUG_STOP_NONE;
    while (g->machine->instructions < instructions && g->stops.stop == DEBUG_STOP_NONE && !w->broken_off) {
        const p5_limits limits = {
            .size = sizeof limits, .max_instructions = instructions, .timeout_seconds = PIECE_SECONDS};
        if (p5_machine_run(g->machine, &limits, &g->result, &error) != P5_OK || g->machine->ended)
            return false;
        w->broken_off = w->interrupted(w->context);
    }
    return true;
}

/* Runs the copy like run_to, but continues after stops. */
static bool go_to(walk *w, uint64_t instructions)
{
    while (w->g->machine->instructions < instructions && !w->broken_off)
        if (!run_to(w, instructions))
            return false;
    return true;
}

/* Goes to the first state. Returns false if there is none or it cannot be opened. */
static bool go_to_begin(gdb *g)
{
    g->history.at_begin = g->history.count > 0 && switch_to_state(g, 0);
    return g->history.at_begin;
}

/* Returns the latest state with fewer than `before` instructions, or -1. */
static int state_before(const gdb_history *h, uint64_t before)
{
    int at = (int)h->count - 1;
    while (at >= 0 && h->states[at].instructions >= before)
        at--;
    return at;
}

/* Goes back from instruction count `now` by one instruction, and further while gdb must not stop (gdb_in_kernel).
 * Each attempt replays from a saved state. Goes to the first state if it finds no such place. Returns false if a replay
 * fails. */
static bool step_back(walk *w, uint64_t now)
{
    gdb *g = w->g;
    for (uint64_t target = now; target > 0; target--) {
        int state = state_before(&g->history, target);
        if (state < 0)
            break;
        if (!switch_to_state(g, (unsigned)state) || !go_to(w, target - 1))
            return false;
        if (w->broken_off || !gdb_in_kernel(g->machine))
            return true;
    }
    return go_to_begin(g);
}

/* A place where reverse execution may stop: before an instruction that has a breakpoint, or before one that accesses a
 * watched address. */
typedef struct found {
    uint64_t instructions; /* completed there */
    debug_stop stop;       /* DEBUG_STOP_NONE: no place found */
    debug_watch hit;       /* for DEBUG_STOP_WATCH */
} found;

/* Replays from a state to instruction count `end` and finds the last stop on the way. Ignores stops at or after `now`,
 * where the command began. A watchpoint stops the run after the access, one instruction late. */
static bool last_stop(walk *w, unsigned state, uint64_t end, uint64_t now, found *last)
{
    gdb *g = w->g;
    if (!switch_to_state(g, state))
        return false;
    if (debug_is_breakpoint(&g->stops, gdb_eip_read(g)))
        *last = (found){.instructions = g->machine->instructions, .stop = DEBUG_STOP_BREAKPOINT};
    while (g->machine->instructions < end && !w->broken_off) {
        if (!run_to(w, end))
            return false;
        uint64_t at = g->machine->instructions - (g->stops.stop == DEBUG_STOP_WATCH);
        if ((g->stops.stop == DEBUG_STOP_BREAKPOINT || g->stops.stop == DEBUG_STOP_WATCH) && at < now)
            *last = (found){at, g->stops.stop, g->stops.hit};
    }
    return true;
}

/* Goes back from instruction count `now` to the latest stop, or to the first state if there is none. Searches one
 * saved state at a time, from the latest to the first: each replay ends where the next state was saved. Returns false
 * if a replay fails. */
static bool continue_back(walk *w, uint64_t now)
{
    gdb *g = w->g;
    uint64_t end = now;
    for (int state = state_before(&g->history, now); state >= 0 && !w->broken_off; state--) {
        found last = {.stop = DEBUG_STOP_NONE};
        if (!last_stop(w, (unsigned)state, end, now, &last))
            return false;
        if (last.stop != DEBUG_STOP_NONE && !w->broken_off) {
            if (!switch_to_state(g, (unsigned)state) || !go_to(w, last.instructions))
                return false;
            g->stops.stop = last.stop;
            g->stops.hit = last.hit;
            return true;
        }
        end = g->history.states[state].instructions;
    }
    return w->broken_off || go_to_begin(g);
}

bool gdb_history_back(gdb *g, bool step, bool (*interrupted)(void *context), void *context)
{
    gdb_history *h = &g->history;
    p5_machine *present = present_of(g);
    walk w = {g, interrupted, context, false};
    uint64_t now = g->machine->instructions;
    h->at_begin = false;
    if (h->refused == NULL && h->count > 0 && machine_input_taken(present) != h->states[0].input)
        h->refused = "no reverse execution after the guest has read its input, which cannot be read again";
    if (h->refused != NULL)
        return false;
    g->stops.single_step = false;
    bool good = step ? step_back(&w, now) : continue_back(&w, now);
    g->stops.signal = 0; /* a replay passes signals without stopping */
    if (!good) {
        switch_to(g, present_of(g), false);
        g->stops.stop = DEBUG_STOP_STEP;
        h->refused = "reverse execution failed: the past could not be replayed";
        return false;
    }
    if (w.broken_off)
        g->stops.stop = DEBUG_STOP_NONE;
    else if (g->stops.stop == DEBUG_STOP_NONE || step)
        g->stops.stop = DEBUG_STOP_STEP;
    return true;
}
