/* A growable array of any element type. The element type stands at the use; the array only knows its size. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Adds an element, which is evaluated once; false when memory is out. */
#define ARRAY_ADD(array, ...) (ARRAY_ROOM(array) && ((array)->items[(array)->count++] = __VA_ARGS__, true))

/* qsort, also of nothing. */
#define ARRAY_SORT(array, order) array_sort((array)->items, (array)->count, sizeof *(array)->items, order)
void array_sort(void *items, size_t count, size_t element_size, int (*order)(const void *, const void *));

/* Index of the first of `count` elements whose key is not less than `value`; `count` if there is none.
 * Elements are `size` bytes, ascend by their keys, and a key is a uint32_t or uint64_t of `width` bytes,
 * `offset` bytes into its element. */
size_t array_search(const void *items, size_t count, size_t size, size_t offset, size_t width,
                    uint64_t value);

/* The same by the member `key`. Of ranges that ascend, the first that reaches beyond an address is the first
 * whose end is not less than the address + 1ull. */
#define ARRAY_SEARCH(items, count, key, value)                                                               \
    array_search(items, count, sizeof *(items), offsetof(__typeof__(*(items)), key), sizeof(items)->key,     \
                 value)

/* True if `value` is one of `count` numbers, which ascend. */
bool array_contains(const uint32_t *numbers, size_t count, uint32_t value);

#endif
