#include "report/trace/vcd_queue.h"

static bool before(const vcd_change *a, const vcd_change *b)
{
    return a->clock != b->clock ? a->clock < b->clock : a->order < b->order;
}

bool vcd_queue_add(vcd_queue *queue, const vcd_change *change)
{
    if (!ARRAY_ROOM(&queue->heap))
        return false;
    vcd_change *items = queue->heap.items;
    size_t at = queue->heap.count++;
    for (; at > 0 && before(change, &items[(at - 1) / 2]); at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = *change;
    return true;
}

bool vcd_queue_take(vcd_queue *queue, uint64_t clock, vcd_change *change)
{
    vcd_change *items = queue->heap.items;
    if (queue->heap.count == 0 || items[0].clock >= clock)
        return false;
    *change = items[0];
    vcd_change last = items[--queue->heap.count];
    size_t at = 0, count = queue->heap.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&items[child + 1], &items[child]))
            child++;
        if (!before(&items[child], &last))
            break;
        items[at] = items[child];
    }
    if (count > 0)
        items[at] = last;
    return true;
}
