/* Lists the instructions of a function with their costs and causes (`p5scope annotate`). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/profile/remarks.h"
#include "report/row_writer.h"

static void write_bytes(FILE *out, const profile_code *code)
{
    unsigned n = 0;
    for (; n < code->length; n++)
        fprintf(out, "%02x ", code->bytes[n]);
    for (; n < 8; n++)
        fputs("   ", out);
}

/* Writes the source line before its first instruction. */
static void write_source(FILE *out, sources *s, const p5_profile *p, const profile_insn *insn,
                         const profile_insn *before)
{
    if (insn->file == PROFILE_NO_INDEX ||
        (before && before->file == insn->file && before->line == insn->line))
        return;
    const char *text = sources_line(s, insn->file, insn->line);
    const char *path = profile_file_name(p, insn->file), *slash = strrchr(path, '/');
    fprintf(out, "%*s %s:%u%s%s\n", 41, ":", slash ? slash + 1 : path, insn->line, text ? "  " : "",
            text ? text : "");
}

/* An instruction of a listing. */
typedef struct listing_row {
    const profile_insn *insn;
    const insn_costs *costs;
    uint64_t value;
    double percent; /* of the function's */
} listing_row;

static void write_insn(FILE *out, isa_decoder *decoder, const listing_row *row,
                       const p5_profile_listing *listing)
{
    const profile_insn *insn = row->insn;
    const insn_costs *c = row->costs;
    char text[96], buffer[16];
    remarks_disassemble(decoder, insn, text, sizeof text);
    const char *colour = profile_colour(listing->colour, row->percent);
    fputs(colour, out);
    fprintf(out, "%7.2f %13" PRIu64 " %12" PRIu64 "  %-5s : %8" PRIx32 ":  ", row->percent, row->value,
            c->of[P5_PROFILE_EXECUTIONS], remarks_pipe(c, buffer), (uint32_t)insn->code.address);
    if (listing->bytes)
        write_bytes(out, &insn->code);
    char *remarks = remarks_text(c);
    if (remarks != NULL && remarks[0] != '\0')
        fprintf(out, "%-36s  %s", text, remarks);
    else
        fputs(text, out);
    fputs(colour[0] != '\0' ? "\033[0m\n" : "\n", out);
    free(remarks);
}

/* Writes an instruction as a row for programs. */
static void put_insn(row_writer *rows, isa_decoder *decoder, const p5_profile *p, const listing_row *row)
{
    const profile_insn *insn = row->insn;
    const insn_costs *c = row->costs;
    char text[96], buffer[16], address[16], *remarks = remarks_text(c);
    remarks_disassemble(decoder, insn, text, sizeof text);
    snprintf(address, sizeof address, "0x%08" PRIx32, (uint32_t)insn->code.address);
    rows_begin(rows);
    rows_text(rows, "address", address);
    rows_text(rows, "instruction", text);
    rows_unsigned(rows, "value", row->value);
    rows_double(rows, "percent", row->percent);
    rows_unsigned(rows, "executions", c->of[P5_PROFILE_EXECUTIONS]);
    rows_text(rows, "pipe", remarks_pipe(c, buffer));
    rows_text(rows, "remarks", remarks != NULL ? remarks : "");
    bool known = insn->file != PROFILE_NO_INDEX;
    rows_text(rows, "file", known ? profile_file_name(p, insn->file) : NULL);
    rows_unsigned(rows, "line", known ? insn->line : 0);
    rows_end(rows);
    free(remarks);
}

p5_status p5_profile_write_listing(FILE *out, const p5_profile *p, const p5_profile_listing *listing,
                                   p5_error *error)
{
    profile_value value;
    p5_status status =
        profile_value_find(p->family, listing->event ? listing->event : "clocks", &value, error);
    if (status != P5_OK)
        return status;
    insn_costs *costs = remarks_costs(p);
    uint64_t *values = profile_sum_by_insn(p, &value, 1);
    isa_decoder *decoder = isa_decoder_open((p->family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C) | ISA_P6);
    sources source = {0};
    if (!costs || !values || !decoder || !sources_open(&source, p)) {
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    } else {
        int f = PROFILE_NO_INDEX;
        if (listing->symbol)
            status = profile_find_function(p, listing->symbol, &f, error);
        else if ((f = remarks_hottest(p, costs, values)) == PROFILE_NO_INDEX)
            status = error_set(error, P5_ERR_NAME, "no function was executed");
        if (status == P5_OK) {
            const profile_function *function = &p->functions.items[f];
            size_t first = profile_insn_from(p, function->start), end = profile_insn_from(p, function->end);
            uint64_t sum = 0;
            for (size_t i = first; i < end; i++)
                sum += values[i];
            char grouped[32];
            uint64_t all = profile_total_value(p, &value);
            row_writer rows;
            if (listing->format != P5_ROWS_TEXT) {
                rows_open(&rows, out, listing->format, "annotate", "function", function->name, "event",
                          value.name, "command", p->command, "model", p->model, NULL);
                for (size_t i = first; i < end; i++) {
                    const listing_row row = {&p->insns.items[i], &costs[i], values[i],
                                             profile_percent(values[i], sum)};
                    put_insn(&rows, decoder, p, &row);
                }
                end = first;
            } else {
                fprintf(out, "# %s: %s %s, %.2f %% of all\n# Command: %s; model %s\n#\n", function->name,
                        text_grouped(sum, grouped, sizeof grouped), value.name,
                        all ? 100.0 * (double)sum / (double)all : 0, p->command, p->model);
                fprintf(out, "# Percent %12.12s     executed  pipe    address  instruction\n", value.name);
            }
            for (size_t i = first; i < end; i++) {
                if (listing->source)
                    write_source(out, &source, p, &p->insns.items[i],
                                 i > first ? &p->insns.items[i - 1] : NULL);
                const listing_row row = {&p->insns.items[i], &costs[i], values[i],
                                         profile_percent(values[i], sum)};
                write_insn(out, decoder, &row, listing);
            }
        }
    }
    sources_close(&source);
    if (decoder)
        isa_decoder_close(decoder);
    free(values);
    free(costs);
    return status != P5_OK ? status : error_unless_written(error, out, "the listing");
}
