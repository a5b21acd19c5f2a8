/* Two memory sides that went to the same state on two ways. */
#ifndef TEST_SAME_STATE_H
#define TEST_SAME_STATE_H

#include "fixture.h"

/* What the pipe counts for a usual hit. */
static inline void count_hit(fixture *f, const p5_access *access)
{
    bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    counts_add(&f->totals, write ? P5_EVENT_DATA_WRITE : P5_EVENT_DATA_READ, P5_CPL_KERNEL, 1, 1);
    counts_add(&f->totals, P5_EVENT_DATA_READ_OR_WRITE, P5_CPL_KERNEL, 1, 1);
    if (write)
        counts_add(&f->totals, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, P5_CPL_KERNEL, 1, 1);
}

static inline void same_tlb(const char *model, const tlb *a, const tlb *b)
{
    if (memcmp(a->row, b->row, sizeof a->row) != 0 || memcmp(a->lru, b->lru, sizeof a->lru) != 0)
        fail_msg("%s: the TLBs differ", model);
}

static inline void same_state(const char *model, fixture *a, fixture *b)
{
    if (memcmp(a->memory->data.tag, b->memory->data.tag, sizeof a->memory->data.tag) != 0 ||
        memcmp(a->memory->data.state, b->memory->data.state, sizeof a->memory->data.state) != 0 ||
        memcmp(a->memory->data.lru, b->memory->data.lru, sizeof a->memory->data.lru) != 0)
        fail_msg("%s: the data caches differ", model);
    if (memcmp(a->memory->code.tag, b->memory->code.tag, sizeof a->memory->code.tag) != 0 ||
        memcmp(a->memory->code.lru, b->memory->code.lru, sizeof a->memory->code.lru) != 0)
        fail_msg("%s: the code caches differ", model);
    const struct memory *m = a->memory, *n = b->memory;
    if (m->data_fill.line != n->data_fill.line || m->data_fill.done != n->data_fill.done ||
        m->read_idle != n->read_idle || m->write_idle != n->write_idle || m->ewbe_at != n->ewbe_at)
        fail_msg("%s: what is under way differs", model);
    if (memcmp(&m->writes, &n->writes, sizeof m->writes) != 0)
        fail_msg("%s: the write buffers differ", model);
    if (m->bus.free != n->bus.free || m->bus.begun != n->bus.begun || m->bus.foreign != n->bus.foreign ||
        m->bus.own != n->bus.own || m->bus.board.open_page != n->bus.board.open_page ||
        m->bus.board.dram_free != n->bus.board.dram_free)
        fail_msg("%s: the buses differ", model);
    same_tlb(model, &a->memory->data_tlb, &b->memory->data_tlb);
    same_tlb(model, &a->memory->data_tlb_large, &b->memory->data_tlb_large);
    same_tlb(model, &a->memory->code_tlb, &b->memory->code_tlb);
    memory_fold(a->memory);
    memory_fold(b->memory);
    for (unsigned event = 0; event < P5_EVENT_COUNT; event++)
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
            if (a->totals.increments[event][class] != b->totals.increments[event][class] ||
                a->totals.asserted[event][class] != b->totals.asserted[event][class])
                fail_msg("%s: event %s: %lu on one way, %lu on the other", model,
                         p5_event_describe(event)->name, (unsigned long)a->totals.increments[event][class],
                         (unsigned long)b->totals.increments[event][class]);
}

#endif
