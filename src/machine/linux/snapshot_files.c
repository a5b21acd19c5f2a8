/* Open files of the guest in snapshots. Files of a share are saved by their guest path and opened again when
 * the snapshot is loaded; they must be unchanged. snapshot_tree.c saves the guest's own /tmp. Pipes, and files
 * of a share that the guest has unlinked, renamed or replaced, cannot be saved: the snapshot is refused. The
 * standard streams are those of the program that loads the snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/linux/snapshot.h"
#include "machine/share/scratch.h"
#include "machine/share/host_file.h"

/* An open file of any kind, as it is saved. */
typedef struct saved_file {
    uint32_t kind, flags;
    bool writable_share;
    uint64_t entry; /* of a directory: number of the next entry */
    char *path, *name;
    uint64_t stream;   /* of a standard stream: the host's descriptor */
    host_file file;    /* of a regular file in a share: its state when saved */
    uint64_t position; /* of a regular file: the current position */
    uint32_t node;     /* of a file in memory: its node */
} saved_file;

const snapshot_table linux_saved_file_state = {SNAPSHOT(
    saved_file, "file", FIELD_MOST(LINUX_RANDOM, kind), FIELD_ANY(flags), FIELD_FLAG(writable_share),
    FIELD_ANY(entry), FIELD_STRING(path, name), FIELD_MOST(2, stream), FIELD_TABLE(&host_file_state, file),
    FIELD_MOST(INT64_MAX, position), FIELD_MOST(SCRATCH_NAMES, node))};

typedef struct saved_descriptor {
    uint16_t file; /* number in the list of files, from 1; 0: closed */
    bool close_on_exec;
} saved_descriptor;
const snapshot_table linux_descriptor_state = {
    SNAPSHOT(saved_descriptor, "descriptor", FIELD_MOST(LINUX_FILES, file), FIELD_FLAG(close_on_exec))};

typedef struct saved_mount {
    char *guest;
    bool writable;
} saved_mount;
const snapshot_table linux_mount_state = {
    SNAPSHOT(saved_mount, "mount", FIELD_STRING(guest), FIELD_FLAG(writable))};

/* The open files of a process, each once, in the order of their lowest descriptors. */
typedef struct file_list {
    linux_open_file *files[LINUX_FILES];
    unsigned count;
} file_list;

/* --- Regular files --- */

/* Returns true if the path by which the file was opened still leads to it. */
static bool still_there(linux_process *p, const linux_open_file *file, const struct stat *about)
{
    SHARE_PLACE(place);
    struct stat found;
    if (file->name == NULL || linux_resolve(p, AT_FDCWD, file->name, 0, &place) != 0)
        return false;
    return place.directory >= 0 && fstatat(place.directory, place.name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           found.st_dev == about->st_dev && found.st_ino == about->st_ino;
}

/* Opens `path` in the mode in which the file was open. Returns the host's descriptor, or -1 after an error, for which it
 * refuses the snapshot. */
static int reopen(linux_process *p, const char *path, bool directory, linux_open_file *file, snapshot *s)
{
    SHARE_PLACE(place);
    int32_t wrong = linux_resolve(p, AT_FDCWD, path[0] != '\0' ? path : "/", 0, &place);
    int host = -1;
    if (wrong == 0 && place.directory >= 0) {
        int access = directory ? O_RDONLY | O_DIRECTORY : (int)(file->flags & (O_ACCMODE | O_APPEND));
        host = share_open(&place, access, 0); /* with no more rights than the share grants now */
        wrong = host < 0 ? host : 0;
        file->writable_share = place.writable;
        file->quota = place.quota;
    }
    if (wrong == 0 && host < 0)
        wrong = -ENOENT;
    if (wrong != 0)
        snapshot_refuse(s, "the guest's open file %s cannot be opened again: %s", path, strerror(-wrong));
    return host;
}

/* Refuses to save, because of an open file `what`. */
static void refuse_to_save(snapshot *s, const char *what)
{
    s->status = error_set(s->error, P5_ERR_UNSUPPORTED,
                          "the guest has %s open, which a snapshot cannot save; save before it is opened or "
                          "after it is closed",
                          what);
}

/* Completes and saves *saved for a regular file. */
static void save_regular(linux_process *p, const linux_open_file *file, saved_file *saved, snapshot *s)
{
    struct stat about;
    if (file->scratch == NULL && (fstat(file->host, &about) != 0 || !still_there(p, file, &about))) {
        char what[SHARE_PATH + 64];
        snprintf(what, sizeof what, "the renamed or deleted file %s", file->name != NULL ? file->name : "");
        refuse_to_save(s, what);
        return;
    }
    saved->position = (uint64_t)lseek(file->host, 0, SEEK_CUR);
    if (file->scratch == NULL)
        saved->file = host_file_of(file->host);
    snapshot_state(s, &linux_saved_file_state, saved);
}

/* Attaches a file or folder of the tree in memory, which has been loaded already. */
static void load_node(linux_process *p, linux_open_file *file, uint32_t node, snapshot *s)
{
    share_scratch *memory = p->files.tree.scratch;
    mode_t mode = file->kind == LINUX_REGULAR ? S_IFREG : S_IFDIR;
    if (memory == NULL || node >= memory->nodes.count || (memory->nodes.items[node].mode & S_IFMT) != mode) {
        snapshot_refuse(s, "file.node: %" PRIu32 " is no such file", node);
        return;
    }
    file->scratch = memory;
    file->node = node;
    file->quota = memory->quota;
    scratch_hold(memory, node);
    if (file->kind == LINUX_REGULAR)
        file->host = scratch_contents(memory, node, (int)(file->flags & (O_ACCMODE | O_APPEND)));
}

/* Opens a regular file again and sets its position. */
static void load_regular(linux_process *p, linux_open_file *file, const saved_file *saved, snapshot *s)
{
    if (saved->node != SCRATCH_NONE) {
        load_node(p, file, saved->node, s);
    } else if (file->name == NULL) {
        snapshot_refuse(s, "file.name is missing for an open file");
    } else {
        file->host = reopen(p, file->name, false, file, s);
        if (s->status == P5_OK)
            host_file_check(&saved->file, file->host, file->name, s);
    }
    if (s->status == P5_OK && lseek(file->host, (off_t)saved->position, SEEK_SET) < 0)
        s->status = error_set(s->error, P5_ERR_IO, "cannot restore a file of the guest: %s", strerror(errno));
}

/* --- All files --- */

static unsigned index_of(const file_list *list, const linux_open_file *file)
{
    unsigned i = 0;
    while (i < list->count && list->files[i] != file)
        i++;
    return i;
}

static void save_file(linux_process *p, linux_open_file *file, snapshot *s)
{
    saved_file saved = {.kind = file->kind,
                        .flags = file->flags,
                        .writable_share = file->writable_share,
                        .entry = file->position,
                        .path = file->path,
                        .name = file->name,
                        .node = file->node};
    if (file->kind == LINUX_PIPE) {
        refuse_to_save(s, file->name != NULL ? file->name : "a pipe");
        return;
    }
    if (file->kind == LINUX_REGULAR) {
        save_regular(p, file, &saved, s);
        return;
    }
    if (file->kind == LINUX_STANDARD)
        saved.stream = (uint64_t)file->host;
    snapshot_state(s, &linux_saved_file_state, &saved);
}

/* Loads a saved file and opens it on the host again. */
static void load_file(linux_process *p, linux_open_file *file, snapshot *s)
{
    saved_file saved = {0};
    snapshot_state(s, &linux_saved_file_state, &saved);
    file->path = saved.path;
    file->name = saved.name;
    if (s->status != P5_OK)
        return;
    file->kind = (linux_file_kind)saved.kind;
    file->flags = saved.flags;
    file->writable_share = saved.writable_share;
    file->position = saved.entry;
    bool directory = file->kind == LINUX_DIRECTORY || file->kind == LINUX_VIRTUAL_DIRECTORY;
    if (directory && file->path == NULL)
        snapshot_refuse(s, "file.path is missing for an open directory");
    else if (file->kind == LINUX_STANDARD)
        file->host = (int)saved.stream;
    else if (file->kind == LINUX_REGULAR)
        load_regular(p, file, &saved, s);
    else if (file->kind == LINUX_DIRECTORY && saved.node != SCRATCH_NONE)
        load_node(p, file, saved.node, s);
    else if (file->kind == LINUX_DIRECTORY)
        file->host = reopen(p, file->path, true, file, s);
    else if (file->kind == LINUX_PIPE)
        snapshot_refuse(s, "file.kind: a snapshot cannot contain a pipe");
}

/* Saves the files of the list, or makes them and adds them to it. */
static void transfer_open_files(linux_process *p, file_list *list, snapshot *s)
{
    unsigned count = (unsigned)snapshot_number(s, "files", list->count, LINUX_FILES);
    for (unsigned i = 0; i < count && s->status == P5_OK; i++) {
        if (s->loading) {
            list->files[i] = calloc(1, sizeof *list->files[i]);
            if (list->files[i] == NULL) {
                snapshot_no_memory(s);
                return;
            }
            list->files[i]->host = -1;
            list->count++;
            load_file(p, list->files[i], s);
        } else {
            save_file(p, list->files[i], s);
        }
    }
}

static void transfer_descriptors(linux_process *p, file_list *list, snapshot *s)
{
    saved_descriptor saved[LINUX_FILES] = {{0}};
    for (unsigned i = 0; !s->loading && i < LINUX_FILES; i++) {
        const linux_descriptor *d = &p->files.descriptors[i];
        if (d->file != NULL)
            saved[i] = (saved_descriptor){(uint16_t)(index_of(list, d->file) + 1), d->close_on_exec};
    }
    snapshot_states(s, &linux_descriptor_state, saved, LINUX_FILES);
    for (unsigned i = 0; s->loading && s->status == P5_OK && i < LINUX_FILES; i++) {
        if (saved[i].file > list->count)
            snapshot_refuse(s, "descriptor.file[%u]: %u is not 0..%u", i, saved[i].file, list->count);
        else if (saved[i].file > 0) {
            p->files.descriptors[i] =
                (linux_descriptor){list->files[saved[i].file - 1], saved[i].close_on_exec};
            list->files[saved[i].file - 1]->references++;
        }
    }
}

/* Checks that the loading program gives the guest the same share. A snapshot does not restore access to the
 * host. */
static void check_mount(const share_tree *tree, uint64_t i, const saved_mount *saved, snapshot *s)
{
    const char *guest = saved->guest != NULL ? saved->guest : "";
    if (s->status == P5_OK && (i >= tree->mount_count || strcmp(tree->mounts[i].guest, guest) != 0 ||
                               tree->mounts[i].writable != saved->writable))
        snapshot_refuse(s, "the snapshot's guest uses the directory %s; repeat it as --dir HOST:%s%s",
                        guest[0] != '\0' ? guest : "/", guest[0] != '\0' ? guest : "/",
                        saved->writable ? ":rw" : "");
}

/* Saves the guest's directories, or checks that the loading program gives it the same ones. */
static void transfer_mounts(linux_process *p, snapshot *s)
{
    enum { MOST = 4096 };
    const share_tree *tree = &p->files.tree;
    size_t shares = tree->mount_count - (tree->scratch != NULL); /* the tree in memory is the last mount */
    uint64_t count = snapshot_number(s, "mounts", shares, MOST);
    for (uint64_t i = 0; i < count && s->status == P5_OK; i++) {
        saved_mount saved = {0};
        if (!s->loading)
            saved = (saved_mount){tree->mounts[i].guest, tree->mounts[i].writable};
        snapshot_state(s, &linux_mount_state, &saved);
        if (s->loading) {
            check_mount(tree, i, &saved, s);
            free(saved.guest);
        }
    }
    if (s->loading && s->status == P5_OK && count != shares)
        snapshot_refuse(s, "the snapshot's guest uses %" PRIu64 " directories (--dir), not %zu", count,
                        shares);
}

/* Restores the position of standard input if it is a file. A pipe continues with its next bytes. */
static void transfer_input(snapshot *s)
{
    struct stat about;
    bool file = fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode);
    uint64_t position = file && !s->loading ? (uint64_t)lseek(STDIN_FILENO, 0, SEEK_CUR) : UINT64_MAX;
    position = snapshot_number(s, "stdin", position, UINT64_MAX);
    if (s->loading && s->status == P5_OK && file && position <= INT64_MAX)
        lseek(STDIN_FILENO, (off_t)position, SEEK_SET);
}

/* Adds the open files to the empty list. */
static void list_files(const linux_process *p, file_list *list)
{
    for (unsigned i = 0; i < LINUX_FILES; i++) {
        linux_open_file *file = p->files.descriptors[i].file;
        if (file != NULL && index_of(list, file) == list->count)
            list->files[list->count++] = file;
    }
}

void linux_files_transfer(linux_process *p, snapshot *s)
{
    file_list *list = calloc(1, sizeof *list);
    if (list == NULL) {
        snapshot_no_memory(s);
        return;
    }
    if (s->loading && s->status == P5_OK) {
        for (unsigned i = 0; i < LINUX_FILES; i++) { /* close the files of the new process */
            if (p->files.descriptors[i].file != NULL)
                linux_file_release(p->files.descriptors[i].file);
            p->files.descriptors[i] = (linux_descriptor){0};
        }
    }
    if (!s->loading)
        list_files(p, list);
    linux_tree_transfer(p, s);
    transfer_mounts(p, s);
    transfer_open_files(p, list, s);
    transfer_descriptors(p, list, s);
    transfer_input(s);
    for (unsigned i = 0; s->loading && i < list->count; i++)
        if (list->files[i]->references == 0)
            linux_file_release(list->files[i]); /* no descriptor refers to it */
    free(list);
}
