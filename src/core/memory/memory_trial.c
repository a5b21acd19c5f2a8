#include "core/memory/memory_trial.h"

#include <string.h>

void memory_trial_begin(memory_trial *t, struct memory *m)
{
    t->count = 0;
    memcpy(t->tlb_lru, m->data_tlb.lru, sizeof t->tlb_lru);
    t->tlb_last = m->data_tlb.last;
    t->read_quiet = m->read_quiet;
    t->write_quiet = m->write_quiet;
    t->ewbe_at = m->ewbe_at;
    t->data_fill = m->data_fill;
    t->writes = m->writes;
    t->bus = m->bus;
    t->totals = m->totals;
    t->uses = m->uses;
    m->bus.log = bus_log_in(t->on_bus);
    m->totals = m->bus.totals = &t->nobodys;
    m->uses = t->nobodys_uses;
}

void memory_trial_end(memory_trial *t, struct memory *m)
{
    while (t->count > 0) {
        t->count--;
        unsigned set = t->references[t->count].set;
        memcpy(m->data.at_hand[set], t->references[t->count].at_hand, sizeof m->data.at_hand[set]);
        memcpy(m->data.tag[set], t->references[t->count].tag, sizeof m->data.tag[set]);
        memcpy(m->data.state[set], t->references[t->count].state, sizeof m->data.state[set]);
        m->data.lru[set] = t->references[t->count].lru;
        if (t->references[t->count].l2_tag != NULL)
            *t->references[t->count].l2_tag = t->references[t->count].l2_line;
    }
    memcpy(m->data_tlb.lru, t->tlb_lru, sizeof t->tlb_lru);
    m->data_tlb.last = t->tlb_last;
    m->read_quiet = t->read_quiet;
    m->write_quiet = t->write_quiet;
    m->ewbe_at = t->ewbe_at;
    m->data_fill = t->data_fill;
    m->writes = t->writes;
    m->bus = t->bus;
    m->totals = t->totals;
    m->uses = t->uses;
}

/* A reference changes nothing of the caches but the set of its line, and there the tag of its line. */
static void keep_sets(memory_trial *t, const struct memory *m, uint32_t physical)
{
    unsigned set = cache_set(physical), n = t->count++;
    const board *b = &m->bus.board;
    t->references[n].set = set;
    memcpy(t->references[n].at_hand, m->data.at_hand[set], sizeof m->data.at_hand[set]);
    memcpy(t->references[n].tag, m->data.tag[set], sizeof m->data.tag[set]);
    memcpy(t->references[n].state, m->data.state[set], sizeof m->data.state[set]);
    t->references[n].lru = m->data.lru[set];
    t->references[n].l2_tag = NULL;
    if (physical < b->l2_bytes) {
        t->references[n].l2_tag = &b->l2_tag[physical / CACHE_LINE & (b->l2_lines - 1)];
        t->references[n].l2_line = *t->references[n].l2_tag;
    }
}

uint64_t memory_trial_ask(memory_trial *t, struct memory *m, const p5_access *access, uint64_t asked,
                          bool mmx, bool v_pipe)
{
    if (!m->quick || t->count == TRIAL_REFERENCES || (access->flags & ~(unsigned)P5_ACCESS_WRITE) != 0 ||
        *m->hooks.memory_apart) /* what is written would be looked at */
        return QUICK_NOT;
    keep_sets(t, m, access->physical);
    uint64_t answer = memory_quick(m, access, asked, 0, mmx, v_pipe);
    if (answer == QUICK_NOT && memory_data_usual(m, access, asked))
        answer = QUICK_USUAL;
    return answer;
}
