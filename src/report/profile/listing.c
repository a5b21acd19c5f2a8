/* Lists the instructions of a function with their costs and causes (`p5scope annotate`). */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "report/profile/jumps.h"
#include "report/profile/remarks.h"
#include "report/row_writer.h"

/* Writes the bytes of an instruction, padded to the width of 8 bytes. */
static void write_bytes(FILE *out, const profile_code *code)
{
    unsigned n = 0;
    for (; n < code->length; n++)
        fprintf(out, "%02x ", code->bytes[n]);
    for (; n < 8; n++)
        fputs("   ", out);
}

/* Writes the source line of an instruction unless the instruction `before` it (NULL: none) belongs to the
 * same line. Before the first line of a file that was changed after the profile, writes a remark. */
static void write_source(FILE *out, sources *s, const p5_profile *p, const profile_insn *insn,
                         const profile_insn *before)
{
    if (insn->file == PROFILE_NO_INDEX ||
        (before && before->file == insn->file && before->line == insn->line))
        return;
    const char *text = sources_line(s, insn->file, insn->line);
    const char *file = path_base(profile_file_name(p, insn->file));
    if (sources_newer(s, insn->file))
        fprintf(out, "# %s is newer than the profile; its lines may have changed\n", file);
    fprintf(out, "%49s %s:%u%s%s\n", ":", file, insn->line, text ? "  " : "", text ? text : "");
}

/* An instruction of a listing. */
typedef struct listing_row {
    const profile_insn *insn;
    const insn_costs *costs;
    uint64_t value;        /* the cost that the listing is about */
    double percent;        /* of the function's cost */
    double percent_of_all; /* of the cost of the run */
    const char *jumps;     /* arrows beside it (jumps.h) */
} listing_row;

/* Writes an instruction as text. */
static void write_insn(FILE *out, isa_decoder *decoder, const listing_row *row,
                       const p5_profile_listing *listing)
{
    const profile_insn *insn = row->insn;
    const insn_costs *c = row->costs;
    char text[96], buffer[16];
    remarks_disassemble(decoder, insn, text, sizeof text);
    const char *colour = profile_colour(listing->colour, row->percent);
    fputs(colour, out);
    fprintf(out, "%7.2f %7.2f %13" PRIu64 " %12" PRIu64 "  %-5s : %8" PRIx32 ":  %s", row->percent,
            row->percent_of_all, row->value, c->of[P5_PROFILE_EXECUTIONS], remarks_pipe(c, buffer),
            (uint32_t)insn->code.address, row->jumps);
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
    rows_double(rows, "percent_of_all", row->percent_of_all);
    rows_unsigned(rows, "executions", c->of[P5_PROFILE_EXECUTIONS]);
    rows_text(rows, "pipe", remarks_pipe(c, buffer));
    rows_text(rows, "remarks", remarks != NULL ? remarks : "");
    bool known = insn->file != PROFILE_NO_INDEX;
    rows_text(rows, "file", known ? profile_file_name(p, insn->file) : NULL);
    rows_unsigned(rows, "line", known ? insn->line : 0);
    rows_end(rows);
    free(remarks);
}

/* What all rows of a listing share. */
typedef struct listing_writer {
    FILE *out;
    const p5_profile *p;
    const p5_profile_listing *options;
    profile_value value; /* the cost that the user has selected */
    insn_costs *costs;   /* all costs, by instruction of the profile */
    uint64_t *values;    /* the selected cost, by instruction of the profile */
    isa_decoder *decoder;
    sources source;
    jump_arrows arrows; /* of the listed function */
} listing_writer;

/* Writes the lines above the instructions. `sum` is the selected cost of the function, `all` that of the
 * run. */
static void write_heading(const listing_writer *l, const profile_function *function, uint64_t sum,
                          uint64_t all)
{
    char grouped[32];
    fprintf(l->out, "# %s: %s %s, %.2f %% of all\n# Command: %s; model %s\n#\n", function->name,
            text_grouped(sum, grouped, sizeof grouped), l->value.name, profile_percent(sum, all),
            l->p->command, l->p->model);
    fprintf(l->out, "# %% of function\n#     %% of all %12.12s     executed  pipe    address  instruction\n",
            l->value.name);
}

/* Returns the selected cost of a function, including what belongs to no executed instruction: the delivery of an
 * interrupt or system call whose handler's first instruction was not executed. */
static uint64_t cost_of(const listing_writer *l, const profile_function *function)
{
    const p5_profile *p = l->p;
    uint64_t sum = 0;
    for (size_t i = ARRAY_SEARCH(p->sites.items, p->sites.count, address, function->start);
         i < p->sites.count && p->sites.items[i].address < function->end; i++)
        sum += profile_amounts_value(&p->sites.items[i], &l->value);
    return sum;
}

/* Writes a function as text or as rows for programs. */
static void write_function(listing_writer *l, const profile_function *function)
{
    const p5_profile *p = l->p;
    size_t first = profile_insn_from(p, function->start), end = profile_insn_from(p, function->end);
    uint64_t sum = cost_of(l, function), rest = sum, all = profile_total_value(p, &l->value);
    row_writer rows;
    bool text = l->options->format == P5_ROWS_TEXT;
    if (text)
        write_heading(l, function, sum, all);
    else
        rows_open(&rows, l->out, l->options->format, "annotate", "function", function->name, "event",
                  l->value.name, "command", p->command, "model", p->model, NULL);
    for (size_t i = first; i < end; i++) {
        const profile_insn *insn = &p->insns.items[i];
        const listing_row row = {insn,
                                 &l->costs[i],
                                 l->values[i],
                                 profile_percent(l->values[i], sum),
                                 profile_percent(l->values[i], all),
                                 jump_arrows_at(&l->arrows, i - first)};
        if (!text)
            put_insn(&rows, l->decoder, p, &row);
        if (text && l->options->source)
            write_source(l->out, &l->source, p, insn, i > first ? insn - 1 : NULL);
        if (text)
            write_insn(l->out, l->decoder, &row, l->options);
        rest -= l->values[i];
    }
    if (text && rest > 0)
        fprintf(
            l->out,
            "# %" PRIu64
            " %s of the delivery of an interrupt or system call, after which no instruction was executed\n",
            rest, l->value.name);
}

/* Finds the function that the user has named, or else the one that costs most, and writes it. */
static p5_status write_listing(listing_writer *l, p5_error *error)
{
    const p5_profile *p = l->p;
    int f = PROFILE_NO_INDEX;
    if (l->options->symbol != NULL) {
        p5_status status = profile_find_function(p, l->options->symbol, &f, error);
        if (status != P5_OK)
            return status;
    } else if ((f = remarks_hottest(p, l->values)) == PROFILE_NO_INDEX) {
        return error_set(error, P5_ERR_NAME, "no function was executed");
    }
    const profile_function *function = &p->functions.items[f];
    bool fits = jump_arrows_open(&l->arrows, p, profile_insn_from(p, function->start),
                                 profile_insn_from(p, function->end));
    if (fits)
        write_function(l, function);
    jump_arrows_close(&l->arrows);
    return fits ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

p5_status p5_profile_write_listing(FILE *out, const p5_profile *p, const p5_profile_listing *listing,
                                   p5_error *error)
{
    listing_writer l = {.out = out, .p = p, .options = listing};
    p5_status status =
        profile_value_find(p->family, listing->event ? listing->event : "clocks", &l.value, error);
    if (status != P5_OK)
        return status;
    l.costs = remarks_costs(p);
    l.values = profile_sum_by_insn(p, &l.value, 1);
    l.decoder = isa_decoder_open((p->family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C) | ISA_P6);
    if (!l.costs || !l.values || !l.decoder || !sources_open(&l.source, p)) {
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    } else {
        isa_decoder_set_att(l.decoder, listing->att);
        status = write_listing(&l, error);
    }
    sources_close(&l.source);
    isa_decoder_close(l.decoder);
    free(l.values);
    free(l.costs);
    return status != P5_OK ? status : error_unless_written(error, out, "the listing");
}
