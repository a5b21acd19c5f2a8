/* Heat maps: cache sets by misses, sets of the branch target buffer by wrong predictions. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/profile_html.h"

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
    page_number(page, sum);
    fprintf(page->out, " %s; ", unit);
    page_number(page, most);
    fputs(" in the set with the most.</p>\n<div class=\"wide\"><table class=\"heat\"><thead><tr><th>set</th>",
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

void page_btb(const html_page *page)
{
    const p5_profile *p = page->p;
    uint64_t wrong[BTB_SETS] = {0}, valid[BTB_SETS];
    /* P55C: bank and set are bits of the address of the branch's last byte (btb.h). The P54C's depend on the
     * instructions in front of it. */
    for (size_t i = 0; i < p->insns.count; i++) {
        uint32_t last = p->insns.items[i].code.address + p->insns.items[i].code.length - 1;
        wrong[(last >> 4 & 15) << 2 | (last >> 2 & 3)] +=
            page->costs[i].of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS];
    }
    for (unsigned i = 0; i < BTB_SETS; i++)
        valid[i] = p->btb_valid[i];
    page_open(page, "btb", "Branch target buffer");
    if (p->family == P5_FAMILY_P55C)
        write_map(page, "Wrong predictions by set (4 * set + bank)", wrong, BTB_SETS, BTB_COLUMNS,
                  "wrong predictions");
    write_map(page, "Entries in use when the run ended, of 4 in a set", valid, BTB_SETS, BTB_COLUMNS,
              "entries");
    page_close(page);
}
