/* Describes instructions of a profile in words, and reads source lines for listings (remarks.h). */
#include "report/profile/remarks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory_text.h"
#include "base/text.h"

insn_costs *remarks_costs(const p5_profile *p)
{
    insn_costs *costs = calloc(p->insns.count + 1, sizeof *costs);
    for (size_t i = 0; costs && i < p->sites.count; i++) {
        const profile_site *site = &p->sites.items[i];
        int insn = profile_insn_at(p, site->address);
        if (insn == PROFILE_NO_INDEX)
            continue;
        insn_costs *c = &costs[insn];
        for (size_t j = 0; j < site->amounts.count; j++) {
            unsigned q = site->amounts.items[j].quantity;
            c->of[q] += site->amounts.items[j].increments;
            if (q >= P5_PROFILE_STALLS && q < P5_PROFILE_EXECUTIONS)
                c->clocks += site->amounts.items[j].increments;
        }
    }
    return costs;
}

const char *remarks_pipe(const insn_costs *c, char buffer[16])
{
    uint64_t all = c->of[P5_PROFILE_EXECUTIONS], in_v = c->of[P5_PROFILE_IN_V];
    if (all == 0)
        return "-";
    if (in_v == 0)
        return "U";
    if (in_v == all)
        return "V";
    snprintf(buffer, 16, "V %2u%%", (unsigned)(100 * (double)in_v / (double)all));
    return buffer;
}

/* Separates a remark from the one before it, unless it is the *first one, and clears *first. */
static void write_separator(FILE *out, bool *first)
{
    if (!*first)
        fputs("; ", out);
    *first = false;
}

/* Writes "WHAT AMOUNT" unless that is 0. */
static void write_amount(FILE *out, bool *first, const char *what, uint64_t amount)
{
    char grouped[32];
    if (amount == 0)
        return;
    write_separator(out, first);
    fprintf(out, "%s %s", what, text_grouped(amount, grouped, sizeof grouped));
}

/* Writes the clocks of stall causes, misses, mispredictions, and the most frequent reason why the instruction did
 * not pair. Leaves out what did not occur. */
static void write_remarks(FILE *out, const insn_costs *c)
{
    bool first = true;
    for (unsigned s = P5_STALL_EXECUTE; s < P5_STALL_COUNT; s++)
        write_amount(out, &first, p5_stall_name((p5_stall)s), c->of[P5_PROFILE_STALLS + s]);
    write_amount(out, &first, "read misses", c->of[P5_EVENT_DATA_READ_MISS]);
    write_amount(out, &first, "write misses", c->of[P5_EVENT_DATA_WRITE_MISS]);
    write_amount(out, &first, "mispredicted",
                 c->of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS]);
    unsigned reason = 0; /* the most frequent one */
    uint64_t alone = 0;  /* executions that did not pair */
    for (unsigned n = 1; n < P5_PROFILE_QUANTITIES - P5_PROFILE_UNPAIRED; n++) {
        alone += c->of[P5_PROFILE_UNPAIRED + n];
        if (c->of[P5_PROFILE_UNPAIRED + n] > c->of[P5_PROFILE_UNPAIRED + reason] || reason == 0)
            reason = n;
    }
    if (alone > 0) {
        write_separator(out, &first);
        fputs("alone", out);
        if (200 * alone < c->of[P5_PROFILE_EXECUTIONS]) /* would be rounded to 0 % */
            fputs(" under 1 %", out);
        else if (alone < c->of[P5_PROFILE_EXECUTIONS])
            fprintf(out, " %.0f %%", 100 * (double)alone / (double)c->of[P5_PROFILE_EXECUTIONS]);
        fprintf(out, ": %s", p5_unpaired_text(reason));
    }
}

char *remarks_text(const insn_costs *c)
{
    memory_text text;
    if (memory_text_open(&text))
        write_remarks(text.out, c);
    return memory_text_end(&text);
}

int remarks_hottest(const p5_profile *p, const uint64_t *values)
{
    int best = PROFILE_NO_INDEX;
    bool best_own = false; /* `best` is p5scope's own code, which the user cannot change */
    uint64_t most = 0;
    size_t at = 0;
    for (size_t f = 0; f < p->functions.count; f++) {
        uint64_t sum = 0;
        while (at < p->insns.count && p->insns.items[at].code.address < p->functions.items[f].start)
            at++;
        bool own = p->functions.items[f].symbol[0] == '[';
        for (; at < p->insns.count && p->insns.items[at].code.address < p->functions.items[f].end; at++)
            sum += values[at];
        if (best == PROFILE_NO_INDEX || (best_own && !own) || (best_own == own && sum > most)) {
            best = (int)f;
            best_own = own;
            most = sum;
        }
    }
    return best;
}

void remarks_disassemble(isa_decoder *decoder, const profile_insn *insn, char *text, size_t size)
{
    const profile_code *c = &insn->code;
    if (isa_disassemble(decoder, &(isa_code){c->bytes, c->length, (uint32_t)c->address, c->code32}, text,
                        size) == 0)
        snprintf(text, size, "(bad)");
}

/* ---- source files -------------------------------------------------------------------------------------- */

bool sources_open(sources *s, const p5_profile *p)
{
    s->p = p;
    s->files = calloc(p->files.count + 1, sizeof *s->files);
    return s->files != NULL;
}

/* Returns whether a file was changed after the profile was written. */
static bool is_newer(const char *path, const p5_profile *p)
{
    struct stat about;
    const struct timespec *at = &p->written;
    return at->tv_sec != 0 && stat(path, &about) == 0 &&
           (about.st_mtim.tv_sec > at->tv_sec ||
            (about.st_mtim.tv_sec == at->tv_sec && about.st_mtim.tv_nsec > at->tv_nsec));
}

/* Reads a source file and cuts it into lines. f->count stays 0 if that is not possible. */
static void read_source(source_file *f, const p5_profile *p, int file)
{
    enum { LARGEST = 64 << 20 };
    uint8_t *bytes;
    size_t size, count = 1;
    f->tried = true;
    char *path = profile_source_path(p, file);
    bool read = path != NULL && file_read(path, LARGEST, false, &bytes, &size, NULL) == P5_OK;
    f->newer = read && is_newer(path, p);
    free(path);
    if (!read)
        return;
    f->text = (char *)bytes;
    for (size_t i = 0; i < size; i++)
        count += f->text[i] == '\n';
    f->lines = calloc(count, sizeof *f->lines);
    if (!f->lines)
        return;
    char *at = f->text;
    while (f->count < count) {
        f->lines[f->count++] = at;
        char *end = strchr(at, '\n');
        if (!end)
            break;
        *end = '\0';
        if (end > at && end[-1] == '\r')
            end[-1] = '\0';
        at = end + 1;
    }
}

const char *sources_line(sources *s, int file, unsigned line)
{
    if (file == PROFILE_NO_INDEX || line == 0)
        return NULL;
    source_file *f = &s->files[file];
    if (!f->tried)
        read_source(f, s->p, file);
    return line <= f->count ? f->lines[line - 1] : NULL;
}

bool sources_newer(sources *s, int file)
{
    bool newer = s->files[file].newer;
    s->files[file].newer = false;
    return newer;
}

void sources_close(sources *s)
{
    for (size_t i = 0; s->files && i < s->p->files.count; i++) {
        free(s->files[i].text);
        free(s->files[i].lines);
    }
    free(s->files);
}
