/* Makes cpio archives in memory, from single entries and from whole directories of the host. */
#define _GNU_SOURCE /* O_PATH */
#include "machine/load/cpio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Bytes of an entry's header and of the largest archive; levels of directories. */
enum { HEADER = 110, LARGEST = 1 << 30, DEEPEST = 64 };

/* Appends bytes, and zeros up to a multiple of four. */
static void cpio_put(cpio *archive, const void *bytes, size_t size)
{
    size_t padded = (archive->bytes.count + size + 3) & ~(size_t)3;
    if (archive->no_memory || !array_reserve(&archive->bytes.items, &archive->bytes.capacity, padded, 1)) {
        archive->no_memory = true;
        return;
    }
    if (size != 0)
        memcpy(archive->bytes.items + archive->bytes.count, bytes, size);
    memset(archive->bytes.items + archive->bytes.count + size, 0, padded - archive->bytes.count - size);
    archive->bytes.count = padded;
}

/* Appends an entry: header and name, padded together to four bytes, then the contents. The header's fields are: magic,
 * inode, mode, owner, group, links, time, size, the device that holds the file, the device that it is, bytes of the
 * name, checksum. */
void cpio_add(cpio *archive, const char *name, uint32_t mode, const void *bytes, size_t size, unsigned device)
{
    char text[HEADER + SHARE_PATH + 8];
    int length = snprintf(text, sizeof text, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s",
                          ++archive->files, mode, 0, 0, (mode & S_IFMT) == S_IFDIR ? 2 : 1, 0, (unsigned)size,
                          0, 0, device >> 8, device & 255, (unsigned)strlen(name) + 1, 0, name);
    cpio_put(archive, text, (size_t)length + 1);
    cpio_put(archive, bytes, size);
}

/* Adds the directory of an absolute path, after those that lead to it. */
static void cpio_add_directories(cpio *archive, const char *path)
{
    char name[SHARE_PATH];
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        size_t length = slash != NULL ? (size_t)(slash - path) : strlen(path);
        if (length > 1) {
            memcpy(name, path + 1, length - 1);
            name[length - 1] = '\0';
            cpio_add(archive, name, CPIO_DIRECTORY, NULL, 0, 0);
        }
        if (slash == NULL)
            return;
    }
}

/* Adds the regular file `entry` of an open directory as `name`. */
static p5_status cpio_add_file(cpio *archive, int directory, const char *entry, const char *name,
                               p5_error *error)
{
    struct stat about;
    int file = openat(directory, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    p5_status status = P5_OK;
    if (file < 0 || fstat(file, &about) != 0)
        status = error_set(error, P5_ERR_IO, "cannot read /%s for the initrd: %s", name, strerror(errno));
    else if (S_ISREG(about.st_mode) && (uint64_t)about.st_size + archive->bytes.count > LARGEST)
        status = error_set(error, P5_ERR_FORMAT,
                           "the directories of --dir hold more than the initrd can (%d MB)", LARGEST >> 20);
    else if (S_ISREG(about.st_mode)) {
        const size_t size = (size_t)about.st_size;
        uint8_t *bytes = malloc(size + 1);
        if (bytes == NULL)
            archive->no_memory = true;
        else if (pread(file, bytes, size, 0) != about.st_size)
            status = error_set(error, P5_ERR_IO, "cannot read /%s for the initrd", name);
        else
            cpio_add(archive, name, (about.st_mode & 0111) != 0 ? CPIO_PROGRAM : CPIO_FILE, bytes, size, 0);
        free(bytes);
    }
    if (file >= 0)
        close(file);
    return status;
}

/* Adds the contents of `directory`, which is called `path` in the archive, and closes it. Links are stored as
 * links; the guest follows them in its own tree. Entries of other kinds are left out. A directory that cannot be read
 * is stored without contents, but a regular file that cannot be read is an error. */
static p5_status cpio_add_tree(cpio *archive, int directory, const char *path, unsigned depth,
                               p5_error *error)
{
    struct dirent **entries;
    int count = share_list(directory, &entries);
    p5_status status = P5_OK;
    if (depth > DEEPEST)
        status = error_set(error, P5_ERR_FORMAT, "/%s: directories more than %d deep", path, DEEPEST);
    for (int i = 0; i < count && status == P5_OK; i++) {
        const char *entry = entries[i]->d_name;
        char name[SHARE_PATH], link[SHARE_PATH];
        struct stat about;
        if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0 ||
            fstatat(directory, entry, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "/" : "", entry) >=
            (int)sizeof name) {
            status = error_set(error, P5_ERR_FORMAT, "a path for the initrd is too long");
        } else if (S_ISDIR(about.st_mode)) {
            int below = openat(directory, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            cpio_add(archive, name, CPIO_DIRECTORY, NULL, 0, 0);
            if (below >= 0)
                status = cpio_add_tree(archive, below, name, depth + 1, error);
        } else if (S_ISLNK(about.st_mode)) {
            ssize_t length = readlinkat(directory, entry, link, sizeof link);
            if (length > 0)
                cpio_add(archive, name, CPIO_LINK, link, (size_t)length, 0);
        } else if (S_ISREG(about.st_mode)) {
            status = cpio_add_file(archive, directory, entry, name, error);
        }
    }
    if (count >= 0)
        share_list_free(entries, count);
    close(directory);
    return status;
}

p5_status cpio_add_share(cpio *archive, const share_mount *mount, p5_error *error)
{
    int directory = openat(mount->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return error_set(error, P5_ERR_IO, "cannot read the directory for the initrd: %s", strerror(errno));
    if (mount->guest[0] != '\0')
        cpio_add_directories(archive, mount->guest);
    return cpio_add_tree(archive, directory, mount->guest + (mount->guest[0] == '/'), 0, error);
}

bool cpio_end(cpio *archive)
{
    cpio_add(archive, "TRAILER!!!", 0, NULL, 0, 0);
    return !archive->no_memory;
}

void cpio_free(cpio *archive)
{
    free(archive->bytes.items);
    *archive = (cpio){0};
}
