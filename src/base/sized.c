/* Copies between the caller's version of a struct and the library's. Such a struct begins with its size, a size_t; one
 * version has more members at its end than another (include/p5scope/status.h). */
#include "base/sized.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* Bytes. No struct of any version is larger, so a greater size was never set. */
enum { LARGEST = 1 << 16 };

/* Returns the size with which a struct begins. */
static size_t size_of(const void *sized)
{
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

p5_status sized_check(const void *to, const char *type, p5_error *error)
{
    const size_t theirs = size_of(to);
    if (theirs <= sizeof theirs || theirs > LARGEST)
        return error_set(error, P5_ERR_STATE, "%s.size is %zu; set it to sizeof (%s)", type, theirs, type);
    return P5_OK;
}

p5_status sized_copy_in(void *to, size_t size, const void *from, const char *type, p5_error *error)
{
    memset(to, 0, size);
    memcpy(to, &size, sizeof size);
    if (from == NULL)
        return P5_OK;
    p5_status status = sized_check(from, type, error);
    if (status != P5_OK)
        return status;
    const size_t theirs = size_of(from);
    const size_t common = theirs < size ? theirs : size;
    memcpy((uint8_t *)to + sizeof size, (const uint8_t *)from + sizeof size, common - sizeof size);
    for (size_t i = size; i < theirs; i++)
        if (((const uint8_t *)from)[i] != 0)
            return error_set(error, P5_ERR_UNSUPPORTED,
                             "%s: a member at offset %zu is set, which this version of the library lacks",
                             type, i);
    return P5_OK;
}

void sized_copy_out(void *to, const void *from, size_t size)
{
    const size_t theirs = size_of(to), common = theirs < size ? theirs : size;
    if (common > sizeof size)
        memcpy((uint8_t *)to + sizeof size, (const uint8_t *)from + sizeof size, common - sizeof size);
}

const void *sized_at(const void *array, size_t i)
{
    return (const uint8_t *)array + i * size_of(array);
}
