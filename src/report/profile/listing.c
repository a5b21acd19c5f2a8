/* `annotate`: the instructions of a function with what they cost, and why. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/profile/remarks.h"

static void write_bytes(FILE *out, const profile_code *code)
{
    unsigned n = 0;
    for (; n < code->length; n++)
        fprintf(out, "%02x ", code->bytes[n]);
    for (; n < 8; n++)
        fputs("   ", out);
}

/* The source line in front of its instructions, when another one begins. */
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

static void write_insn(FILE *out, isa_decoder *decoder, const profile_insn *insn, const insn_costs *c,
                       uint64_t value, uint64_t function_total, const p5_profile_listing *listing)
{
    char text[96], room[16];
    remarks_disassemble(decoder, insn, text, sizeof text);
    fprintf(out, "%7.2f %13" PRIu64 " %12" PRIu64 "  %-5s : %8" PRIx32 ":  ",
            function_total ? 100.0 * (double)value / (double)function_total : 0, value,
            c->of[P5_PROFILE_EXECUTIONS], remarks_pipe(c, room), insn->code.address);
    if (listing->bytes)
        write_bytes(out, &insn->code);
    char *remarks = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&remarks, &size);
    if (memory) {
        remarks_write(memory, c);
        fclose(memory);
    }
    if (size > 0)
        fprintf(out, "%-36s  %s\n", text, remarks);
    else
        fprintf(out, "%s\n", text);
    free(remarks);
}

static p5_status no_function(const p5_profile *p, const char *name, p5_error *error)
{
    text_nearest nearest;
    char sentence[P5_ERROR_TEXT];
    text_nearest_init(&nearest, name);
    for (size_t i = 0; i < p->functions.count; i++)
        text_nearest_offer(&nearest, p->functions.items[i].name);
    error_set(error, P5_ERR_NAME, "no function '%s' was executed", name);
    error_hint(error, "%s", text_nearest_sentence(&nearest, sentence, sizeof sentence));
    return P5_ERR_NAME;
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
        int f = listing->symbol ? remarks_function(p, listing->symbol) : remarks_hottest(p, costs, values);
        if (f == PROFILE_NO_INDEX) {
            status = no_function(p, listing->symbol ? listing->symbol : "", error);
        } else {
            const profile_function *function = &p->functions.items[f];
            size_t first = 0;
            uint64_t sum = 0;
            while (first < p->insns.count && p->insns.items[first].code.address < function->start)
                first++;
            size_t end = first;
            for (; end < p->insns.count && p->insns.items[end].code.address < function->end; end++)
                sum += values[end];
            char grouped[32];
            uint64_t all = profile_total_value(p, &value);
            fprintf(out, "# %s: %s %s, %.2f %% of all\n# Command: %s; model %s\n#\n", function->name,
                    text_grouped(sum, grouped, sizeof grouped), value.name,
                    all ? 100.0 * (double)sum / (double)all : 0, p->command, p->model);
            fprintf(out, "# Percent %12.12s     executed  pipe    address  instruction\n", value.name);
            for (size_t i = first; i < end; i++) {
                if (listing->source)
                    write_source(out, &source, p, &p->insns.items[i],
                                 i > first ? &p->insns.items[i - 1] : NULL);
                write_insn(out, decoder, &p->insns.items[i], &costs[i], values[i], sum, listing);
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
