/* The shares themselves, and what is done at a place that a walk has found. */
#define _GNU_SOURCE /* Linux interfaces: O_PATH, scandirat */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/share/share.h"

/* Normalises an absolute guest path: no empty, "." or ".." components, no final slash. */
static char *normalised(const char *path)
{
    char *out = malloc(strlen(path) + 2);
    if (out == NULL)
        return NULL;
    size_t used = 0;
    while (*path != '\0') {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            while (used > 0 && out[--used] != '/')
                ;
        } else if (length != 0 && !(length == 1 && *path == '.')) {
            out[used++] = '/';
            memcpy(out + used, path, length);
            used += length;
        }
        path += length;
    }
    out[used] = '\0';
    return out;
}

p5_status share_tree_open(share_tree *tree, const p5_machine_options *options, p5_error *error)
{
    *tree = (share_tree){.mounts = calloc(options->share_count + 1, sizeof *tree->mounts)};
    if (tree->mounts == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the guest's files");
    for (size_t i = 0; i < options->share_count; i++) {
        const p5_share *share = &options->shares[i];
        share_mount *mount = &tree->mounts[tree->mount_count];
        mount->directory = open(share->host, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (mount->directory < 0) {
            error_set(error, P5_ERR_IO, "cannot share the directory: %s", strerror(errno));
            error_at(error, share->host, 0, 0);
            return P5_ERR_IO;
        }
        if (share->guest[0] != '/') {
            close(mount->directory);
            return error_set(error, P5_ERR_RANGE, "the guest path '%s' of a share must start with '/'",
                             share->guest);
        }
        mount->writable = share->writable;
        mount->quota.left = share->max_bytes != 0 ? share->max_bytes : P5_SHARE_MAX_BYTES;
        mount->guest = normalised(share->guest);
        tree->mount_count++;
        if (mount->guest == NULL || strlen(mount->guest) >= SHARE_PATH / 2)
            return error_set(error, P5_ERR_RANGE, "the guest path of a share is too long");
    }
    return P5_OK;
}

void share_tree_close(share_tree *tree)
{
    for (size_t i = 0; i < tree->mount_count; i++) {
        close(tree->mounts[i].directory);
        free(tree->mounts[i].guest);
    }
    free(tree->mounts);
    *tree = (share_tree){0};
}

int32_t share_may_change(const share_place *place)
{
    if (place->directory < 0 || !place->writable)
        return -EROFS;
    return strcmp(place->name, ".") == 0 ? -EBUSY : 0;
}

/* O_NONBLOCK keeps a FIFO from holding us until its kind is known. */
int share_open(const share_place *place, int flags, mode_t mode)
{
    struct stat about;
    if ((flags & O_ACCMODE) != O_RDONLY && !place->writable)
        return -EROFS;
    if (!place->writable)
        flags &= ~(O_CREAT | O_TRUNC);
    bool there = fstatat(place->directory, place->name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode) && !S_ISLNK(about.st_mode))
        return -EACCES; /* devices, sockets and FIFOs of the host are not the guest's business */
    int32_t full = !there && (flags & O_CREAT) != 0 ? share_take_name(place) : 0;
    if (full != 0)
        return full;
    uint64_t before = there && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    int host =
        openat(place->directory, place->name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (host < 0)
        return -errno;
    if (fstat(host, &about) != 0 || (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) {
        close(host);
        return -EACCES; /* it has become one meanwhile */
    }
    if ((flags & O_TRUNC) != 0)
        share_settle(place->quota, host, before);
    fcntl(host, F_SETFL, fcntl(host, F_GETFL) & ~O_NONBLOCK);
    return host;
}

/* --- lists --- */

static int rank(const char *name)
{
    return strcmp(name, ".") == 0 ? 0 : strcmp(name, "..") == 0 ? 1 : 2;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    int difference = rank((*a)->d_name) - rank((*b)->d_name);
    return difference != 0 ? difference : strcmp((*a)->d_name, (*b)->d_name);
}

int share_list(int directory, struct dirent ***entries)
{
    int count = scandirat(directory, ".", entries, NULL, by_name);
    if (count >= 0)
        return count;
    *entries = NULL;
    return -errno;
}

void share_list_free(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}
