/* Writes a profile's file, whose format p5scope-profile(5) describes. */
#include <inttypes.h>

#include "base/error.h"
#include "base/snapshot.h"
#include "report/profile/profile_internal.h"

/* Make a string of the value of a macro. */
#define TEXT_OF(number)   #number
#define NUMBER_TEXT(name) TEXT_OF(name)

const char *p5_file_formats(void)
{
    return "snapshot format " NUMBER_TEXT(SNAPSHOT_FORMAT) ", revision " NUMBER_TEXT(
        SNAPSHOT_REVISION) "; profile format " PROFILE_FORMAT_NUMBER;
}

/* Writes a line "TAG TEXT". In the text, a backslash becomes two, a control character \xHH. */
static void write_text(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "%s ", tag);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '\\')
            fprintf(out, *text == '\\' ? "\\\\" : "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, out);
    fputc('\n', out);
}

/* Writes the increments of a quantity, and, if that number differs, the clocks in which its signal was on. */
static void write_amount(FILE *out, unsigned quantity, uint64_t increments, uint64_t asserted)
{
    fprintf(out, " %u:%" PRIu64, quantity, increments);
    if (asserted != increments)
        fprintf(out, ":%" PRIu64, asserted);
}

/* Writes the run, the model, the names of address spaces, the numbers of quantities, and totals by privilege
 * class. */
static void write_head(FILE *out, const p5_profile *p)
{
    char buffer[48];
    fprintf(out, "%s\n", PROFILE_FORMAT);
    write_text(out, "version", p->version);
    write_text(out, "model", p->model);
    fprintf(out, "family %s\nclock-mhz %.17g\n", p->family == P5_FAMILY_P54C ? "p54c" : "p55c", p->clock_mhz);
    write_text(out, "command", p->command);
    write_text(out, "options", p->options);
    if (p->ending != NULL)
        write_text(out, "ending", p->ending);
    if (p->program != NULL)
        write_text(out, "program", p->program);
    if (p->identity != NULL)
        write_text(out, "identity", p->identity);
    for (size_t i = 0; i < p->objects.count; i++)
        write_text(out, "object", p->objects.items[i]);
    for (size_t i = 0; i < p->fields.count; i++) {
        fprintf(out, "field %s %s ", p->fields.items[i].section, p->fields.items[i].key);
        write_text(out, "=", p->fields.items[i].value);
    }
    for (unsigned q = 0; q < P5_PROFILE_QUANTITIES; q++)
        fprintf(out, "quantity %u %s\n", q, profile_quantity_name(q, buffer));
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        fprintf(out, "total %u", class);
        for (unsigned q = 0; q < P5_PROFILE_QUANTITIES; q++)
            if (p->total[q][class] | p->asserted[q][class])
                write_amount(out, q, p->total[q][class], p->asserted[q][class]);
        fputc('\n', out);
    }
}

/* Writes functions, source files and instructions. */
static void write_code(FILE *out, const p5_profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        fprintf(out, "function %" PRIx64 " %" PRIx64 " ", p->functions.items[i].start,
                p->functions.items[i].end);
        write_text(out, "=", p->functions.items[i].symbol);
        if (p->functions.items[i].source)
            write_text(out, "source", p->functions.items[i].source);
        if (p->functions.items[i].qualifier)
            write_text(out, "qualifier", p->functions.items[i].qualifier);
    }
    for (size_t i = 0; i < p->files.count; i++)
        write_text(out, "file", p->files.items[i]);
    for (size_t i = 0; i < p->insns.count; i++) {
        const profile_insn *x = &p->insns.items[i];
        fprintf(out, "code %" PRIx64 " %" PRIx64 " %u %d %d %u ", x->code.address, x->code.target,
                x->code.branch, x->code.code32 ? 32 : 16, x->file, x->line);
        for (unsigned j = 0; j < x->code.length && j < sizeof x->code.bytes; j++)
            fprintf(out, "%02x", x->code.bytes[j]);
        fputc('\n', out);
    }
}

/* Writes the misses of a cache by set. */
static void write_sets(FILE *out, const char *tag, const uint64_t sets[PROFILE_SETS])
{
    fprintf(out, "sets %s", tag);
    for (unsigned i = 0; i < PROFILE_SETS; i++)
        fprintf(out, " %" PRIu64, sets[i]);
    fputc('\n', out);
}

/* Writes contexts, calls and the costs of sites. The unused context 0 and the root are left out. */
static void write_costs(FILE *out, const p5_profile *p)
{
    for (size_t i = PROFILE_ROOT + 1; i < p->contexts.count; i++)
        fprintf(out, "context %zu %u %" PRIx64 " %" PRIx64 "\n", i, p->contexts.items[i].parent,
                p->contexts.items[i].function, p->contexts.items[i].call_site);
    for (size_t i = 0; i < p->edges.count; i++) {
        const profile_edge *e = &p->edges.items[i];
        fprintf(out, "calls %u %u %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", e->from, e->to, e->call_site,
                e->function, e->calls);
    }
    for (size_t i = 0; i < p->sites.count; i++) {
        const profile_site *s = &p->sites.items[i];
        fprintf(out, "site %" PRIx64 " %u %u", s->address, s->context, s->cpl_class);
        for (size_t j = 0; j < s->amounts.count; j++)
            write_amount(out, s->amounts.items[j].quantity, s->amounts.items[j].increments,
                         s->amounts.items[j].asserted);
        fputc('\n', out);
    }
}

p5_status p5_profile_write(FILE *out, const p5_profile *p, p5_error *error)
{
    write_head(out, p);
    write_code(out, p);
    write_costs(out, p);
    fprintf(out, "ways %u %u\n", p->data_ways, p->code_ways);
    write_sets(out, "data-misses", p->data_misses);
    write_sets(out, "code-misses", p->code_misses);
    for (size_t i = 0; i < p->btb.count; i++) {
        const core_btb_entry *e = &p->btb.items[i];
        fprintf(out, "btb %u %u %" PRIx32 " %" PRIx32 " %d %u %u\n", e->set, e->way, e->key, e->target,
                e->taken, e->detail, e->type);
    }
    if (p->sample_event)
        fprintf(out, "sampling %s %" PRIu64 " %u %" PRIu64 "\n", p->sample_event, p->sample_period,
                p->sample_latency, p->overflows);
    for (size_t i = 0; i < p->samples.count; i++)
        fprintf(out, "sample %" PRIx64 " %u %" PRIu64 "\n", p->samples.items[i].address,
                p->samples.items[i].context, p->samples.items[i].clock);
    for (size_t i = 0; i < p->intervals.count; i++) {
        fprintf(out, "interval %" PRIu64, p->intervals.items[i].clock);
        for (unsigned q = 0; q < P5_PROFILE_EXECUTIONS; q++)
            if (p->intervals.items[i].totals[q])
                write_amount(out, q, p->intervals.items[i].totals[q], p->intervals.items[i].totals[q]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->markers.count; i++) {
        const profile_marker *m = &p->markers.items[i];
        fprintf(out, "marker %" PRIu64 " %s %" PRIu32 "\n", m->clock, m->begins ? "begin" : "end", m->id);
    }
    fputs("end\n", out);
    return error_unless_written(error, out, "the profile");
}
