/* A tree of files that nobody but the guest sees (its /tmp). A node is a file, a folder or a link; it stays
 * as long as a name or an open file refers to it. What a regular file holds is a file of the host without a
 * name, so that whatever reads, writes and maps files of a share does so with these. Times are the guest's.
 * Results are 0 or more, or -errno. */
#ifndef MACHINE_SHARE_SCRATCH_H
#define MACHINE_SHARE_SCRATCH_H

#include <sys/stat.h>

#include "base/array.h"
#include "base/snapshot.h"
#include "machine/share/share.h"

enum {
    SCRATCH_NONE,
    SCRATCH_ROOT,
    SCRATCH_NAMES = 65536 /* of all kinds */
};

typedef struct scratch_node {
    uint32_t mode;                        /* S_IF* and rights; 0: there is none */
    uint32_t names, opens;                /* that refer to it */
    uint64_t accessed, modified, changed; /* nanoseconds since 1970 */
    int host;                             /* what a regular file holds, -1 */
    char *text;                           /* where a link leads */
} scratch_node;

/* Ascending by folder and name. */
typedef struct scratch_name {
    uint32_t folder, node;
    char *text;
} scratch_name;

struct share_scratch {
    ARRAY_OF(scratch_node) nodes; /* [SCRATCH_NONE] is none */
    ARRAY_OF(scratch_name) names;
    share_quota *quota;
    uint64_t (*now)(const void *clock);
    const void *clock;
};

/* What has that name, SCRATCH_NONE if nothing has. */
uint32_t scratch_find(const share_scratch *scratch, uint32_t folder, const char *name);
/* A regular file's contents, opened anew: the host's descriptor. `flags`: the host's O_*. */
int scratch_contents(share_scratch *scratch, uint32_t node, int flags);
int32_t scratch_about(const share_scratch *scratch, uint32_t node, struct stat *about);
int32_t scratch_set_mode(share_scratch *scratch, uint32_t node, uint32_t rights);
int32_t scratch_set_times(share_scratch *scratch, uint32_t node, const struct timespec times[2]);
/* What it holds has changed. */
void scratch_written(share_scratch *scratch, uint32_t node);
/* An open file refers to it; does so no more. */
void scratch_hold(share_scratch *scratch, uint32_t node);
void scratch_drop(share_scratch *scratch, uint32_t node);
/* As share_list. */
int scratch_list(const share_scratch *scratch, uint32_t folder, struct dirent ***entries);

#endif
