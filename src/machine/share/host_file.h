/* The state of a host file that a guest has open in a snapshot. The file must be in this state when the
 * snapshot is loaded. */
#ifndef MACHINE_SHARE_HOST_FILE_H
#define MACHINE_SHARE_HOST_FILE_H

#include "base/snapshot.h"

typedef struct host_file {
    uint64_t bytes;       /* size */
    int64_t seconds;      /* time of the last change, since 1970 */
    uint32_t nanoseconds; /* the rest of that time */
} host_file;
extern const snapshot_table host_file_state;

/* Returns the state of an open descriptor; zeros if the descriptor is not open. */
host_file host_file_of(int descriptor);
/* Refuses the snapshot unless the descriptor is a regular file in the state `was`. The message names `path`. */
void host_file_check(const host_file *was, int descriptor, const char *path, snapshot *s);

#endif
