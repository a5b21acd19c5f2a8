/* Finds out whether a file of the host has changed since a snapshot was made, from its size and the time of its last
 * change. */
#include "machine/share/host_file.h"

#include <inttypes.h>
#include <sys/stat.h>

const snapshot_table host_file_state = {SNAPSHOT(host_file, "host_file", FIELD_MOST(INT64_MAX, bytes),
                                                 FIELD_ANY(seconds), FIELD_MOST(999999999, nanoseconds))};

host_file host_file_of(int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return (host_file){0};
    return (host_file){(uint64_t)about.st_size, about.st_mtim.tv_sec, (uint32_t)about.st_mtim.tv_nsec};
}

void host_file_check(const host_file *was, int descriptor, const char *path, snapshot *s)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        snapshot_refuse(s, "the guest's open file %s is no longer a regular file", path);
        return;
    }
    host_file is = host_file_of(descriptor);
    if (is.bytes != was->bytes)
        snapshot_refuse(s,
                        "the guest's open file %s has changed since the snapshot was made (%" PRIu64
                        " bytes instead of %" PRIu64 ")",
                        path, is.bytes, was->bytes);
    else if (is.seconds != was->seconds || is.nanoseconds != was->nanoseconds)
        snapshot_refuse(s, "the guest's open file %s has been written to since the snapshot was made", path);
}
