/* Reads the lines of a text file, like getline but with a limit. lines_end says why there are no more. */
#include "base/lines.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

ssize_t lines_next(char **line, size_t *room, FILE *in)
{
    ssize_t length = 0;
    int c = 0;
    while (c != '\n' && (c = getc_unlocked(in)) != EOF) {
        if (length == LINES_LONGEST) {
            errno = 0; /* because lines_end takes ENOMEM for a failed allocation */
            return -1;
        }
        if (!array_reserve(line, room, (size_t)length + 2, 1)) /* with the NUL */
            return -1;
        (*line)[length++] = (char)c;
        (*line)[length] = '\0';
    }
    return length > 0 ? length : -1;
}

p5_status lines_end(FILE *in, p5_error *error)
{
    if (feof(in))
        return P5_OK;
    if (ferror(in))
        return error_set(error, P5_ERR_IO, "cannot read the file: %s", strerror(errno));
    if (errno == ENOMEM)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_set(error, P5_ERR_FORMAT, "the next line has more than %d bytes", LINES_LONGEST);
}
