/* Writes a trace as a Kanata log: every instruction that enters EX within the window. */
#include <stdlib.h>

#include "base/error.h"
#include "report/insn_text.h"
#include "report/trace/kanata.h"
#include "report/trace/sink.h"

typedef struct kanata_state {
    kanata *log;
    insn_text *texts;
} kanata_state;

/* Callback of the log: writes a line to the trace's file. */
static void put(void *context, const char *text, size_t size)
{
    trace_file *file = context;
    trace_put_bytes(file, text, size);
    trace_end_record(file);
}

/* Adds an instruction to the log (trace_sink.insn). */
static void on_insn(void *context, const p5_trace_insn *insn)
{
    p5_trace *trace = context;
    kanata_state *state = trace->state;
    if (trace->failed)
        return;
    kanata_insn(state->log, insn, insn_text_at(state->texts, insn->address));
    trace->rows++; /* instructions count as rows */
    trace_check_file(trace);
}

/* Writes the rest of the log and frees the state (NULL is allowed). Returns false if memory was out and the log is
 * incomplete. */
static bool free_state(kanata_state *state)
{
    bool good = state != NULL && state->log != NULL && kanata_close(state->log);
    if (state != NULL)
        insn_text_close(state->texts);
    free(state);
    return good;
}

/* Begins the trace (trace_sink.begin): makes the state. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    kanata_state *state = calloc(1, sizeof *state);
    if (state != NULL) {
        state->log = kanata_open(put, trace->file);
        state->texts = insn_text_open(trace->machine);
    }
    trace->state = state;
    if (state != NULL && state->log != NULL && state->texts != NULL)
        return P5_OK;
    free_state(state);
    return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
}

/* Ends the trace (trace_sink.end): writes the instructions still in flight. Frees the state. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)ending;
    return free_state(trace->state) ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for the log");
}

const trace_sink_type trace_kanata = {.begin = begin, .insn = on_insn, .end = end};
