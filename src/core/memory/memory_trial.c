#include "core/memory/memory_trial.h"

#include <string.h>

void memory_trial_begin(memory_trial *t, struct memory *m)
{
    t->count = 0;
    t->tlb_order = m->data_tlb.order;
    t->read_quiet = m->read_quiet;
    t->write_quiet = m->write_quiet;
    t->ewbe_at = m->ewbe_at;
    t->data_fill = m->data_fill;
    t->writes = m->writes;
    t->bus = m->bus;
    t->totals = m->totals;
    t->uses = m->uses;
    t->observer = m->observer;
    m->bus.log = bus_log_in(t->on_bus);
    m->totals = m->bus.totals = &t->nobodys;
    m->uses = t->nobodys_uses;
    m->observer = NULL;
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
    m->data_tlb.order = t->tlb_order;
    m->read_quiet = t->read_quiet;
    m->write_quiet = t->write_quiet;
    m->ewbe_at = t->ewbe_at;
    m->data_fill = t->data_fill;
    m->writes = t->writes;
    m->bus = t->bus;
    m->totals = t->totals;
    m->uses = t->uses;
    m->observer = t->observer;
}

/* Saves the state that a reference can change in the caches: the set of its line, and its tag in the board's
 * L2. */
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

/* Returns whether the reference changes nothing else: its line is cacheable and not in the code cache, no
 * other line becomes exclusive, no page is walked, and the owner needs no copy of what is written. */
static bool can_try(const struct memory *m, const p5_access *access, unsigned how)
{
    return !m->special && (access->flags & ~(unsigned)P5_ACCESS_WRITE) == 0 && how < HOW_LOCK &&
           memory_within_line(access) && !model_uncacheable(m->model, access->physical) &&
           m->writes.upgrade_at == UINT64_MAX && !memory_has_code(m, access->physical) &&
           !*m->hooks.keeps_memory && memory_has_page(m, access);
}

uint64_t memory_trial_ask(memory_trial *t, struct memory *m, const p5_access *access, uint64_t asked,
                          unsigned how)
{
    if (t->count == TRIAL_REFERENCES || !can_try(m, access, how))
        return DATA_LONG;
    keep_sets(t, m, access->physical);
    return memory_ask(m, access, asked, how);
}
