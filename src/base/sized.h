/* Structs of the API that begin with their size, so that they can grow (include/p5scope/status.h). */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stddef.h>

#include "p5scope/status.h"

/* Copies the caller's struct `from`, which may belong to an earlier or a later version, to this library's struct
 * `to` of type `type`. Members that the caller's version lacks become zero; NULL becomes a struct of zeros. to->size
 * becomes sizeof(type). P5_ERR_STATE if the caller's size is impossible, P5_ERR_UNSUPPORTED if a member that this
 * library lacks is not zero. (`1 ? (to) : (type *)NULL` is `to`, but a compiler warns if it has another type.) */
#define SIZED_COPY_IN(type, to, from, error)                                                                 \
    sized_copy_in(1 ? (to) : (type *)NULL, sizeof(type), 1 ? (from) : (const type *)NULL, #type, error)
p5_status sized_copy_in(void *to, size_t size, const void *from, const char *type, p5_error *error);

/* Checks the size of the caller's struct `to`, which is to get a result: P5_ERR_STATE if it is impossible. */
#define SIZED_CHECK(type, to, error) sized_check(1 ? (to) : (type *)NULL, #type, error)
p5_status sized_check(const void *to, const char *type, p5_error *error);

/* Copies this library's struct `from`, a result, to the caller's struct `to`, as far as the caller's version reaches.
 * to->size stays. SIZED_CHECK must have accepted it. */
#define SIZED_COPY_OUT(to, from) sized_copy_out(to, (1 ? (from) : (to)), sizeof *(from))
void sized_copy_out(void *to, const void *from, size_t size);

/* Returns element `i` of the caller's array, whose elements are as large as the first one says. */
const void *sized_at(const void *array, size_t i);

#endif
