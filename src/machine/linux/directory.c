/* Directories, for getdents64. A directory is listed in the order of its names when it is read from its beginning. So a
 * guest sees the same order on every file system, and positions are small numbers. The positions of the host's file
 * system need 64 bits, and the C library of a 32-bit guest rejects those. A mount is a share, or the guest's own /tmp, at
 * a path of the guest. */
#define _GNU_SOURCE /* DT_DIR */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "machine/linux/calls.h"
#include "machine/share/scratch.h"

/* A directory entry as the guest sees it. */
typedef struct shown_entry {
    const char *name; /* need not end after `length` characters */
    size_t length;
    uint64_t inode;
    uint8_t type; /* DT_* */
} shown_entry;

static const char *const dots[2] = {".", ".."};

/* --- Directories of the host and in memory --- */

void linux_directory_forget(linux_open_file *file)
{
    share_list_free(file->entries, file->entry_count);
    file->entries = NULL;
    file->entry_count = 0;
}

/* Makes the list of entries. Returns 0 or -errno. */
static int32_t list_directory(linux_open_file *file)
{
    struct stat about;
    linux_directory_forget(file);
    if (file->scratch != NULL ? scratch_about(file->scratch, file->node, &about) != 0
                              : fstat(file->host, &about) != 0)
        return -ENOENT;
    if (about.st_nlink == 0)
        return -ENOENT; /* it has been removed */
    int count = file->scratch != NULL ? scratch_list(file->scratch, file->node, &file->entries)
                                      : share_list(file->host, &file->entries);
    if (count < 0)
        return count;
    file->entry_count = count;
    return 0;
}

/* Gets the entry at the file's position. Returns false at the end. */
static bool listed_entry(const linux_open_file *file, shown_entry *entry)
{
    if (file->position >= (uint64_t)file->entry_count)
        return false;
    const struct dirent *e = file->entries[file->position];
    *entry = (shown_entry){e->d_name, strlen(e->d_name), e->d_ino, e->d_type};
    return true;
}

/* --- Virtual directories, which exist only because a mount lies below them --- */

/* Returns the name of entry number `index` of the directory `path`: the next component of a mount below it. Mounts with
 * the same next component count once. The name ends after *length characters. Returns NULL after the last entry. */
static const char *mount_below(const share_tree *tree, const char *path, uint64_t index, size_t *length)
{
    size_t base = strlen(path);
    for (size_t i = 0; i < tree->mount_count; i++) {
        const char *mount = tree->mounts[i].guest;
        if (strncmp(mount, path, base) != 0 || mount[base] != '/')
            continue;
        const char *name = mount + base + 1;
        *length = strcspn(name, "/");
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strncmp(tree->mounts[j].guest, mount, base + 1 + *length) == 0 &&
                   (tree->mounts[j].guest[base + 1 + *length] == '/' ||
                    tree->mounts[j].guest[base + 1 + *length] == '\0');
        if (!seen && index-- == 0)
            return name;
    }
    return NULL;
}

/* Gets the entry at the file's position: ".", "..", then the mounts below the directory. Returns false at the end. */
static bool virtual_entry(const linux_process *p, const linux_open_file *file, shown_entry *entry)
{
    uint64_t at = file->position;
    size_t length = at < 2 ? (size_t)at + 1 : 0;
    const char *name = at < 2 ? dots[at] : mount_below(&p->files.tree, file->path, at - 2, &length);
    if (name == NULL || length > NAME_MAX)
        return false;
    *entry = (shown_entry){name, length, at + 1, DT_DIR};
    return true;
}

/* --- Both kinds --- */

/* Writes a struct linux_dirent64: d_ino 0, d_off 8, d_reclen 16, d_type 18, d_name 19. For the old getdents, writes a
 * struct linux_dirent: d_ino 0, d_off 4, d_reclen 8, d_name 10, and the type in its last byte. Returns its size, -EFAULT,
 * or -EINVAL if it does not fit into `capacity`. */
static int32_t put_entry(linux_process *p, uint32_t address, uint32_t capacity, const shown_entry *entry,
                         uint64_t next)
{
    enum { GETDENTS = 141 };
    const bool old = p->call == GETDENTS;
    uint8_t bytes[280] = {0};
    const uint16_t record = (uint16_t)(old ? (10 + entry->length + 2 + 3) & ~(size_t)3
                                           : (19 + entry->length + 1 + 7) & ~(size_t)7);
    const size_t word = old ? 4 : 8;
    if (record > capacity)
        return -EINVAL;
    memcpy(bytes, &entry->inode, word);
    memcpy(bytes + word, &next, word);
    memcpy(bytes + 2 * word, &record, 2);
    bytes[old ? record - 1 : 18] = entry->type;
    memcpy(bytes + (old ? 10 : 19), entry->name, entry->length);
    return linux_write_user(p, address, bytes, record) ? record : -EFAULT;
}

/* Writes entries from the file's position on, as many as fit. Returns their size; -errno if not even one was written. */
int32_t linux_getdents64(linux_process *p, const uint32_t a[6])
{
    linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    bool listed = file->kind == LINUX_DIRECTORY;
    if (!listed && file->kind != LINUX_VIRTUAL_DIRECTORY)
        return -ENOTDIR;
    if (listed && (file->position == 0 || file->entries == NULL)) {
        int32_t wrong = list_directory(file);
        if (wrong != 0)
            return wrong;
    }
    shown_entry entry;
    int32_t used = 0;
    while (listed ? listed_entry(file, &entry) : virtual_entry(p, file, &entry)) {
        int32_t size = put_entry(p, a[1] + (uint32_t)used, a[2] - (uint32_t)used, &entry, file->position + 1);
        if (size < 0)
            return used != 0 ? used : size;
        used += size;
        file->position++;
    }
    return used;
}
