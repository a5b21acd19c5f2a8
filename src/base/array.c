#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve(void *items, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity)
        return true;
    size_t room = *capacity < 8 ? 8 : *capacity;
    while (room < needed) {
        if (room > SIZE_MAX / 2)
            return false;
        room *= 2;
    }
    if (room > SIZE_MAX / element_size)
        return false;
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = realloc(old, room * element_size);
    if (grown == NULL)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = room;
    return true;
}
