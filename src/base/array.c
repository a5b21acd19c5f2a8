/* Growable arrays: how their memory grows, and searches in sorted ones. array.h has the macros for users. */
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve(void *items, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity)
        return true;
    assert(element_size > 0);
    size_t room = *capacity < 8 ? 8 : *capacity;
    while (room < needed) {
        if (room > SIZE_MAX / 2)
            return false;
        room *= 2;
    }
    if (room > SIZE_MAX / element_size)
        return false;
    void *old; /* *items, which is a pointer of a type unknown here, and may only be copied */
    memcpy(&old, items, sizeof old);
    void *grown = realloc(old, room * element_size);
    if (grown == NULL)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = room;
    assert(*capacity >= needed);
    return true;
}

void array_sort(void *items, size_t count, size_t element_size, int (*order)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, element_size, order);
}

/* Searches by bisection: the elements before `low` have smaller keys, those from `high` on do not. */
size_t array_search(const void *items, size_t count, size_t size, size_t offset, size_t width, uint64_t value)
{
    size_t low = 0, high = count;
    assert(width == sizeof(uint32_t) || width == sizeof(uint64_t));
    assert(offset + width <= size);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *key = (const char *)items + middle * size + offset;
        uint32_t narrow;
        uint64_t wide;
        if (width == sizeof wide) {
            memcpy(&wide, key, sizeof wide);
        } else {
            memcpy(&narrow, key, sizeof narrow);
            wide = narrow;
        }
        if (wide < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether `value` is one of the numbers, which are in ascending order. */
bool array_contains(const uint32_t *numbers, size_t count, uint32_t value)
{
    size_t at = array_search(numbers, count, sizeof *numbers, 0, sizeof *numbers, value);
    assert(at <= count);
    return at < count && numbers[at] == value;
}
