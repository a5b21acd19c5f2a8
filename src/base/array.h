/* A growable array of any element type. The element type stands at the use; the array only knows its size. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` elements of `element_size` bytes. `items` is the address of the array's pointer, of
 * whatever element type. False (and nothing changed) when memory is out. */
bool array_reserve(void *items, size_t *capacity, size_t needed, size_t element_size);

/* Declares a growable array field set: TYPE *items; size_t count, capacity. */
#define ARRAY_OF(TYPE)                                                                                       \
    struct {                                                                                                 \
        TYPE *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Room for one more element of `array`; evaluates to false when memory is out. */
#define ARRAY_ROOM(array)                                                                                    \
    ((array)->count < (array)->capacity ||                                                                   \
     array_reserve(&(array)->items, &(array)->capacity, (array)->count + 1, sizeof *(array)->items))

#endif
