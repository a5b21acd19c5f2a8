/* The directories of the host that a guest may see (p5_share), for whichever personality answers its file
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

/* How much may still be written (quota.c). */
typedef struct share_quota {
    uint64_t left;
} share_quota;

/* A tree of files that only the guest has (scratch.h). */
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
    share_scratch *scratch; /* NULL: none */
} share_tree;

/* Opens the options' directories. share_tree_close is to be called afterwards, also after an error. */
p5_status share_tree_open(share_tree *tree, const p5_machine_options *options, p5_error *error);
void share_tree_close(share_tree *tree);
/* Makes `guest` a folder in memory, which may hold `most_bytes`, unless a share is there or above. `now` is
 * the guest's time of day in nanoseconds since 1970. */
p5_status share_tree_private(share_tree *tree, const char *guest, uint64_t most_bytes,
                             uint64_t (*now)(const void *clock), const void *clock, p5_error *error);

/* Where a path leads: an entry `name` of the directory that `directory` refers to. */
typedef struct share_place {
    int directory; /* O_PATH descriptor of the parent, -1 for a virtual directory and in memory; the caller
                      closes it (SHARE_PLACE) */
    share_scratch *scratch; /* NULL: not there */
    uint32_t folder;        /* ... the parent's node */
    bool writable;
    share_quota *quota;     /* of the share, NULL for a virtual directory */
    char name[256];         /* "." for the root of a share or a directory itself */
    char guest[SHARE_PATH]; /* the whole path, normalised and free of links but for the last component if it
                               was not followed */
    char target[16];        /* a device that is always there: "null", "zero", "random"; else empty */
} share_place;

enum { SHARE_FOLLOW = 1, SHARE_MAY_BE_MISSING = 2 };
/* Resolves a guest path against the shares, component by component, never through a host link. A relative
 * one begins at `start`, absolute and free of links. */
int32_t share_resolve(const share_tree *tree, const char *start, const char *path, unsigned how,
                      share_place *place);
void share_place_close(share_place *place);
/* A place of the block in which this stands, which closes it at its end. */
#define SHARE_PLACE(name)                                                                                    \
    __attribute__((cleanup(share_place_close))) share_place name;                                            \
    name.directory = -1

/* A directory that only leads to shares, or one of the devices. */
bool share_is_virtual(const share_place *place);
/* Whether the place may be changed: in a writable share (else -EROFS), and not its root (-EBUSY). */
int32_t share_may_change(const share_place *place);
/* Opens what stands there, a regular file or a directory: the host's descriptor; a folder in memory has none.
 * `flags`: the host's O_*. Where nothing may be written, what is there may still be read with O_CREAT or
 * O_TRUNC. */
int share_open(const share_place *place, int flags, mode_t mode);
/* What is done at a place that is no virtual directory, as the host's call of that name would. */
int32_t share_about(const share_place *place, struct stat *about);
int32_t share_make_folder(const share_place *place, mode_t mode);
int32_t share_remove(const share_place *place, bool folder);
int32_t share_rename(const share_place *old, const share_place *new);
int32_t share_link(const share_place *old, const share_place *new);
int32_t share_symlink(const share_place *place, const char *text);
ssize_t share_read_link(const share_place *place, char *text, size_t room);
int32_t share_set_mode(const share_place *place, mode_t mode);
int32_t share_set_times(const share_place *place, const struct timespec times[2]);
/* How many of `size` bytes from `from` on can be written to a file of `before` bytes; -ENOSPC if none. NULL:
 * no quota, here and below. */
int64_t share_fits(const share_quota *quota, uint64_t before, uint64_t from, uint64_t size);
uint64_t share_size(int host);
void share_take(share_quota *quota, uint64_t bytes);
/* Takes what the file has grown by since its size was `before`, or gives back. */
void share_settle(share_quota *quota, int host, uint64_t before);
int32_t share_truncate(share_quota *quota, int host, uint64_t size);
/* The entries of a directory of the host in the order of their names, "." and ".." first: their number. The
 * caller frees them (share_list_free). */
int share_list(int directory, struct dirent ***entries);
void share_list_free(struct dirent **entries, int count);

#endif
