/* Fills in p5_error: status, message, place and hint. All functions accept NULL for `error`. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

const char *p5_status_text(p5_status status)
{
    static const char *const sentences[] = {
        [P5_OK] = "No error.",
        [P5_ERR_MEMORY] = "The host is out of memory.",
        [P5_ERR_IO] = "A host file could not be opened, read or written.",
        [P5_ERR_FORMAT] = "A guest file is not of the expected format.",
        [P5_ERR_SYNTAX] = "The text does not parse.",
        [P5_ERR_NAME] = "There is nothing of that name.",
        [P5_ERR_RANGE] = "A number is out of its range, or an argument is missing.",
        [P5_ERR_UNSUPPORTED] = "This model or build cannot do that.",
        [P5_ERR_ENGINE] = "The CPU engine failed or is not the one that p5scope was written for.",
        [P5_ERR_STATE] = "The call does not fit the state of the object."};
    bool known = (size_t)status < sizeof sentences / sizeof sentences[0];
    return known ? sentences[status] : "Unknown status code.";
}

/* Adds a hint to an error of memory if the process has a limit that may be its cause. */
static void hint_at_limit(p5_error *error)
{
    struct rlimit address_space;
    if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
        error_hint(error,
                   "the address space is limited to %llu MB (ulimit -v): raise the limit or lower --mem",
                   (unsigned long long)address_space.rlim_cur >> 20);
}

/* Overwrites the whole error. */
static p5_status set(p5_error *error, p5_status status, const char *format, va_list arguments)
{
    if (error == NULL)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    if (status == P5_ERR_MEMORY)
        hint_at_limit(error);
    return status;
}

p5_status error_set(p5_error *error, p5_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, status, format, arguments);
    va_end(arguments);
    return status;
}

p5_status error_set_at(p5_error *error, p5_status status, error_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, status, format, arguments);
    va_end(arguments);
    error_at(error, place.where, place.line, place.column);
    return status;
}

p5_status error_unless_written(p5_error *error, FILE *out, const char *what)
{
    int earlier =
        errno; /* the reason if an earlier write failed, in which case fflush may have nothing to do */
    if (fflush(out) != 0)
        earlier = errno;
    else if (!ferror(out))
        return P5_OK;
    return error_set(error, P5_ERR_IO, "cannot write %s: %s", what, strerror(earlier));
}

p5_status error_null(p5_error *error, const char *name)
{
    return error_set(error, P5_ERR_RANGE, "the argument `%s` is NULL", name);
}

void error_at(p5_error *error, const char *where, unsigned line, unsigned column)
{
    if (error == NULL)
        return;
    snprintf(error->where, sizeof error->where, "%s", where != NULL ? where : "");
    error->line = line;
    error->column = column;
}

/* Adds `path` as the place of an error that has none yet. */
p5_status error_in(p5_error *error, p5_status status, const char *path)
{
    if (status != P5_OK && error != NULL && error->where[0] == '\0')
        error_at(error, path, 0, 0);
    return status;
}

void error_nearest(p5_error *error, const text_nearest *nearest)
{
    char sentence[P5_ERROR_TEXT];
    error_hint(error, "%s", text_nearest_sentence(nearest, sentence, sizeof sentence));
}

void error_hint(p5_error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}
