/* A tree of files in memory: the guest's own /tmp. A node is a file, a folder or a link, and is known by its number
 * (index). Names are sorted by folder and text, and refer to nodes. The contents of a regular file are a memory file of
 * the host (memfd_create). Results are 0 or more, or -errno. In all functions, `m` is the tree. */
#define _GNU_SOURCE /* memfd_create, IFTODT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/share/share_internal.h"

enum { MAY_WRITE = 0200, MAY_SEARCH = 0100, RIGHTS = 07777 }; /* bits of scratch_node.mode */
/* Limit on regular files, because each takes a descriptor of the host. */
enum { MOST_FILES = 512 };

static scratch_node *at(const share_scratch *m, uint32_t node)
{
    return &m->nodes.items[node];
}

static bool is_folder(const share_scratch *m, uint32_t node)
{
    return S_ISDIR(at(m, node)->mode);
}

/* Checks the permissions of the owner: the guest owns every node. */
static bool may(const share_scratch *m, uint32_t node, uint32_t rights)
{
    return (at(m, node)->mode & rights) == rights;
}

/* Sets the node's ctime to the guest's time of day and, with `contents`, its mtime as well. */
static void touch(share_scratch *m, uint32_t node, bool contents)
{
    uint64_t now = m->now(m->clock);
    at(m, node)->changed = now;
    if (contents)
        at(m, node)->modified = now;
}

void scratch_written(share_scratch *m, uint32_t node)
{
    touch(m, node, true);
}

/* --- Names --- */

/* Returns the index of the name, or the index where it would be inserted. */
static size_t place_of(const share_scratch *m, uint32_t folder, const char *name)
{
    size_t low = 0, high = m->names.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const scratch_name *n = &m->names.items[middle];
        bool before = n->folder != folder ? n->folder < folder : strcmp(n->text, name) < 0;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}

uint32_t scratch_find(const share_scratch *m, uint32_t folder, const char *name)
{
    if (strcmp(name, ".") == 0)
        return folder;
    size_t i = place_of(m, folder, name);
    bool there =
        i < m->names.count && m->names.items[i].folder == folder && strcmp(m->names.items[i].text, name) == 0;
    return there ? m->names.items[i].node : SCRATCH_NONE;
}

int32_t scratch_enter(const share_scratch *m, uint32_t folder, const char *name)
{
    uint32_t node = scratch_find(m, folder, name);
    if (node == SCRATCH_NONE)
        return -ENOENT;
    if (!is_folder(m, node))
        return -ENOTDIR;
    return may(m, node, MAY_SEARCH) ? (int32_t)node : -EACCES;
}

static bool is_empty(const share_scratch *m, uint32_t folder)
{
    size_t i = place_of(m, folder, "");
    return i == m->names.count || m->names.items[i].folder != folder;
}

/* Frees a node, unless a name or an open file still refers to it. The quota gets the bytes of its contents back. */
static void free_if_unused(share_scratch *m, uint32_t node)
{
    scratch_node *n = at(m, node);
    if (n->names != 0 || n->opens != 0)
        return;
    if (n->host >= 0) {
        m->quota->left += share_size(n->host);
        close(n->host);
    }
    free(n->text);
    *n = (scratch_node){.host = -1};
}

/* Adds a name for a node, and charges it to the quota. Returns 0 or -ENOSPC. */
static int32_t name_add(share_scratch *m, uint32_t folder, const char *name, uint32_t node)
{
    char *text = strdup(name);
    size_t i = place_of(m, folder, name);
    if (text == NULL || m->quota->left < SHARE_NAME_BYTES || m->names.count == SCRATCH_NAMES ||
        !ARRAY_ROOM(&m->names)) {
        free(text);
        return -ENOSPC;
    }
    m->quota->left -= SHARE_NAME_BYTES;
    memmove(m->names.items + i + 1, m->names.items + i, (m->names.count++ - i) * sizeof *m->names.items);
    m->names.items[i] = (scratch_name){folder, node, text};
    at(m, node)->names++;
    touch(m, node, false);
    touch(m, folder, true);
    return 0;
}

/* Removes a name, which exists. The quota gets the charge for the name back. */
static void name_remove(share_scratch *m, uint32_t folder, const char *name)
{
    size_t i = place_of(m, folder, name);
    uint32_t node = m->names.items[i].node;
    free(m->names.items[i].text);
    memmove(m->names.items + i, m->names.items + i + 1, (--m->names.count - i) * sizeof *m->names.items);
    at(m, node)->names--;
    touch(m, node, false);
    touch(m, folder, true);
    m->quota->left += SHARE_NAME_BYTES;
    free_if_unused(m, node);
}

/* --- Nodes --- */

/* Returns a new node without a name; SCRATCH_NONE if memory runs out. */
static uint32_t node_new(share_scratch *m, uint32_t mode)
{
    uint32_t node = SCRATCH_ROOT;
    while (node < m->nodes.count && at(m, node)->mode != 0)
        node++;
    if (node == m->nodes.count && !ARRAY_ROOM(&m->nodes))
        return SCRATCH_NONE;
    m->nodes.count += node == m->nodes.count;
    *at(m, node) = (scratch_node){.mode = mode, .host = -1};
    touch(m, node, true);
    at(m, node)->accessed = at(m, node)->changed;
    return node;
}

share_scratch *scratch_open(share_quota *quota, uint64_t (*now)(const void *clock), const void *clock)
{
    share_scratch *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    *m = (share_scratch){.quota = quota, .now = now, .clock = clock};
    /* SCRATCH_NONE is never used. The root counts as open, so that it always exists. Its times are 0, because the clock
     * does not run yet. */
    const scratch_node none = {.host = -1};
    const scratch_node root = {.mode = S_IFDIR | S_ISVTX | 0777, .opens = 1, .host = -1};
    if (ARRAY_ADD(&m->nodes, none) && ARRAY_ADD(&m->nodes, root))
        return m;
    scratch_close(m);
    return NULL;
}

void scratch_close(share_scratch *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->nodes.count; i++) {
        free(m->nodes.items[i].text);
        if (m->nodes.items[i].host >= 0)
            close(m->nodes.items[i].host);
    }
    for (size_t i = 0; i < m->names.count; i++)
        free(m->names.items[i].text);
    free(m->nodes.items);
    free(m->names.items);
    free(m);
}

static unsigned regular_files(const share_scratch *m)
{
    unsigned files = 0;
    for (size_t i = 0; i < m->nodes.count; i++)
        files += S_ISREG(m->nodes.items[i].mode);
    return files;
}

int32_t scratch_make(share_scratch *m, uint32_t folder, const char *name, uint32_t mode, const char *text)
{
    if (scratch_find(m, folder, name) != SCRATCH_NONE)
        return -EEXIST;
    if (!may(m, folder, MAY_WRITE))
        return -EACCES;
    if (S_ISREG(mode) && regular_files(m) == MOST_FILES)
        return -ENOSPC;
    uint32_t node = node_new(m, mode);
    if (node == SCRATCH_NONE)
        return -ENOSPC;
    scratch_node *n = at(m, node);
    n->text = text != NULL ? strdup(text) : NULL;
    n->host = S_ISREG(mode) ? memfd_create("guest", MFD_CLOEXEC) : -1;
    bool made = (text == NULL || n->text != NULL) && (!S_ISREG(mode) || n->host >= 0);
    int32_t wrong = made ? name_add(m, folder, name, node) : -ENOSPC;
    if (wrong != 0)
        free_if_unused(m, node);
    return wrong != 0 ? wrong : (int32_t)node;
}

int32_t scratch_link(share_scratch *m, uint32_t node, uint32_t folder, const char *name)
{
    if (scratch_find(m, folder, name) != SCRATCH_NONE)
        return -EEXIST;
    if (is_folder(m, node))
        return -EPERM;
    return may(m, folder, MAY_WRITE) ? name_add(m, folder, name, node) : -EACCES;
}

int32_t scratch_remove(share_scratch *m, uint32_t folder, const char *name, bool a_folder)
{
    uint32_t node = scratch_find(m, folder, name);
    if (node == SCRATCH_NONE)
        return -ENOENT;
    if (!may(m, folder, MAY_WRITE))
        return -EACCES;
    if (is_folder(m, node) != a_folder)
        return a_folder ? -ENOTDIR : -EISDIR;
    if (a_folder && !is_empty(m, node))
        return -ENOTEMPTY;
    name_remove(m, folder, name);
    return 0;
}

int32_t scratch_rename(share_scratch *m, uint32_t folder, const char *name, uint32_t new_folder,
                       const char *new_name)
{
    uint32_t node = scratch_find(m, folder, name), old = scratch_find(m, new_folder, new_name);
    if (node == SCRATCH_NONE)
        return -ENOENT;
    if (node == old)
        return 0;
    if (!may(m, folder, MAY_WRITE) || !may(m, new_folder, MAY_WRITE))
        return -EACCES;
    if (old != SCRATCH_NONE && is_folder(m, old) != is_folder(m, node))
        return is_folder(m, old) ? -EISDIR : -ENOTDIR;
    if (old != SCRATCH_NONE && is_folder(m, old) && !is_empty(m, old))
        return -ENOTEMPTY;
    scratch_hold(m, node); /* so that it survives without a name */
    if (old != SCRATCH_NONE)
        name_remove(m, new_folder, new_name);
    name_remove(m, folder, name);
    int32_t wrong = name_add(m, new_folder, new_name, node);
    scratch_drop(m, node);
    return wrong;
}

/* Opens the contents of a regular file and returns the host's descriptor. Opens the memory file by its path in /proc, so
 * that the new descriptor has a position and an access mode of its own. */
int scratch_contents(share_scratch *m, uint32_t node, int flags)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", at(m, node)->host);
    int host = open(path, (flags & (O_ACCMODE | O_APPEND | O_TRUNC)) | O_CLOEXEC);
    if (host >= 0 && (flags & O_TRUNC) != 0)
        touch(m, node, true);
    return host >= 0 ? host : -errno;
}

static struct timespec time_of(uint64_t ns)
{
    enum { SECOND = 1000000000 };
    return (struct timespec){.tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND)};
}

int32_t scratch_about(const share_scratch *m, uint32_t node, struct stat *about)
{
    const scratch_node *n = at(m, node);
    memset(about, 0, sizeof *about);
    about->st_ino = node;
    about->st_mode = n->mode;
    about->st_nlink = n->names;
    if (S_ISDIR(n->mode) && (n->names != 0 || node == SCRATCH_ROOT)) {
        about->st_nlink = 2;
        for (size_t i = place_of(m, node, ""); i < m->names.count && m->names.items[i].folder == node; i++)
            about->st_nlink += is_folder(m, m->names.items[i].node);
    }
    about->st_size = n->host >= 0 ? (off_t)share_size(n->host) : n->text != NULL ? (off_t)strlen(n->text) : 0;
    about->st_blocks = (about->st_size + 4095) / 4096 * 8; /* units of 512 bytes, in pages of 4 KB */
    about->st_atim = time_of(n->accessed);
    about->st_mtim = time_of(n->modified);
    about->st_ctim = time_of(n->changed);
    return 0;
}

/* Copies a link's target without a NUL. Returns its length; -ENOENT for SCRATCH_NONE; -EINVAL for a node that is no
 * link. */
ssize_t scratch_read_link(const share_scratch *m, uint32_t node, char *text, size_t capacity)
{
    if (node == SCRATCH_NONE)
        return -ENOENT;
    const char *link = at(m, node)->text;
    if (link == NULL)
        return -EINVAL;
    const size_t length = strnlen(link, capacity);
    memcpy(text, link, length);
    return (ssize_t)length;
}

int32_t scratch_set_mode(share_scratch *m, uint32_t node, uint32_t rights)
{
    at(m, node)->mode = (at(m, node)->mode & ~(uint32_t)RIGHTS) | (rights & RIGHTS);
    touch(m, node, false);
    return 0;
}

int32_t scratch_set_times(share_scratch *m, uint32_t node, const struct timespec times[2])
{
    uint64_t *const to[2] = {&at(m, node)->accessed, &at(m, node)->modified};
    for (unsigned i = 0; i < 2; i++) {
        long part = times[i].tv_nsec;
        if (part != UTIME_NOW && part != UTIME_OMIT && (part < 0 || part >= 1000000000))
            return -EINVAL;
    }
    touch(m, node, false);
    for (unsigned i = 0; i < 2; i++)
        if (times[i].tv_nsec == UTIME_NOW)
            *to[i] = at(m, node)->changed;
        else if (times[i].tv_nsec != UTIME_OMIT)
            *to[i] = (uint64_t)times[i].tv_sec * 1000000000u + (uint64_t)times[i].tv_nsec;
    return 0;
}

void scratch_hold(share_scratch *m, uint32_t node)
{
    at(m, node)->opens++;
}

void scratch_drop(share_scratch *m, uint32_t node)
{
    at(m, node)->opens--;
    free_if_unused(m, node);
}

/* --- Lists --- */

/* Returns an allocated directory entry; NULL if memory runs out. */
static struct dirent *entry_new(const share_scratch *m, const char *name, uint32_t node)
{
    struct dirent *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->d_ino = node;
    entry->d_type = (unsigned char)IFTODT(at(m, node)->mode);
    snprintf(entry->d_name, sizeof entry->d_name, "%s", name);
    return entry;
}

int scratch_list(const share_scratch *m, uint32_t folder, struct dirent ***entries)
{
    size_t first = place_of(m, folder, ""), count = 0;
    while (first + count < m->names.count && m->names.items[first + count].folder == folder)
        count++;
    struct dirent **list = calloc(count + 2, sizeof(struct dirent *));
    int made = 0;
    for (size_t i = 0; list != NULL && i < count + 2; i++) {
        const scratch_name *n = i < 2 ? NULL : &m->names.items[first + i - 2];
        list[made] = n == NULL ? entry_new(m, i == 0 ? "." : "..", folder) : entry_new(m, n->text, n->node);
        if (list[made++] == NULL) {
            share_list_free(list, made);
            list = NULL;
        }
    }
    *entries = list;
    return list != NULL ? made : -ENOMEM;
}
