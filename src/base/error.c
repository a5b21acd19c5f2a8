#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

const char *p5_status_text(p5_status status)
{
    switch (status) {
    case P5_OK:
        return "No error.";
    case P5_ERR_MEMORY:
        return "The host is out of memory.";
    case P5_ERR_IO:
        return "A host file could not be opened, read or written.";
    case P5_ERR_FORMAT:
        return "A guest file is not of the expected format.";
    case P5_ERR_SYNTAX:
        return "The text does not parse.";
    case P5_ERR_NAME:
        return "There is nothing of that name.";
    case P5_ERR_RANGE:
        return "A number is out of its range.";
    case P5_ERR_UNSUPPORTED:
        return "This model or build cannot do that.";
    case P5_ERR_ENGINE:
        return "The CPU engine failed or is not the one that p5scope was written for.";
    case P5_ERR_STATE:
        return "The call does not fit the state of the object.";
    }
    return "Unknown status code.";
}

/* Memory that the host has not given: what is in the way, where that is known. */
static void hint_at_limit(p5_error *error)
{
    struct rlimit address_space;
    if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
        error_hint(error,
                   "the address space is limited to %llu MB (ulimit -v): raise the limit or lower --mem",
                   (unsigned long long)address_space.rlim_cur >> 20);
}

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

p5_status error_set_at(p5_error *error, p5_status status, const char *where, unsigned line, unsigned column,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, status, format, arguments);
    va_end(arguments);
    error_at(error, where, line, column);
    return status;
}

p5_status error_unless_written(p5_error *error, FILE *out, const char *what)
{
    int earlier = errno; /* a write before may have failed, and nothing be left to send */
    if (fflush(out) != 0)
        earlier = errno;
    else if (!ferror(out))
        return P5_OK;
    return error_set(error, P5_ERR_IO, "cannot write %s: %s", what, strerror(earlier));
}

void error_at(p5_error *error, const char *where, unsigned line, unsigned column)
{
    if (error == NULL)
        return;
    snprintf(error->where, sizeof error->where, "%s", where != NULL ? where : "");
    error->line = line;
    error->column = column;
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
