/* `trace` as a Kanata log: every instruction that enters EX within the window. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/isa.h"
#include "report/kanata.h"
#include "report/trace_sink.h"

enum { TEXTS = 4096, TEXT_BYTES = 80, CODE_BYTES = 15 };

/* Disassembly that was made before, by address. */
typedef struct known_text {
    uint32_t address;
    size_t size;
    uint8_t code[CODE_BYTES];
    char text[TEXT_BYTES];
} known_text;

typedef struct kanata_state {
    kanata *log;
    isa_decoder *decoder;
    known_text *texts;
} kanata_state;

static void put(void *context, const char *text, size_t size)
{
    trace_file *file = context;
    (void)size;
    trace_put(file, text);
    trace_end_record(file);
}

static const char *text_of(p5_trace *trace, uint32_t address)
{
    kanata_state *state = trace->state;
    known_text *known = &state->texts[address % TEXTS];
    uint8_t code[CODE_BYTES] = {0};
    bool code32;
    size_t size = p5_machine_read_code(trace->machine, address, code, sizeof code, &code32);
    if (known->text[0] != '\0' && known->address == address && known->size == size &&
        memcmp(known->code, code, size) == 0)
        return known->text;
    known->address = address;
    known->size = size;
    memcpy(known->code, code, sizeof code);
    if (size == 0 || isa_disassemble(state->decoder, code, size, address, code32, known->text, sizeof known->text) == 0)
        snprintf(known->text, sizeof known->text, "?");
    return known->text;
}

static void on_insn(void *context, const p5_trace_insn *insn)
{
    p5_trace *trace = context;
    kanata_state *state = trace->state;
    if (trace->failed)
        return;
    kanata_insn(state->log, insn, text_of(trace, insn->address));
    trace->rows++;
    if (trace_file_failed(trace->file))
        trace_fail(trace, NULL);
}

static p5_status begin(p5_trace *trace, p5_error *error)
{
    kanata_state *state = calloc(1, sizeof *state);
    if (state != NULL) {
        state->log = kanata_open(put, trace->file);
        state->decoder = isa_decoder_open(ISA_P54C | ISA_P55C | ISA_P6);
        state->texts = calloc(TEXTS, sizeof *state->texts);
    }
    trace->state = state;
    if (state != NULL && state->log != NULL && state->decoder != NULL && state->texts != NULL)
        return P5_OK;
    return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
}

static void window(p5_trace *trace, bool opens)
{
    p5_core_set_trace(p5_machine_core(trace->machine), opens ? on_insn : NULL, trace);
}

static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)ending;
    kanata_state *state = trace->state;
    p5_core_set_trace(p5_machine_core(trace->machine), NULL, NULL);
    bool good = kanata_close(state->log);
    isa_decoder_close(state->decoder);
    free(state->texts);
    free(state);
    return good ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for the log");
}

const trace_sink_type trace_kanata = {.begin = begin, .window = window, .end = end, .no_rows = true};
