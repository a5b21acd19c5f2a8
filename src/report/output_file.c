/* Opens output files and locks each for one run. */
#include "p5tool/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Locks a regular file and, for P5_OUTPUT_EMPTY, empties it. Returns 0 or an errno. Other files (pipes, terminals)
 * and file systems without locks are used without a lock. */
static int lock_and_empty(int file, p5_output_mode mode)
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
    bool is_new = lstat(path, &about) != 0; /* an existing link is not new, even if it leads nowhere */
    int file = open(path, flags | O_CREAT, 0666);
    if (file < 0)
        return -errno;
    if (made != NULL)
        *made = is_new;
    int failed = lock_and_empty(file, mode);
    if (failed == 0)
        return file;
    close(file);
    return -failed;
}

const char *p5_output_reason(int number)
{
    return number == EWOULDBLOCK ? "another run is writing it" : strerror(number);
}
