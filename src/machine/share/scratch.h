/* A tree of files that only the guest can see (its /tmp). A node is a file, a folder or a link; it exists as
 * long as a name or an open file refers to it. The contents of a regular file are an unnamed file of the
 * host, so that the code that reads, writes and maps files of a share works for them, too. Times are the
 * guest's. Results are 0 or more, or -errno. */
#ifndef MACHINE_SHARE_SCRATCH_H
#define MACHINE_SHARE_SCRATCH_H

#include <sys/stat.h>

#include "base/array.h"
#include "base/snapshot.h"
#include "machine/share/share.h"

enum {
    SCRATCH_NONE,         /* no node */
    SCRATCH_ROOT,         /* the node of the tree's root folder */
    SCRATCH_NAMES = 65536 /* most names: files, folders and links together */
};

typedef struct scratch_node {
    uint32_t mode;                        /* S_IF* and permissions; 0: the node is free */
    uint32_t names, opens;                /* how many names and open files (scratch_hold) refer to it */
    uint64_t accessed, modified, changed; /* nanoseconds since 1970 */
    int host;                             /* descriptor of a regular file's contents; otherwise -1 */
    char *text;                           /* target of a link; otherwise NULL */
} scratch_node;

/* A name in a folder. Names are sorted by folder and text. */
typedef struct scratch_name {
    uint32_t folder; /* node of the folder that contains it */
    uint32_t node;   /* what it names */
    char *text;      /* one component of a path */
} scratch_name;

struct share_scratch {
    ARRAY_OF(scratch_node) nodes; /* [SCRATCH_NONE] is not used */
    ARRAY_OF(scratch_name) names;
    share_quota *quota;                 /* of the tree's mount; never NULL */
    uint64_t (*now)(const void *clock); /* returns the guest's time of day in nanoseconds since 1970 */
    const void *clock;                  /* argument of `now` */
};

/* Returns the node with that name; SCRATCH_NONE if there is none. */
uint32_t scratch_find(const share_scratch *scratch, uint32_t folder, const char *name);
/* Opens the contents of a regular file; returns the host's descriptor. `flags` are the host's O_*. */
int scratch_contents(share_scratch *scratch, uint32_t node, int flags);
/* Do what the host's fstat, fchmod and futimens do; the node must exist. */
int32_t scratch_about(const share_scratch *scratch, uint32_t node, struct stat *about);
int32_t scratch_set_mode(share_scratch *scratch, uint32_t node, uint32_t rights);
int32_t scratch_set_times(share_scratch *scratch, uint32_t node, const struct timespec times[2]);
/* Updates the times after a file's contents have changed. */
void scratch_written(share_scratch *scratch, uint32_t node);
/* Count the open files that refer to the node: adds one; removes one, and frees the node if nothing refers to it any
 * more. */
void scratch_hold(share_scratch *scratch, uint32_t node);
void scratch_drop(share_scratch *scratch, uint32_t node);
/* Does what share_list does. */
int scratch_list(const share_scratch *scratch, uint32_t folder, struct dirent ***entries);

#endif
