/* What build-time generators share. */
#ifndef BASE_GENERATOR_H
#define BASE_GENERATOR_H

#include <stdbool.h>
#include <stdio.h>

/* Closes a generator's output. If it could not be written, prints why, removes it and returns false. */
static inline bool generator_close(FILE *out, const char *path)
{
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return true;
    perror(path);
    remove(path);
    return false;
}

#endif
