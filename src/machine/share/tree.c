/* Opening the shares, and listing directories. */
#define _GNU_SOURCE /* Linux interfaces: O_PATH, scandirat */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/share/share_internal.h"

/* Returns a copy of an absolute guest path without empty, "." or ".." components and without a final
 * slash. */
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
        if (mount->guest == NULL)
            return error_set(error, P5_ERR_MEMORY, "no memory for the guest's files");
        if (strlen(mount->guest) >= SHARE_PATH / 2) /* leaves room for the paths below it */
            return error_set(error, P5_ERR_RANGE, "the guest path of a share is too long");
    }
    return P5_OK;
}

p5_status share_tree_add_scratch(share_tree *tree, const char *guest, uint64_t most_bytes,
                                 uint64_t (*now)(const void *clock), const void *clock, p5_error *error)
{
    for (size_t i = 0; i < tree->mount_count; i++)
        if (tree->mounts[i].guest[0] == '\0' || strcmp(tree->mounts[i].guest, guest) == 0)
            return P5_OK;
    share_mount *mount = &tree->mounts[tree->mount_count]; /* share_tree_open allocated one more mount */
    *mount =
        (share_mount){.guest = strdup(guest), .directory = -1, .writable = true, .quota.left = most_bytes};
    tree->scratch = scratch_open(&mount->quota, now, clock);
    if (mount->guest == NULL || tree->scratch == NULL) {
        free(mount->guest);
        return error_set(error, P5_ERR_MEMORY, "no memory for the guest's files");
    }
    tree->mount_count++;
    return P5_OK;
}

void share_tree_close(share_tree *tree)
{
    for (size_t i = 0; i < tree->mount_count; i++) {
        if (tree->mounts[i].directory >= 0)
            close(tree->mounts[i].directory);
        free(tree->mounts[i].guest);
    }
    free(tree->mounts);
    scratch_close(tree->scratch);
    *tree = (share_tree){0};
}

const char *share_path_below(const p5_share *share, const char *real)
{
    char *host = realpath(share->host, NULL);
    size_t length = host == NULL || strcmp(host, "/") == 0 ? 0 : strlen(host);
    bool below = host != NULL && strncmp(real, host, length) == 0 && real[length] == '/';
    free(host);
    return below ? real + length : NULL;
}

/* --- Lists --- */

/* Sorts "." and ".." before the other names. */
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
