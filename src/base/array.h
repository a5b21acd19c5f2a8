/* A growable array of any element type. The type is given where the array is declared; the array's code only
 * knows the element size. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes *capacity, the number of elements for which the array has space, at least `needed`. `items` is the address
 * of the array's pointer, whatever its element type; realloc may change that pointer. Returns false and changes
 * nothing if memory runs out. */
bool array_reserve(void *items, size_t *capacity, size_t needed, size_t element_size);

/* Declares a growable array. It is empty if all members are 0; its owner frees `items`. */
#define ARRAY_OF(TYPE)                                                                                       \
    struct {                                                                                                 \
        TYPE *items;                                                                                         \
        size_t count;    /* elements in use */                                                               \
        size_t capacity; /* elements for which `items` has space */                                          \
    }

/* Reserves space for one more element of `array`; evaluates to false if memory runs out. */
#define ARRAY_ROOM(array)                                                                                    \
    ((array)->count < (array)->capacity ||                                                                   \
     array_reserve(&(array)->items, &(array)->capacity, (array)->count + 1, sizeof *(array)->items))

/* Adds an element, which is evaluated once; evaluates to false if memory runs out. */
#define ARRAY_ADD(array, ...) (ARRAY_ROOM(array) && ((array)->items[(array)->count++] = __VA_ARGS__, true))

/* Compares two numbers for qsort: negative, 0 or positive. a ?: b orders by `b` what `a` finds equal. */
#define ARRAY_ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/* Sorts with qsort. `order` compares two elements as for qsort; the array may be empty. */
#define ARRAY_SORT(array, order) array_sort((array)->items, (array)->count, sizeof *(array)->items, order)
void array_sort(void *items, size_t count, size_t element_size, int (*order)(const void *, const void *));

/* Returns the index of the first of `count` elements whose key is not less than `value`, or `count` if there
 * is none. Elements are `size` bytes in ascending order of their keys. A key is a uint32_t or uint64_t of
 * `width` bytes, `offset` bytes into its element. */
size_t array_search(const void *items, size_t count, size_t size, size_t offset, size_t width,
                    uint64_t value);

/* Searches `count` structs that are in ascending order of their member `key`, as array_search does. To find the first
 * range that ends after an address, search for address + 1ull with the ranges' end as the key. */
#define ARRAY_SEARCH(items, count, key, value)                                                               \
    array_search(items, count, sizeof *(items), offsetof(__typeof__(*(items)), key), sizeof(items)->key,     \
                 value)

/* Returns whether `value` is one of `count` numbers in ascending order. */
bool array_contains(const uint32_t *numbers, size_t count, uint32_t value);

#endif
