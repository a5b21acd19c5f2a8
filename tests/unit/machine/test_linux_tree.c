/* The guest's own files in a snapshot: which nodes and names form a tree, and that others are refused. */
#define _GNU_SOURCE /* memfd_create */
#include "linux_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "machine/linux/linux_internal.h"
#include "machine/share/scratch.h"
#include "p5scope/snapshot.h"

enum { FOLDER = SCRATCH_ROOT + 1, FILE_NODE, LINK, SECOND };

/* A node of the tree, or a name in it. Text NULL: none. */
typedef struct node {
    uint32_t mode;
    const char *text;
} node;
typedef struct name {
    uint32_t folder, node;
    const char *text;
} name;

/* /folder, /folder/file, /folder/link, and what a case adds or replaces. */
typedef struct tree {
    const char *what;
    node root, file, link, second;
    name names[4];
    bool good;
} tree;

static void set_node(share_scratch *m, const node *as)
{
    const bool file = S_ISREG(as->mode);
    assert_true(ARRAY_ADD(&m->nodes, (scratch_node){.mode = as->mode,
                                                    .host = file ? memfd_create("file", MFD_CLOEXEC) : -1,
                                                    .text = as->text != NULL ? strdup(as->text) : NULL}));
}

static p5_status save_and_load(const tree *t, p5_error *error)
{
    static const char *const none[] = {NULL};
    p5_machine *machine = linux_guest_open(none, none), *loaded = NULL;
    share_scratch *m = ((linux_process *)machine->guest_state)->files.tree.scratch;
    assert_non_null(m);
    assert_int_equal(m->nodes.count, SCRATCH_ROOT + 1);
    assert_int_equal(m->names.count, 0);
    m->nodes.count--;
    set_node(m, &t->root);
    const node folder = {S_IFDIR | 0755, NULL};
    set_node(m, &folder);
    set_node(m, &t->file);
    set_node(m, &t->link);
    set_node(m, &t->second);
    for (unsigned i = 0; i < 4 && t->names[i].text != NULL; i++)
        assert_true(ARRAY_ADD(
            &m->names, (scratch_name){t->names[i].folder, t->names[i].node, strdup(t->names[i].text)}));
    char path[] = "/tmp/p5scope-tree-XXXXXX";
    unit_file(path, "", 0);
    if (p5_machine_save(machine, path, NULL, error) != P5_OK)
        fail_msg("%s: %s", t->what, error->message);
    *error = (p5_error){0};
    const p5_machine_options options = {.size = sizeof options};
    p5_status status = p5_machine_restore(path, &options, &loaded, error);
    p5_machine_close(loaded);
    p5_machine_close(machine);
    unlink(path);
    return status;
}

#define ROOT   .root = {S_IFDIR | 01777, NULL}
#define A_FILE .file = {S_IFREG | 0644, NULL}
#define A_LINK .link = {S_IFLNK | 0777, "file"}
#define NODES  ROOT, A_FILE, A_LINK
#define ITSELF                                                                                               \
    {                                                                                                        \
        SCRATCH_ROOT, FOLDER, "folder"                                                                       \
    }
#define FILE_OF                                                                                              \
    {                                                                                                        \
        FOLDER, FILE_NODE, "file"                                                                            \
    }
#define LINK_OF                                                                                              \
    {                                                                                                        \
        FOLDER, LINK, "link"                                                                                 \
    }

TEST(nodes_form_a_tree)
{
    static char too_long[257];
    memset(too_long, 'n', sizeof too_long - 1);
    const tree trees[] = {
        {"a tree", NODES, .names = {ITSELF, FILE_OF, LINK_OF}, .good = true},
        {"a second name of the file", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, "again"}, FILE_OF},
         .good = true},
        {"a file without a name", NODES, .names = {ITSELF}, .good = true},
        {"a root that is a link", .root = {S_IFLNK | 0777, "folder"}, A_FILE, A_LINK},
        {"a name in a file", NODES, .names = {ITSELF, FILE_OF, {FILE_NODE, LINK, "link"}}},
        {"a name in a link", NODES, .names = {ITSELF, FILE_OF, {LINK, FILE_NODE, "file"}}},
        {"a name of a free node", NODES, .names = {ITSELF, {FOLDER, SECOND, "none"}}},
        {"a name in a node that is not there", NODES, .names = {ITSELF, {SECOND + 1, FILE_NODE, "file"}}},
        {"a name of a node that is not there", NODES, .names = {ITSELF, {FOLDER, SECOND + 1, "file"}}},
        {"a name of the root", NODES, .names = {ITSELF, {FOLDER, SCRATCH_ROOT, "root"}}},
        {"a name of the node that is not used", NODES, .names = {ITSELF, {FOLDER, SCRATCH_NONE, "none"}}},
        {"an empty name", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, ""}}},
        {"the name .", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, "."}}},
        {"the name ..", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, ".."}}},
        {"a name with a slash", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, "a/b"}}},
        {"a name of 255 bytes", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, too_long + 1}}, .good = true},
        {"a name of 256 bytes", NODES, .names = {ITSELF, {FOLDER, FILE_NODE, too_long}}},
        {"names out of order", NODES, .names = {ITSELF, LINK_OF, FILE_OF}},
        {"folders out of order", NODES, .names = {FILE_OF, ITSELF}},
        {"a name twice", NODES, .names = {ITSELF, FILE_OF, {FOLDER, LINK, "file"}}},
        {"a folder with two names", NODES, .names = {ITSELF, {SCRATCH_ROOT, FOLDER, "second"}}},
        {"a second folder", NODES, .second = {S_IFDIR | 0700, NULL},
         .names = {ITSELF, {FOLDER, SECOND, "inner"}}, .good = true},
        {"a FIFO", NODES, .second = {S_IFIFO | 0600, NULL}, .names = {ITSELF, {FOLDER, SECOND, "fifo"}}},
        {"a link without a target", ROOT, A_FILE, .link = {S_IFLNK | 0777, NULL}, .names = {ITSELF, LINK_OF}},
        {"a file with a target", ROOT, .file = {S_IFREG | 0644, "link"}, A_LINK, .names = {ITSELF, FILE_OF}},
    };
    for (unsigned i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        p5_error error = {0};
        const p5_status status = save_and_load(&trees[i], &error);
        if (status != (trees[i].good ? P5_OK : P5_ERR_FORMAT))
            fail_msg("%s: %d (%s)", trees[i].what, status, error.message);
        if (!trees[i].good && strstr(error.message, "do not form a tree") == NULL)
            fail_msg("%s: %s", trees[i].what, error.message);
    }
}

/* The rights that an open needs, as ACC_MODE and may_open in the kernel say: O_TRUNC writes, and mode 3 needs both. */
TEST(opens_need_rights)
{
    static const char *const none[] = {NULL};
    static const struct {
        mode_t mode;
        int flags;
        bool good;
    } rows[] = {{0444, O_RDONLY, true},
                {0444, O_RDONLY | O_TRUNC, false},
                {0644, O_RDONLY | O_TRUNC, true},
                {0444, O_ACCMODE, false},
                {0200, O_ACCMODE, false}};
    MACHINE(machine, linux_guest_open(none, none));
    share_scratch *m = ((linux_process *)machine->guest_state)->files.tree.scratch;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        share_quota quota = {0};
        share_place place = {
            .directory = -1, .scratch = m, .folder = SCRATCH_ROOT, .writable = true, .quota = &quota};
        snprintf(place.name, sizeof place.name, "file%u", i);
        const int made = share_open(&place, O_CREAT | O_WRONLY, rows[i].mode);
        assert_true(made >= 0);
        close(made);
        const int host = share_open(&place, rows[i].flags, 0);
        assert_true(rows[i].good ? host >= 0 : host == -EACCES);
        if (host >= 0)
            close(host);
    }
}
