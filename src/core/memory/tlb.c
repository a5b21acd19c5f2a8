#include "core/memory/tlb.h"

#include <string.h>

void tlb_init(tlb *t, unsigned sets, unsigned ways, bool large_only)
{
    memset(t, 0, sizeof *t);
    t->sets = sets;
    t->ways = ways;
    while (1u << t->way_bits < ways)
        t->way_bits++;
    t->page_bits = large_only ? 22 : 12;
    replacement_init(&t->order, ways);
    for (unsigned entry = 0; entry < sets * ways; entry++) {
        t->row[entry].keep = t->order.keep[entry % ways];
        t->row[entry].point = t->order.point[entry % ways];
        t->row[entry].set = (uint8_t)(entry / ways);
    }
}

void tlb_flush(tlb *t)
{
    for (unsigned entry = 0; entry < TLB_ENTRIES; entry++)
        t->row[entry].key = (tlb_keys){{0}};
    memset(t->lru, 0, sizeof t->lru);
    t->last = (tlb_keys){{0}};
}

/* Set index: the low bits of the linear page number. */
static unsigned first_entry(const tlb *t, uint32_t linear)
{
    return ((linear >> t->page_bits) & (t->sets - 1)) << t->way_bits;
}

int tlb_find(tlb *t, uint32_t key)
{
    unsigned hint = tlb_hint_of(key);
    if (t->row[t->hint[hint]].key.of[0] == key)
        return t->hint[hint];
    unsigned first = first_entry(t, key);
    for (unsigned entry = first; entry < first + t->ways; entry++)
        if (t->row[entry].key.of[0] == key) {
            t->hint[hint] = (uint8_t)entry;
            return (int)entry;
        }
    return -1;
}

unsigned tlb_fill(tlb *t, uint32_t key, uint32_t physical, uint8_t attributes, bool dirty)
{
    unsigned first = first_entry(t, key), way = 0;
    while (way < t->ways && t->row[first + way].key.of[0] != 0)
        way++;
    if (way == t->ways)
        way = replacement_victim(&t->order, t->lru[first >> t->way_bits]);
    unsigned entry = first + way;
    t->row[entry].key = (tlb_keys){{key, dirty ? key : 0}};
    t->row[entry].physical = physical & ((key & TLB_LARGE) != 0 ? 0xffc00000u : 0xfffff000u);
    t->row[entry].attributes = attributes;
    t->hint[tlb_hint_of(key)] = (uint8_t)entry;
    tlb_used(t, entry);
    return entry;
}

void tlb_set_dirty(tlb *t, unsigned entry)
{
    t->row[entry].key.of[1] = t->row[entry].key.of[0];
    t->last = (tlb_keys){{0}};
}

void tlb_drop(tlb *t, unsigned entry)
{
    t->row[entry].key = t->last = (tlb_keys){{0}};
}

void tlb_invalidate(tlb *t, uint32_t linear)
{
    int entry;
    /* more than one only if a test register wrote the page twice */
    while ((entry = tlb_find(t, tlb_key(linear, false))) >= 0)
        tlb_drop(t, (unsigned)entry);
    while ((entry = tlb_find(t, tlb_key(linear, true))) >= 0)
        tlb_drop(t, (unsigned)entry);
}

tlb_entry tlb_get(const tlb *t, unsigned entry)
{
    uint32_t key = t->row[entry].key.of[0];
    return (tlb_entry){key & 0xfffff000u,           t->row[entry].physical,       (key & TLB_VALID) != 0,
                       (key & TLB_LARGE) != 0,      t->row[entry].key.of[1] != 0, t->row[entry].attributes,
                       t->lru[entry >> t->way_bits]};
}

unsigned tlb_place(const tlb *t, uint32_t key, unsigned way)
{
    return first_entry(t, key) + (way & (t->ways - 1));
}

void tlb_put(tlb *t, unsigned way, const tlb_entry *from)
{
    unsigned entry = tlb_place(t, from->linear, way);
    uint32_t key = from->valid ? tlb_key(from->linear, from->large) : 0;
    t->last = (tlb_keys){{0}};
    t->row[entry].key = (tlb_keys){{key, from->dirty ? key : 0}};
    t->row[entry].physical = from->physical;
    t->row[entry].attributes = from->attributes;
    t->lru[entry >> t->way_bits] = from->lru;
}
