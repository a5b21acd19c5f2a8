/* The directories of the host that a guest may access (p5_share), for every kind of guest whose file calls
 * p5scope implements. Paths are resolved and files are opened only through these functions. Results are 0 or
 * more, or -errno. */
#ifndef MACHINE_SHARE_SHARE_H
#define MACHINE_SHARE_SHARE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "p5scope/machine.h"

enum { SHARE_PATH = 4096 }; /* bytes of the longest path, with its NUL */

/* By how many bytes the files of a share may still grow together (quota.c). */
typedef struct share_quota {
    uint64_t left; /* bytes */
} share_quota;

/* A tree of files that only the guest can see (scratch.h). */
typedef struct share_scratch share_scratch;

/* A share: a directory of the host, or the tree in memory, at a path of the guest. */
typedef struct share_mount {
    char *guest;   /* the guest's path: absolute, normalised, without a final slash; "" for the root */
    int directory; /* O_PATH descriptor; -1: the tree in memory */
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
/* Makes `guest` the root of a tree in memory that may hold `most_bytes`. There can be one such tree. Does nothing if a
 * share lies at that path or at the root. `now` returns the guest's time of day in nanoseconds since 1970. */
p5_status share_tree_add_scratch(share_tree *tree, const char *guest, uint64_t most_bytes,
                                 uint64_t (*now)(const void *clock), const void *clock, p5_error *error);

/* Returns the part after the share of `real`, the host's path of a file without links; NULL if the share does not contain
 * it. */
const char *share_path_below(const p5_share *share, const char *real);

/* Where a path leads: the entry `name` of the directory `directory`. */
typedef struct share_place {
    int directory; /* O_PATH descriptor of the parent, which the caller closes (SHARE_PLACE); -1: the place is
                    * virtual (share_is_virtual) or in memory */
    share_scratch *scratch; /* NULL: not in memory */
    uint32_t folder;        /* in memory: the parent's node */
    bool writable;          /* the share permits writing */
    share_quota *quota;     /* of the share; NULL in a virtual directory */
    /* "." for the directory itself: the path is that of a share or a virtual directory, or ends in "/", "." or "..". */
    char name[256];
    char guest[SHARE_PATH]; /* the guest's whole path, normalised and without links; only the last component
                             * may be a link, if it was not followed */
    char target[16];        /* "null", "zero" or "random" for these devices, which always exist; else empty */
} share_place;

/* How to resolve a path: follow a link in the last component; allow the last component not to exist. */
enum { SHARE_FOLLOW = 1, SHARE_MAY_BE_MISSING = 2 };
/* Resolves a guest path against the shares, component by component. The host's kernel never follows a link: links
 * are resolved here, as paths of the guest. A relative path begins at `start`, which must be absolute and free of
 * links ("" is the root). `how` is a set of the bits above. Returns 0 or -errno; after an error, *place has nothing to
 * close. */
int32_t share_resolve(const share_tree *tree, const char *start, const char *path, unsigned how,
                      share_place *place);
void share_place_close(share_place *place);
/* Declares a place `name` that is closed at the end of its block. */
#define SHARE_PLACE(name)                                                                                    \
    __attribute__((cleanup(share_place_close))) share_place name;                                            \
    name.directory = -1

/* Returns true for a directory that exists only because a share lies below it, and for the devices (`target`). */
bool share_is_virtual(const share_place *place);
/* Returns 0 if the place may be changed, -EROFS if it is not in a writable share, or -EBUSY if its name is
 * ".", such as the root of a share. */
int32_t share_may_change(const share_place *place);
/* Opens a regular file or a directory, at a place that is not virtual, and returns the host's descriptor. A folder in
 * memory cannot be opened. `flags` are the host's O_*. In a read-only share, opening for writing fails with -EROFS,
 * and O_CREAT and O_TRUNC are ignored. */
int share_open(const share_place *place, int flags, mode_t mode);
/* Returns 0 if the file may be used as `mode` says (R_OK, W_OK, X_OK), otherwise -errno. */
int32_t share_access(const share_place *place, unsigned mode);
/* Do what the host's fstatat, mkdirat, unlinkat, renameat, linkat, symlinkat, readlinkat, fchmodat and utimensat do, in
 * this order, at places that are not virtual. Call share_may_change before those that change something. */
int32_t share_about(const share_place *place, struct stat *about);
int32_t share_make_folder(const share_place *place, mode_t mode);
int32_t share_remove(const share_place *place, bool folder);
int32_t share_rename(const share_place *old, const share_place *new);
int32_t share_link(const share_place *old, const share_place *new);
int32_t share_symlink(const share_place *place, const char *text);
ssize_t share_read_link(const share_place *place, char *text, size_t capacity);
int32_t share_set_mode(const share_place *place, mode_t mode);
int32_t share_set_times(const share_place *place, const struct timespec times[2]);
/* Returns how many of `size` bytes can be written at offset `from` of a file that has `before` bytes, or -ENOSPC
 * if none can. Only bytes beyond `before`, including a hole between `before` and `from`, count. In this and the
 * following functions, a quota of NULL means that there is no limit, and `host` is the host's descriptor of the file. */
int64_t share_fits(const share_quota *quota, uint64_t before, uint64_t from, uint64_t size);
/* Returns the size of a file in bytes; 0 if it is unknown. */
uint64_t share_size(int host);
/* Subtracts bytes from a quota, which does not fall below 0. Use it for what does not show in the size of a file, and
 * share_charge_growth for the rest. */
void share_charge(share_quota *quota, uint64_t bytes);
/* Subtracts from the quota by how much a file has grown since its size was `before`, or adds by how much it has
 * shrunk. */
void share_charge_growth(share_quota *quota, int host, uint64_t before);
/* Sets the size of a file if the quota permits it, and updates the quota. */
int32_t share_truncate(share_quota *quota, int host, uint64_t size);
/* Lists a directory of the host in the order of names, "." and ".." first; returns the number of entries. The
 * caller frees them (share_list_free). */
int share_list(int directory, struct dirent ***entries);
void share_list_free(struct dirent **entries, int count);

#endif
