/* Structs of the API that begin with their size, so that they can grow (include/p5scope/status.h). */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stddef.h>

#include "p5scope/status.h"

/* Copies the caller's struct `from`, which may belong to an earlier or a later version, to this library's struct
 * `to` of type `type`. Members that the caller's version lacks become zero; NULL becomes a struct of zeros.
 * P5_ERR_STATE if the caller's size is impossible, P5_ERR_UNSUPPORTED if a member that this library lacks is not
 * zero. */
#define SIZED_TAKE(type, to, from, error)                                                                    \
    sized_take(1 ? (to) : (type *)NULL, sizeof(type), 1 ? (from) : (const type *)NULL, #type, error)
p5_status sized_take(void *to, size_t size, const void *from, const char *type, p5_error *error);

/* Returns P5_ERR_STATE if the size of the struct to which a result is to go is impossible. */
#define SIZED_CHECK(type, to, error) sized_check(1 ? (to) : (type *)NULL, #type, error)
p5_status sized_check(const void *to, const char *type, p5_error *error);

/* Copies the result `from` to the caller's struct `to`, as far as that reaches; its size stays. */
#define SIZED_GIVE(to, from) sized_give(to, (1 ? (from) : (to)), sizeof *(from))
void sized_give(void *to, const void *from, size_t size);

/* Returns element `i` of the caller's array, whose elements are as large as the first one says. */
const void *sized_at(const void *array, size_t i);

#endif
