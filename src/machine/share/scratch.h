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
    SCRATCH_FILES = 512,  /* regular ones: each takes a descriptor of the host */
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

/* A tree with an empty root. NULL: no memory. */
share_scratch *scratch_open(share_quota *quota, uint64_t (*now)(const void *clock), const void *clock);
void scratch_close(share_scratch *scratch);
/* What has that name, SCRATCH_NONE if nothing has. */
uint32_t scratch_find(const share_scratch *scratch, uint32_t folder, const char *name);
/* From `folder` into the folder `name`: its node. */
int32_t scratch_enter(const share_scratch *scratch, uint32_t folder, const char *name);
/* Makes a node: its number. `text`: of a link. */
int32_t scratch_make(share_scratch *scratch, uint32_t folder, const char *name, uint32_t mode,
                     const char *text);
int32_t scratch_link(share_scratch *scratch, uint32_t node, uint32_t folder, const char *name);
int32_t scratch_remove(share_scratch *scratch, uint32_t folder, const char *name, bool a_folder);
int32_t scratch_rename(share_scratch *scratch, uint32_t folder, const char *name, uint32_t new_folder,
                       const char *new_name);
/* A regular file's contents, opened anew: the host's descriptor. `flags`: the host's O_*. */
int scratch_contents(share_scratch *scratch, uint32_t node, int flags);
int32_t scratch_about(const share_scratch *scratch, uint32_t node, struct stat *about);
/* As readlink. */
ssize_t scratch_read_link(const share_scratch *scratch, uint32_t node, char *text, size_t room);
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
