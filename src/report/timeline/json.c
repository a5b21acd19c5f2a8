/* Writes a window (window.h) as JSON lines: one for the window, then one for each instruction. docs/schemas/bench.json
 * describes them. */
#include <inttypes.h>

#include "base/error.h"
#include "report/timeline/window.h"

enum { MOST_INSNS = 10000 }; /* further instructions are left out */

uint64_t window_start(const p5_window *window)
{
    uint64_t start = UINT64_MAX;
    for (size_t i = 0; i < window->count; i++) {
        const uint64_t first = window_first_clock(&window->items[i].trace);
        start = first < start ? first : start;
    }
    return start;
}

/* Writes a wait: its cause, which is a p5_stall, and its clocks; null if there are no clocks. */
static void put_wait(json_writer *json, const char *key, unsigned cause, uint64_t clocks)
{
    json_key(json, key);
    if (clocks == 0) {
        json_null(json);
        return;
    }
    json_open_object(json);
    json_key_string(json, "owner", p5_stall_name((p5_stall)cause));
    json_key_unsigned(json, "clocks", clocks);
    json_close_object(json);
}

/* Writes the instructions that held back instruction `i`. */
static void put_held_by(json_writer *json, const p5_window *window, size_t i)
{
    window_wait waits[WINDOW_WAITS];
    const size_t count = window_waits(window, i, waits);
    json_key_array(json, "held_by");
    for (size_t n = 0; n < count; n++) {
        json_open_object(json);
        json_key_unsigned(json, "number", waits[n].by);
        json_key_string(json, "kind", window_wait_name(waits[n].kind));
        json_key_string(json, "register", waits[n].reg);
        json_close_object(json);
    }
    json_close_array(json);
}

void window_put_insn(json_writer *json, const p5_window *window, size_t i, uint64_t start)
{
    const window_insn *insn = &window->items[i];
    const p5_trace_insn *t = &insn->trace;
    const window_gap gap = window_gap_before(window, i);
    char address[9];
    snprintf(address, sizeof address, "%08" PRIx32, t->address);
    json_open_object(json);
    json_key_string(json, "what", "instruction");
    json_key_unsigned(json, "number", i);
    json_key_unsigned(json, "trip", window->first_trip + insn->trip);
    json_key_string(json, "address", address);
    json_key_string(json, "text", insn->text);
    json_key_string(json, "pipe", t->pipe == 0 ? "U" : "V");
    json_key_unsigned(json, "pf", window_first_clock(t) - start);
    if (t->f != 0)
        json_key_unsigned(json, "f", t->f - start);
    json_key_unsigned(json, "d1", t->d1 - start);
    json_key_unsigned(json, "d2", t->d2 - start);
    json_key_unsigned(json, "ex", t->ex - start);
    json_key_unsigned(json, "begin", t->begin - start);
    json_key_unsigned(json, "end", t->end - start);
    json_key_unsigned(json, "ready", t->ready - start);
    json_key_unsigned(json, "clocks", t->clocks);
    json_key_string(json, "alone", t->pipe == 0 ? p5_unpaired_text(t->unpaired) : "");
    put_wait(json, "stall", t->stall, t->stall_clocks);
    put_wait(json, "hold", t->hold, t->hold_clocks);
    put_wait(json, "starved", gap.owner, gap.to - gap.from);
    json_key_unsigned(json, "read_misses", t->read_misses);
    json_key_unsigned(json, "write_misses", t->write_misses);
    put_held_by(json, window, i);
    json_close_object(json);
}

p5_status p5_window_write_json(FILE *out, const p5_window *window, p5_error *error)
{
    json_writer json;
    const uint64_t start = window_start(window);
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "what", "window");
    json_key_unsigned(&json, "first_trip", window->first_trip);
    json_key_unsigned(&json, "trips", window->trips);
    json_key_unsigned(&json, "run_trips", window->run_trips);
    json_key_unsigned(&json, "end", window->end - start);
    const size_t shown = window->count < MOST_INSNS ? window->count : MOST_INSNS;
    json_key_unsigned(&json, "left_out", window->left_out + window->count - shown);
    json_close_object(&json);
    for (size_t i = 0; i < shown; i++)
        window_put_insn(&json, window, i, start);
    return error_unless_written(error, out, "the time line");
}
