#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/state.h"

static p5_status machine_file_error(const char *path, const char *what, p5_error *error)
{
    error_set(error, P5_ERR_IO, "cannot %s the file: %s", what, strerror(errno));
    error_at(error, path, 0, 0);
    return P5_ERR_IO;
}

p5_status machine_read_file(const char *path, size_t limit, uint8_t **bytes, size_t *size, p5_error *error)
{
    *bytes = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return machine_file_error(path, "open", error);
    struct stat about;
    p5_status status = P5_OK;
    if (fstat(fd, &about) != 0)
        status = machine_file_error(path, "examine", error);
    else if (!S_ISREG(about.st_mode))
        status = error_set(error, P5_ERR_FORMAT, "this is not a regular file");
    else if ((uint64_t)about.st_size > limit)
        status = error_set(error, P5_ERR_FORMAT, "the file is larger than %zu MB", limit >> 20);
    else if ((*bytes = malloc((size_t)about.st_size + 1)) == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for the file");
    while (status == P5_OK && *size < (size_t)about.st_size) {
        ssize_t got = read(fd, *bytes + *size, (size_t)about.st_size - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = machine_file_error(path, "read", error);
        if (got <= 0)
            break; /* shrunk while being read: what is there counts */
        *size += (size_t)got;
    }
    close(fd);
    if (status != P5_OK) {
        free(*bytes);
        *bytes = NULL;
        error_at(error, path, 0, 0);
    }
    return status;
}
