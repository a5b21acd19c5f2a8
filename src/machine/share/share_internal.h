/* Functions that only the files of this folder call. A node of the tree in memory is known by its number (scratch.h).
 * Results are 0 or more, or -errno. */
#ifndef MACHINE_SHARE_SHARE_INTERNAL_H
#define MACHINE_SHARE_SHARE_INTERNAL_H

#include "machine/share/scratch.h"
#include "machine/share/share.h"

/* Creates a tree with an empty root. The quota remains the caller's. `now` returns the guest's time of day in nanoseconds
 * since 1970. Returns NULL if memory runs out. */
share_scratch *scratch_open(share_quota *quota, uint64_t (*now)(const void *clock), const void *clock);
void scratch_close(share_scratch *scratch);
/* Returns the node of the folder `name` in `folder`, for a walk along a path that goes through it. Errors: -ENOENT;
 * -ENOTDIR, also for a link, which the walk resolves itself; -EACCES if the guest may not search it. */
int32_t scratch_enter(const share_scratch *scratch, uint32_t folder, const char *name);
/* Makes a node with a name, charges the name to the quota, and returns the node's number. `mode` has S_IF* and
 * permissions. `text` is the target of a link; otherwise NULL. */
int32_t scratch_make(share_scratch *scratch, uint32_t folder, const char *name, uint32_t mode,
                     const char *text);
/* Do what linkat, unlinkat (rmdir with `a_folder`) and renameat do. */
int32_t scratch_link(share_scratch *scratch, uint32_t node, uint32_t folder, const char *name);
int32_t scratch_remove(share_scratch *scratch, uint32_t folder, const char *name, bool a_folder);
int32_t scratch_rename(share_scratch *scratch, uint32_t folder, const char *name, uint32_t new_folder,
                       const char *new_name);
/* Does what readlink does; -ENOENT if `node` is SCRATCH_NONE. */
ssize_t scratch_read_link(const share_scratch *scratch, uint32_t node, char *text, size_t capacity);

enum { SHARE_NAME_BYTES = 4096 }; /* bytes of the quota for each new name, in addition to a file's contents */
/* Charges SHARE_NAME_BYTES to the quota of `place` for a file, directory or link of the host that is about to be
 * created. The quota does not get them back, even if creating it fails or it is deleted. Returns 0 or -ENOSPC. */
int32_t share_charge_name(const share_place *place);

#endif
