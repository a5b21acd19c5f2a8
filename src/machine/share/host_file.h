/* A file of the host that a guest has open while it is saved: what has to be the same when it is opened
 * again. */
#ifndef MACHINE_SHARE_HOST_FILE_H
#define MACHINE_SHARE_HOST_FILE_H

#include "base/snapshot.h"

typedef struct host_file {
    uint64_t bytes;
    int64_t seconds; /* of its last change */
    uint32_t nanoseconds;
} host_file;
extern const snapshot_table host_file_state;

/* That of an open descriptor; zeros if it is none. */
host_file host_file_of(int descriptor);
/* Refuses unless the descriptor is a regular file in this state; `path` is for the message. */
void host_file_check(const host_file *was, int descriptor, const char *path, snapshot *s);

#endif
