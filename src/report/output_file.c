/* Opens output files and locks each for one run. */
#include "p5tool/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Locks a regular file and, if that is requested, empties it. Returns 0 or an errno. */
static int prepare(int file, p5_output_mode mode)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return errno;
    if (!S_ISREG(about.st_mode))
        return 0;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return EWOULDBLOCK;
    return mode == P5_OUTPUT_EMPTY && ftruncate(file, 0) != 0 ? errno : 0;
}

int p5_output_open(const char *path, p5_output_mode mode, bool *made)
{
    int flags = O_WRONLY | O_CLOEXEC | (mode == P5_OUTPUT_APPEND ? O_APPEND : 0);
    struct stat about;
    bool is_new = lstat(path, &about) != 0; /* an existing link is kept, even if it leads nowhere */
    int file = open(path, flags | O_CREAT, 0666);
    if (file < 0)
        return -errno;
    if (made != NULL)
        *made = is_new;
    int failed = prepare(file, mode);
    if (failed == 0)
        return file;
    close(file);
    return -failed;
}

const char *p5_output_reason(int number)
{
    return number == EWOULDBLOCK ? "another run is writing it" : strerror(number);
}
