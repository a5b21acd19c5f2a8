/* The guest's own /tmp in snapshots: the tree of its names and nodes, and the contents of its files. */
#define _GNU_SOURCE /* Linux interfaces: memfd_create */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/linux/snapshot.h"
#include "machine/share/scratch.h"

enum { CHUNK = 65536 }; /* bytes of a file that are saved together */

typedef struct saved_chunk {
    uint32_t bytes;
} saved_chunk;
const snapshot_table linux_chunk_state = {SNAPSHOT(saved_chunk, "chunk", FIELD_MOST(CHUNK, bytes))};

/* Saves the file's bytes in chunks. An empty chunk ends them. */
static void save_contents(snapshot *s, int from)
{
    uint8_t *bytes = malloc(CHUNK);
    if (bytes == NULL) {
        snapshot_no_memory(s);
        return;
    }
    for (off_t at = 0; s->status == P5_OK;) {
        ssize_t got = pread(from, bytes, CHUNK, at);
        if (got < 0)
            s->status =
                error_set(s->error, P5_ERR_IO, "cannot read a file of the guest: %s", strerror(errno));
        got = got < 0 ? 0 : got;
        saved_chunk chunk = {(uint32_t)got};
        snapshot_state(s, &linux_chunk_state, &chunk);
        snapshot_raw(s, "contents", bytes, chunk.bytes);
        at += got;
        if (got == 0)
            break;
    }
    free(bytes);
}

/* Writes the saved chunks to the descriptor `to`. -1 means that it could not be opened, which is an error if there is a
 * chunk. */
static void load_contents(snapshot *s, int to)
{
    uint8_t *bytes = malloc(CHUNK);
    if (bytes == NULL) {
        snapshot_no_memory(s);
        return;
    }
    while (s->status == P5_OK) {
        saved_chunk chunk = {0};
        snapshot_state(s, &linux_chunk_state, &chunk);
        snapshot_raw(s, "contents", bytes, chunk.bytes);
        if (s->status != P5_OK || chunk.bytes == 0)
            break;
        if (to < 0 || write(to, bytes, chunk.bytes) != (ssize_t)chunk.bytes)
            s->status =
                error_set(s->error, P5_ERR_IO, "cannot restore a file of the guest: %s", strerror(errno));
    }
    free(bytes);
}

const snapshot_table linux_node_state = {
    SNAPSHOT(scratch_node, "node", FIELD_ANY(mode), FIELD_DERIVED(names, opens),
             FIELD_ANY(accessed, modified, changed), FIELD_DERIVED(host), FIELD_STRING(text))};

const snapshot_table linux_name_state = {
    SNAPSHOT(scratch_name, "name", FIELD_ANY(folder, node), FIELD_STRING(text))};

/* Counts the names of each loaded node. Returns true if the tree is valid: names ascend, lie in folders and refer to
 * nodes; a folder has at most one name; links have a target, and no other node has one. */
static bool count_names_and_check(share_scratch *m)
{
    if (m->nodes.count <= SCRATCH_ROOT || !S_ISDIR(m->nodes.items[SCRATCH_ROOT].mode) ||
        m->nodes.items[SCRATCH_NONE].mode != 0)
        return false;
    m->nodes.items[SCRATCH_ROOT].opens = 1;
    for (size_t i = 0; i < m->names.count; i++) {
        const scratch_name *n = &m->names.items[i], *before = i != 0 ? n - 1 : NULL;
        if (n->folder >= m->nodes.count || n->node >= m->nodes.count || n->node <= SCRATCH_ROOT ||
            !S_ISDIR(m->nodes.items[n->folder].mode) || m->nodes.items[n->node].mode == 0 ||
            n->text == NULL || n->text[0] == '\0' || strlen(n->text) > NAME_MAX ||
            strchr(n->text, '/') != NULL || strcmp(n->text, ".") == 0 || strcmp(n->text, "..") == 0 ||
            (before != NULL && (before->folder > n->folder ||
                                (before->folder == n->folder && strcmp(before->text, n->text) >= 0))))
            return false;
        m->nodes.items[n->node].names++;
    }
    for (size_t i = 0; i < m->nodes.count; i++) {
        const scratch_node *n = &m->nodes.items[i];
        bool folder = S_ISDIR(n->mode) && n->names <= 1, file = S_ISREG(n->mode);
        if (n->mode != 0 &&
            ((!folder && !file && !S_ISLNK(n->mode)) || (n->text != NULL) != S_ISLNK(n->mode)))
            return false;
    }
    return true;
}

/* Saves or loads a list whose rows contain strings. `items` points to the pointer to the rows. */
static void transfer_rows(snapshot *s, const snapshot_table *table, void *items, size_t *count,
                          size_t *capacity)
{
    uint64_t rows = snapshot_number(s, table->name, *count, SCRATCH_NAMES);
    uint8_t *array;
    if (s->loading && rows > *capacity && !array_reserve(items, capacity, (size_t)rows, table->bytes))
        snapshot_no_memory(s);
    if (s->status != P5_OK)
        return;
    memcpy(&array, items, sizeof array);
    if (s->loading && rows != 0)
        memset(array, 0, (size_t)rows * table->bytes);
    *count = (size_t)rows;
    for (uint64_t i = 0; i < rows && s->status == P5_OK; i++)
        snapshot_state(s, table, array + i * table->bytes);
}

/* Saves or loads the tree in memory, which exists on both sides or on none. */
void linux_tree_transfer(linux_process *p, snapshot *s)
{
    share_scratch *m = p->files.tree.scratch;
    bool there = snapshot_number(s, "private", m != NULL, 1) != 0;
    if (there != (m != NULL) && s->status == P5_OK)
        snapshot_refuse(s, there ? "the snapshot's guest has its own /tmp, which --dir replaces"
                                 : "the snapshot's guest has no /tmp of its own; repeat the --dir for /tmp");
    if (m == NULL || s->status != P5_OK)
        return;
    m->quota->left = snapshot_number(s, "private.left", m->quota->left, p->machine->options.memory_bytes);
    transfer_rows(s, &linux_node_state, &m->nodes.items, &m->nodes.count, &m->nodes.capacity);
    for (size_t i = 0; s->loading && i < m->nodes.count; i++) {
        m->nodes.items[i].host = -1;
        m->nodes.items[i].names = m->nodes.items[i].opens = 0;
    }
    transfer_rows(s, &linux_name_state, &m->names.items, &m->names.count, &m->names.capacity);
    if (s->loading && s->status == P5_OK && !count_names_and_check(m))
        snapshot_refuse(s, "name.folder: the nodes do not form a tree");
    for (size_t i = 0; i < m->nodes.count && s->status == P5_OK; i++) {
        scratch_node *n = &m->nodes.items[i];
        if (!S_ISREG(n->mode))
            continue;
        if (!s->loading) {
            save_contents(s, n->host);
        } else {
            n->host = memfd_create("guest", MFD_CLOEXEC);
            load_contents(s, n->host);
        }
    }
}
