/* Heat maps: cache sets by misses, sets of the branch target buffer by wrong predictions. */
#include <inttypes.h>

#include "report/profile/html.h"

enum { COLUMNS = 16, BTB_COLUMNS = 8 };

static void write_map(const html_page *page, const char *caption, const uint64_t *sets, unsigned count,
                      unsigned columns, const char *unit)
{
    uint64_t most = 0, sum = 0;
    for (unsigned i = 0; i < count; i++) {
        most = sets[i] > most ? sets[i] : most;
        sum += sets[i];
    }
    fprintf(page->out, "<h3>%s</h3>\n<p class=\"soft\">", caption);
    if (sum == 0) {
        fprintf(page->out, "No %s.</p>\n", unit);
        return;
    }
    page_number(page, sum);
    fprintf(page->out, " %s; ", unit);
    page_number(page, most);
    fputs(" in the set with the most.</p>\n<div class=\"wide\" tabindex=\"0\"><table "
          "class=\"heat\"><thead><tr><th>set</th>",
          page->out);
    for (unsigned i = 0; i < columns; i++)
        fprintf(page->out, "<th>+%u</th>", i);
    fputs("</tr></thead><tbody>\n", page->out);
    for (unsigned i = 0; i < count; i++) {
        if (i % columns == 0)
            fprintf(page->out, "%s<tr><th>%u</th>", i ? "</tr>\n" : "", i);
        fprintf(page->out, "<td style=\"--h:%.3f\" title=\"set %u: %" PRIu64 " %s\">%" PRIu64 "</td>",
                most ? (double)sets[i] / (double)most : 0, i, sets[i], unit, sets[i]);
    }
    fputs("</tr>\n</tbody></table></div>\n", page->out);
}

void page_caches(const html_page *page)
{
    page_open(page, "caches", "Cache sets");
    fprintf(page->out,
            "<p>Data cache %u ways, code cache %u ways, %d sets of 32-byte lines. A few hot sets among "
            "cold ones are conflicts: lines whose addresses are a multiple of 4 KB apart.</p>\n",
            page->p->data_ways, page->p->code_ways, PROFILE_SETS);
    write_map(page, "Data cache: misses by set", page->p->data_misses, PROFILE_SETS, COLUMNS, "misses");
    write_map(page, "Code cache: misses by set", page->p->code_misses, PROFILE_SETS, COLUMNS, "misses");
    page_close(page);
}

/* An address with the function that it lies in. */
static void write_place(const html_page *page, uint32_t address)
{
    char room[16];
    fprintf(page->out, "%08" PRIx32, address);
    if (profile_function_at(page->p, address) == PROFILE_NO_INDEX)
        return;
    fputc(' ', page->out);
    page_text(page, profile_name_at(page->p, address, room));
}

static void write_entry(const html_page *page, const core_btb_entry *e)
{
    static const char *const types[] = {"jcc", "jmp", "call", "ret"};
    fprintf(page->out, "<td class=\"%s\" data-btb=\"%u.%u\">", e->taken ? "taken" : "fall", e->set, e->way);
    write_place(page, e->key);
    fputs("<br>&rarr; ", page->out);
    write_place(page, e->target);
    fputs("<br><span class=\"soft\">", page->out);
    if (page->p->family == P5_FAMILY_P54C)
        fprintf(page->out, "state %u, ", e->detail);
    else
        fprintf(page->out, "%s, history %u%u%u%u, ", types[e->type], e->detail >> 3 & 1, e->detail >> 2 & 1,
                e->detail >> 1 & 1, e->detail & 1);
    fprintf(page->out, "predicted %s</span></td>", e->taken ? "taken" : "not taken");
}

/* All sets that hold something, way by way. */
static void write_entries(const html_page *page)
{
    const p5_profile *p = page->p;
    bool pairs = p->family == P5_FAMILY_P54C;
    fprintf(
        page->out,
        "<details><summary>What it held: %zu of %d entries</summary>\n<p class=\"soft\">%s Shaded: predicted "
        "taken.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Entries of the branch "
        "target "
        "buffer\"><table class=\"btb\"><thead><tr><th>%s</th><th>way 0</th><th>way 1</th><th>way "
        "2</th><th>way "
        "3</th></tr></thead><tbody>\n",
        p->btb.count, CORE_BTB_SETS * CORE_BTB_WAYS,
        pairs
            ? "Of a branch the entry has the address of the pair that was executed before it, its target, "
              "and a "
              "state: 2 and 3 predict taken."
            : "Of a branch the entry has the address of its last byte, its target, and whether its last four "
              "executions took it.",
        pairs ? "set" : "set.bank");
    for (size_t i = 0; i < p->btb.count;) {
        unsigned set = p->btb.items[i].set;
        if (pairs)
            fprintf(page->out, "<tr><th>%u</th>", set);
        else
            fprintf(page->out, "<tr><th>%u.%u</th>", set / CORE_BTB_WAYS, set % CORE_BTB_WAYS);
        for (unsigned way = 0; way < CORE_BTB_WAYS; way++) {
            if (i < p->btb.count && p->btb.items[i].set == set && p->btb.items[i].way == way)
                write_entry(page, &p->btb.items[i++]);
            else
                fputs("<td></td>", page->out);
        }
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody></table></div></details>\n", page->out);
}

void page_btb(const html_page *page)
{
    const p5_profile *p = page->p;
    uint64_t wrong[CORE_BTB_SETS] = {0}, used[CORE_BTB_SETS] = {0};
    /* P55C: bank and set are bits of the address of the branch's last byte (core/branch/btb.h). */
    for (size_t i = 0; i < p->insns.count; i++) {
        uint32_t last = (uint32_t)p->insns.items[i].code.address + p->insns.items[i].code.length - 1;
        wrong[(last >> 4 & 15) << 2 | (last >> 2 & 3)] +=
            page->costs[i].of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS];
    }
    for (size_t i = 0; i < p->btb.count; i++)
        used[p->btb.items[i].set]++;
    page_open(page, "btb", "Branch target buffer");
    if (p->family == P5_FAMILY_P55C)
        write_map(page, "Wrong predictions by set (4 * set + bank)", wrong, CORE_BTB_SETS, BTB_COLUMNS,
                  "wrong predictions");
    else
        fputs("<p>The set of a branch follows from the pair executed before it, so that one branch can have "
              "several "
              "entries; its wrong predictions stand with its code above.</p>\n",
              page->out);
    write_map(page, "Entries in use when the run ended, of 4 in a set", used, CORE_BTB_SETS, BTB_COLUMNS,
              "entries");
    write_entries(page);
    page_close(page);
}
