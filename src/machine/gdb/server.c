/* Runs the guest for gdb. Each run is divided into pieces, between which the server polls for Ctrl-C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "machine/base/notice.h"
#include "base/host_time.h"
#include "machine/gdb/connection.h"
#include "machine/run/run.h"

/* A piece ends at the first of these. */
enum { PIECE_INSTRUCTIONS = 500000, PIECE_CLOCKS = 50000000 };
#define PIECE_SECONDS 0.2 /* of the host */

/* Returns the earlier of the user's limit (0: none) and the end of a piece. */
static uint64_t earlier(uint64_t limit, uint64_t piece)
{
    return limit != 0 && limit < piece ? limit : piece;
}

/* Returns true if a limit of the whole run is reached, which ends it whatever gdb requests. Sets g->limited and the
 * result's reason then. */
static bool at_limit(gdb *g, const gdb_connection *c)
{
    const p5_machine *machine = g->machine;
    if (c->limits->max_instructions != 0 && machine->instructions >= c->limits->max_instructions)
        g->result.end = P5_END_INSTRUCTIONS;
    else if (c->limits->max_clocks != 0 && p5_machine_clock(machine) >= c->limits->max_clocks)
        g->result.end = P5_END_CLOCKS;
    else if (c->over != 0 && host_now() >= c->over)
        g->result.end = P5_END_TIMEOUT;
    else
        return false;
    g->limited = true;
    return true;
}

bool gdb_in_kernel(const p5_machine *machine)
{
    return machine->guest->end_by_signal != NULL && engine_cpl(machine->engine) == 0;
}

/* Runs forward, by one instruction if `step`, until the server has to send a stop reply: g->stops.stop has the reason,
 * or DEBUG_STOP_NONE if Ctrl-C, a limit, the host, or the guest's end has ended the run. From the past, the run
 * continues in the present when the copy has reached it. */
static p5_status run(gdb *g, gdb_connection *c, bool step, p5_error *error)
{
    p5_machine *machine = g->machine;
    g->stops.single_step = step;
    g->stops.stop = DEBUG_STOP_NONE;
    g->history.at_begin = false;
    if (g->passes && g->history.present == NULL)
        machine->guest->end_by_signal(machine, g->stops.signal);
    g->passes = false;
    g->stops.signal = 0;
    do {
        machine = g->machine;
        /* p5_limits count from the guest's start, so a piece ends at these totals. */
        uint64_t instructions =
            machine->instructions + earlier(gdb_history_left(g), step ? 1 : PIECE_INSTRUCTIONS);
        uint64_t clocks = p5_machine_clock(machine) + PIECE_CLOCKS;
        p5_limits limits = {.size = sizeof limits,
                            .max_instructions = earlier(c->limits->max_instructions, instructions),
                            .max_clocks =
                                step ? c->limits->max_clocks : earlier(c->limits->max_clocks, clocks),
                            .timeout_seconds = PIECE_SECONDS};
        p5_status status = p5_machine_run(machine, &limits, &g->result, error);
        if (status != P5_OK)
            return status;
        gdb_history_arrives(g);
        gdb_history_keep(g);
        machine = g->machine;
        if (step && g->stops.stop == DEBUG_STOP_NONE && g->result.end == P5_END_INSTRUCTIONS)
            g->stops.stop = DEBUG_STOP_STEP;
        /* gdb must not stop in the kernel: step on until the program is reached. A signal stays in stops.signal. */
        if ((g->stops.stop == DEBUG_STOP_STEP || g->stops.stop == DEBUG_STOP_SIGNAL) &&
            gdb_in_kernel(machine) && !at_limit(g, c) && !gdb_is_over(c) && !gdb_interrupted(c)) {
            g->stops.stop = DEBUG_STOP_NONE;
            step = true;
            continue;
        }
        if (g->stops.stop != DEBUG_STOP_NONE && g->stops.signal != 0 && !gdb_in_kernel(machine))
            g->stops.stop = DEBUG_STOP_SIGNAL;
        if (g->stops.stop != DEBUG_STOP_NONE || g->result.end == P5_END_STOPPED || at_limit(g, c) ||
            gdb_interrupted(c))
            break;
    } while (!machine->ended);
    return P5_OK;
}

/* Returns true if reverse execution must be broken off. */
static bool must_break_off(void *context)
{
    gdb_connection *c = context;
    return gdb_interrupted(c) || gdb_is_over(c);
}

/* Executes gdb's packets until gdb ends the session (g->killed: it has killed the guest, not detached), the
 * connection is closed, which counts as detaching, or the run must end. */
static p5_status serve(gdb *g, gdb_connection *c, p5_error *error)
{
    static const char no_acknowledge[] = "QStartNoAckMode";
    char packet[GDB_PACKET];
    size_t size;
    for (;;) {
        gdb_received what = gdb_receive(c, packet, &size);
        if (what == GOT_END)
            return P5_OK;
        if (what == GOT_NOTHING && gdb_is_over(c)) { /* the time-out, or the host stops the run */
            g->killed = !at_limit(g, c);
            return P5_OK;
        }
        if (what != GOT_PACKET)
            continue;
        gdb_action action = GDB_REPLY;
        bool no_acks = size == sizeof no_acknowledge - 1 && memcmp(packet, no_acknowledge, size) == 0;
        if (no_acks) {
            g->reply_size = 0;
            gdb_print(g, "OK");
        } else {
            action = gdb_packet(g, packet, size);
        }
        if (action == GDB_BACK_CONTINUE || action == GDB_BACK_STEP) {
            g->reply_size = 0;
            if (gdb_history_back(g, action == GDB_BACK_STEP, must_break_off, c))
                gdb_stop_reply(g);
            else
                gdb_print(g, "E.%s", g->history.refused);
        }
        if (action == GDB_CONTINUE || action == GDB_STEP) {
            p5_status status = run(g, c, action == GDB_STEP, error);
            if (status != P5_OK)
                return status;
            g->reply_size = 0;
            gdb_stop_reply(g);
        }
        bool replies = action != GDB_END || g->reply_size != 0;
        if (replies && !gdb_send(c, g))
            return P5_OK;
        c->acknowledges &= !no_acks; /* from the packet after this reply */
        if (action == GDB_END)
            return P5_OK;
        if (!g->machine->ended && at_limit(g, c))
            return P5_OK;
    }
}

p5_status p5_machine_run_gdb(p5_machine *machine, const char *where, const p5_limits *limits,
                             p5_run_result *result, p5_error *error)
{
    p5_limits own;
    if (where == NULL)
        return error_null(error, "where");
    p5_status status = machine_check_run(machine, limits, &own, result, error);
    if (status != P5_OK)
        return status;
    if (machine->observers != NULL)
        return error_set(error, P5_ERR_STATE, "a run under gdb cannot be traced or observed");
    gdb_connection c = {.machine = machine, .limits = &own, .acknowledges = true};
    c.over = c.limits->timeout_seconds > 0 ? host_now() + c.limits->timeout_seconds : 0;
    bool connected = false;
    status = gdb_connect(where, &c, &connected, error);
    if (status != P5_OK)
        return status;
    if (!connected) { /* gdb did not connect in time */
        const p5_run_result missed = {.size = sizeof missed,
                                      .end = machine->stop ? P5_END_STOPPED : P5_END_TIMEOUT};
        if (result != NULL)
            SIZED_COPY_OUT(result, &missed);
        machine->stop = false;
        return P5_OK;
    }
    gdb *g = calloc(1, sizeof *g);
    if (g == NULL) {
        close(c.socket);
        return error_set(error, P5_ERR_MEMORY, "no memory for gdb's server");
    }
    g->machine = machine;
    g->result.size = sizeof g->result;
    g->stops.stop = DEBUG_STOP_STEP;
    machine->debugger = &g->stops;
    gdb_history_keep(g);
    status = serve(g, &c, error);
    gdb_history_close(g);
    gdb_monitor_close(g);
    machine->debugger = NULL;
    engine_set_cuts(machine->engine, NULL, 0);
    close(c.socket);
    bool killed = g->killed && !machine->ended, limited = g->limited && !machine->ended;
    if (status == P5_OK && killed && !limited)
        g->result.end = P5_END_STOPPED;
    if (result != NULL)
        SIZED_COPY_OUT(result, &g->result);
    free(g);
    if (status != P5_OK || limited || killed) {
        machine->stop = false;
    } else { /* after detaching, run on; if the guest has ended, this returns the result again */
        p5_limits rest = *c.limits;
        if (c.over != 0)
            rest.timeout_seconds = fmax(c.over - host_now(), 1e-9);
        status = p5_machine_run(machine, &rest, result, error);
    }
    if (machine->close_wanted) /* a callback of the run has asked for it */
        p5_machine_close(machine);
    return status;
}
