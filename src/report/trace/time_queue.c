#include "report/trace/time_queue.h"

static bool before(const timed *a, const timed *b)
{
    return a->clock != b->clock ? a->clock < b->clock : a->order < b->order;
}

bool time_queue_add(time_queue *queue, const timed *item)
{
    if (!ARRAY_ROOM(&queue->heap))
        return false;
    timed *items = queue->heap.items;
    size_t at = queue->heap.count++;
    for (; at > 0 && before(item, &items[(at - 1) / 2]); at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = *item;
    return true;
}

bool time_queue_take(time_queue *queue, uint64_t clock, timed *item)
{
    timed *items = queue->heap.items;
    if (queue->heap.count == 0 || items[0].clock >= clock)
        return false;
    *item = items[0];
    timed last = items[--queue->heap.count];
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
