/* Reads whole files into memory. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Sets the error "cannot WHAT the file: reason" with the reason that errno has. */
static p5_status failed_to(const char *what, p5_error *error)
{
    return error_set(error, P5_ERR_IO, "cannot %s the file: %s", what, strerror(errno));
}

/* Does what file_read does with a file that is open. *size must be 0. After an error the caller frees *bytes. */
static p5_status read_all(int fd, size_t limit, bool pipes, uint8_t **bytes, size_t *size, p5_error *error)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return failed_to("examine", error);
    if (!S_ISREG(about.st_mode) && !pipes)
        return error_set(error, P5_ERR_FORMAT, "this is not a regular file");
    /* The size of a pipe or device is unknown. One byte beyond the limit is read, to detect that there are too many. */
    size_t most = S_ISREG(about.st_mode) ? (size_t)about.st_size : limit + 1;
    if (S_ISREG(about.st_mode) && most > limit)
        return error_set(error, P5_ERR_FORMAT, "the file is larger than %zu MB", limit >> 20);
    *bytes = malloc(most + 1);
    if (*bytes == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the file");
    while (*size < most) {
        ssize_t got = read(fd, *bytes + *size, most - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed_to("read", error);
        if (got == 0)
            break; /* the end of a pipe or device, or the file has shrunk since fstat */
        *size += (size_t)got;
    }
    if (*size > limit)
        return error_set(error, P5_ERR_FORMAT, "the file is larger than %zu MB", limit >> 20);
    (*bytes)[*size] = '\0';
    return P5_OK;
}

/* Reads the file at `path`. Without `pipes`, opening does not wait for the writer of a named pipe, and read_all refuses
 * it. */
p5_status file_read(const char *path, size_t limit, bool pipes, uint8_t **bytes, size_t *size,
                    p5_error *error)
{
    *bytes = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (pipes ? 0 : O_NONBLOCK));
    p5_status status = fd < 0 ? failed_to("open", error) : read_all(fd, limit, pipes, bytes, size, error);
    if (fd >= 0)
        close(fd);
    if (status != P5_OK) {
        free(*bytes);
        *bytes = NULL;
        error_at(error, path, 0, 0);
    }
    return status;
}
