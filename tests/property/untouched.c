#include "untouched.h"

#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

enum { MOST_TAGS = 64 };

struct untouched {
    struct memory memory;
    uint32_t l2[MOST_TAGS];
};

untouched *untouched_open(void)
{
    untouched *u = malloc(sizeof *u);
    if (u == NULL)
        abort();
    return u;
}

static void look_at_l2(const p5_core *core, const p5_retired *r, uint32_t tags[MOST_TAGS])
{
    const board *b = &core->memory->bus.board;
    memset(tags, 0, MOST_TAGS * sizeof *tags);
    for (unsigned i = 0; i < r->access_count && i < MOST_TAGS && b->l2_lines > 0; i++)
        tags[i] = b->l2_tag[r->accesses[i].physical / P5_LINE_BYTES & (b->l2_lines - 1)];
}

void untouched_keep(untouched *u, const p5_core *core, const p5_retired *r)
{
    u->memory = *core->memory;
    look_at_l2(core, r, u->l2);
}

bool untouched_holds(untouched *u, const p5_core *core, const p5_retired *r)
{
    const struct memory *m = core->memory;
    uint32_t l2[MOST_TAGS];
    look_at_l2(core, r, l2);
    memcpy(u->memory.data_tlb.hint, m->data_tlb.hint, sizeof m->data_tlb.hint);
    memcpy(u->memory.code_tlb.hint, m->code_tlb.hint, sizeof m->code_tlb.hint);
    u->memory.long_answer = m->long_answer;
    return memcmp(m, &u->memory, sizeof *m) == 0 && memcmp(l2, u->l2, sizeof l2) == 0;
}
