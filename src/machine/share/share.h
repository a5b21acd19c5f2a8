/* The directories of the host that a guest may see (p5_share), for every personality that implements file
 * calls: what can be reached, and how. Results are 0 or more, or -errno. */
#ifndef MACHINE_SHARE_SHARE_H
#define MACHINE_SHARE_SHARE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "p5scope/machine.h"

enum { SHARE_PATH = 4096 };

/* Bytes that may still be written (quota.c). */
typedef struct share_quota {
    uint64_t left;
} share_quota;

/* A tree of files that only the guest can see (scratch.h). */
typedef struct share_scratch share_scratch;

typedef struct share_mount {
    char *guest;   /* absolute, normalised, without a final slash; "" for the root */
    int directory; /* O_PATH; -1: the tree in memory */
    bool writable;
    share_quota quota;
} share_mount;

typedef struct share_tree {
    share_mount *mounts;
    size_t mount_count;
    share_scratch *scratch; /* NULL: there is none */
} share_tree;

/* Opens the directories of the options. share_tree_close must be called afterwards, even after an error. */
p5_status share_tree_open(share_tree *tree, const p5_machine_options *options, p5_error *error);
void share_tree_close(share_tree *tree);
/* Makes `guest` a folder in memory that may hold `most_bytes`, unless there is a share at that path or at the
 * root. `now` returns the guest's time of day in nanoseconds since 1970. */
p5_status share_tree_private(share_tree *tree, const char *guest, uint64_t most_bytes,
                             uint64_t (*now)(const void *clock), const void *clock, p5_error *error);

/* Where a path leads: the entry `name` of the directory `directory`. */
typedef struct share_place {
    int directory; /* O_PATH descriptor of the parent, which the caller closes (SHARE_PLACE); -1: virtual, or
                    * in memory */
    share_scratch *scratch; /* NULL: not in memory */
    uint32_t folder;        /* in memory: the parent's node */
    bool writable;
    share_quota *quota;     /* the share's; NULL in a virtual directory */
    char name[256];         /* "." for the root of a share or a directory itself */
    char guest[SHARE_PATH]; /* the whole path, normalised; without links, except an unfollowed last
                             * component */
    char target[16];        /* "null", "zero" or "random" for these devices, which always exist; else empty */
} share_place;

enum { SHARE_FOLLOW = 1, SHARE_MAY_BE_MISSING = 2 };
/* Resolves a guest path against the shares, component by component, never through a link of the host. A
 * relative path begins at `start`, which must be absolute and free of links. */
int32_t share_resolve(const share_tree *tree, const char *start, const char *path, unsigned how,
                      share_place *place);
void share_place_close(share_place *place);
/* Declares a place that is closed at the end of its block. */
#define SHARE_PLACE(name)                                                                                    \
    __attribute__((cleanup(share_place_close))) share_place name;                                            \
    name.directory = -1

/* Returns true for a directory that only leads to shares, and for the devices. */
bool share_is_virtual(const share_place *place);
/* Returns 0 if the place may be changed: it must lie in a writable share (else -EROFS), and not be its root
 * (-EBUSY). */
int32_t share_may_change(const share_place *place);
/* Opens a regular file or a directory; returns the host's descriptor. A folder in memory cannot be opened.
 * `flags` are the host's O_*. In a read-only share an existing file can be read even with O_CREAT or
 * O_TRUNC. */
int share_open(const share_place *place, int flags, mode_t mode);
/* Do what the host's calls of these names do, at a place that is not virtual. */
int32_t share_about(const share_place *place, struct stat *about);
int32_t share_make_folder(const share_place *place, mode_t mode);
int32_t share_remove(const share_place *place, bool folder);
int32_t share_rename(const share_place *old, const share_place *new);
int32_t share_link(const share_place *old, const share_place *new);
int32_t share_symlink(const share_place *place, const char *text);
ssize_t share_read_link(const share_place *place, char *text, size_t capacity);
int32_t share_set_mode(const share_place *place, mode_t mode);
int32_t share_set_times(const share_place *place, const struct timespec times[2]);
/* Returns how many of `size` bytes from offset `from` on can be written to a file of `before` bytes; -ENOSPC
 * if none. In this and the following functions, a quota of NULL means that there is no limit. */
int64_t share_fits(const share_quota *quota, uint64_t before, uint64_t from, uint64_t size);
uint64_t share_size(int host);
void share_take(share_quota *quota, uint64_t bytes);
/* Charges the growth of a file since its size was `before`, or returns bytes if it has shrunk. */
void share_settle(share_quota *quota, int host, uint64_t before);
int32_t share_truncate(share_quota *quota, int host, uint64_t size);
/* Lists a directory of the host in the order of names, "." and ".." first; returns the number of entries. The
 * caller frees them (share_list_free). */
int share_list(int directory, struct dirent ***entries);
void share_list_free(struct dirent **entries, int count);

#endif
