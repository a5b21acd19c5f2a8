/* Resolves the guest's paths. This file alone decides which files of the host a guest can reach.
 *
 * The guest's tree holds the shares, each at its guest path; a tree in memory; virtual directories above
 * these; and /dev/null, zero, random, urandom. A path is walked one component at a time from a share's root,
 * and each component is opened with O_NOFOLLOW in the directory before it. Links are read and followed here,
 * within the guest's tree. `..` shortens the guest's path, which contains no links, without asking the host.
 * So neither `..`, nor a link, nor a rename by another process leads out of a share. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "machine/share/share_internal.h"

enum { LINKS_AT_MOST = 40 }; /* in one path, as in Linux */

/* Returns the mount at exactly `path` (normalised, "" = root), or NULL. */
static share_mount *mount_at(const share_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->mount_count; i++)
        if (strcmp(tree->mounts[i].guest, path) == 0)
            return &tree->mounts[i];
    return NULL;
}

/* Returns true if `path` is the root, /dev, or a directory above a mount: these exist without a host
 * directory. */
static bool is_virtual_directory(const share_tree *tree, const char *path)
{
    size_t length = strlen(path);
    if (length == 0 || strcmp(path, "/dev") == 0)
        return true;
    for (size_t i = 0; i < tree->mount_count; i++)
        if (strncmp(tree->mounts[i].guest, path, length) == 0 && tree->mounts[i].guest[length] == '/')
            return true;
    return false;
}

/* The current position of a walk. `path` is free of links; `directory` is -1 in a virtual directory and in
 * memory. */
typedef struct walk {
    const share_tree *tree;
    int directory;
    uint32_t node;         /* in the tree in memory; SCRATCH_NONE: not in memory */
    bool writable;         /* of the share */
    share_quota *quota;    /* of the share; NULL: in a virtual directory */
    char path[SHARE_PATH]; /* of the guest; "" is the root */
} walk;

/* Leaves the current directory. `path` stays. */
static void walk_close(walk *w)
{
    if (w->directory >= 0)
        close(w->directory);
    w->directory = -1;
    w->node = SCRATCH_NONE;
    w->writable = false;
    w->quota = NULL;
}

static int32_t walk_enter_mount(walk *w, share_mount *mount)
{
    walk_close(w);
    w->writable = mount->writable;
    w->quota = &mount->quota;
    if (mount->directory < 0) {
        w->node = SCRATCH_ROOT;
        return 0;
    }
    w->directory = fcntl(mount->directory, F_DUPFD_CLOEXEC, 3);
    return w->directory >= 0 ? 0 : -errno;
}

/* Appends "/" and a name to a path of at most SHARE_PATH bytes. */
static int32_t path_append(char *path, const char *name)
{
    size_t used = strlen(path), length = strlen(name);
    if (used + 1 + length >= SHARE_PATH)
        return -ENAMETOOLONG;
    path[used] = '/';
    memcpy(path + used + 1, name, length + 1);
    return 0;
}

/* Appends `name`, which is no link, to the path and enters that directory. A mount or a virtual directory has
 * precedence over a directory of the host with this name. */
static int32_t walk_enter(walk *w, const char *name)
{
    int32_t wrong = path_append(w->path, name);
    if (wrong != 0)
        return wrong;
    share_mount *mount = mount_at(w->tree, w->path);
    if (mount != NULL)
        return walk_enter_mount(w, mount);
    if (w->directory >= 0 && strcmp(w->path, "/dev") != 0) {
        int next = openat(w->directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next >= 0) {
            close(w->directory);
            w->directory = next;
            return 0;
        }
        if (!is_virtual_directory(w->tree, w->path))
            return -errno;
    }
    if (w->node != SCRATCH_NONE && !is_virtual_directory(w->tree, w->path)) {
        int32_t next = scratch_enter(w->tree->scratch, w->node, name);
        w->node = next > 0 ? (uint32_t)next : w->node;
        return next > 0 ? 0 : next;
    }
    walk_close(w);
    return is_virtual_directory(w->tree, w->path) ? 0 : -ENOENT;
}

/* Walks from the root to `path`, which contains no links. */
static int32_t walk_to(walk *w, const char *path)
{
    char component[256];
    walk_close(w);
    w->path[0] = '\0';
    share_mount *root = mount_at(w->tree, "");
    int32_t wrong = root != NULL ? walk_enter_mount(w, root) : 0;
    while (wrong == 0 && *path != '\0') {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0)
            break;
        if (length >= sizeof component)
            return -ENAMETOOLONG;
        memcpy(component, path, length);
        component[length] = '\0';
        path += length;
        wrong = walk_enter(w, component);
    }
    return wrong;
}

/* Enters the parent directory by walking to its path from the root. The root is its own parent. */
static int32_t walk_up(walk *w)
{
    char parent[SHARE_PATH];
    strcpy(parent, w->path);
    char *slash = strrchr(parent, '/');
    if (slash != NULL)
        *slash = '\0';
    return walk_to(w, parent);
}

/* Returns the place of the entry `name` in the walk's directory, whose descriptor still belongs to the walk. */
static share_place place_in(const walk *w, const char *name)
{
    share_place place = {.directory = w->directory,
                         .scratch = w->node != SCRATCH_NONE ? w->tree->scratch : NULL,
                         .folder = w->node,
                         .writable = w->writable,
                         .quota = w->quota};
    strcpy(place.name, name);
    return place;
}

/* Reads the target of the link `name` in the walk's directory. Returns 1, 0 if it is no link, or -errno. */
static int32_t walk_read_link(const walk *w, const char *name, char *text, size_t capacity)
{
    if (w->directory < 0 && w->node == SCRATCH_NONE)
        return 0;
    const share_place place = place_in(w, name);
    ssize_t length = share_read_link(&place, text, capacity - 1);
    if (length < 0)
        return length == -EINVAL ? 0 : (int32_t)length;
    if ((size_t)length == capacity - 1)
        return -ENAMETOOLONG;
    text[length] = '\0';
    return 1;
}

/* Ends the walk: *place becomes the entry `name` of the walk's directory, and takes over its descriptor. place->target is
 * kept; place->guest becomes the directory's path. */
static int32_t walk_end(walk *w, const char *name, share_place *place)
{
    char target[sizeof place->target];
    strcpy(target, place->target);
    *place = place_in(w, name);
    strcpy(place->target, target);
    strcpy(place->guest, w->path);
    w->directory = -1;
    return 0;
}

/* Ends the walk at the last component of the path, which is no link to be followed. Checks that the entry exists unless
 * SHARE_MAY_BE_MISSING is set. The devices are the only entries of virtual directories that are not directories. */
static int32_t walk_finish(walk *w, const char *name, unsigned how, share_place *place)
{
    struct stat about;
    const share_place there = place_in(w, name);
    if (w->directory >= 0 || w->node != SCRATCH_NONE) {
        int32_t wrong = share_about(&there, &about);
        if (wrong != 0 && (wrong != -ENOENT || (how & SHARE_MAY_BE_MISSING) == 0))
            return wrong;
    } else if (strcmp(w->path, "/dev") == 0) {
        static const char *const names[][2] = {
            {"null", "null"}, {"zero", "zero"}, {"random", "random"}, {"urandom", "random"}};
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strcmp(name, names[i][0]) == 0)
                strcpy(place->target, names[i][1]);
        if (place->target[0] == '\0')
            return -ENOENT;
    } else {
        return (how & SHARE_MAY_BE_MISSING) != 0 ? -EROFS : -ENOENT;
    }
    walk_end(w, name, place);
    return path_append(place->guest, name);
}

/* Returns true if `name` in the walk's directory is a mount or a virtual directory. */
static bool walk_next_is_mount_or_virtual(const walk *w, const char *name)
{
    char path[SHARE_PATH];
    strcpy(path, w->path);
    return path_append(path, name) == 0 &&
           (mount_at(w->tree, path) != NULL || is_virtual_directory(w->tree, path));
}

/* Walks the path `text` from the current directory on. When a component is a link, `text` becomes the link's target with
 * the rest of the path after it. */
static int32_t walk_all(walk *w, char text[SHARE_PATH], unsigned how, share_place *place)
{
    char *rest = text;
    char link[SHARE_PATH], longer[SHARE_PATH], name[256];
    unsigned links = 0;
    for (;;) {
        rest += strspn(rest, "/");
        size_t length = strcspn(rest, "/");
        const char *after = rest + length + strspn(rest + length, "/");
        bool last = *after == '\0', slash_follows = rest[length] == '/';
        if (length == 0)
            return walk_end(w, ".", place);
        if (length >= sizeof name)
            return -ENAMETOOLONG;
        memcpy(name, rest, length);
        name[length] = '\0';
        rest += length;
        int32_t wrong = 0;
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            wrong = walk_up(w);
        } else if (walk_next_is_mount_or_virtual(w, name)) {
            wrong = walk_enter(w, name);
        } else {
            int32_t is_link = last && !slash_follows && (how & SHARE_FOLLOW) == 0
                                  ? 0
                                  : walk_read_link(w, name, link, sizeof link);
            if (is_link < 0 && !(is_link == -ENOENT && last))
                return is_link;
            if (is_link > 0) {
                if (++links > LINKS_AT_MOST)
                    return -ELOOP;
                if (strlen(link) + strlen(rest) >= sizeof longer)
                    return -ENAMETOOLONG;
                strcat(strcpy(longer, link), rest);
                wrong = link[0] == '/' ? walk_to(w, "") : 0;
                rest = strcpy(text, longer);
            } else if (last && (!slash_follows || is_link == -ENOENT)) { /* as in mkdir("new/") */
                return walk_finish(w, name, how, place);
            } else {
                wrong = walk_enter(w, name);
            }
        }
        if (wrong != 0)
            return wrong;
    }
}

int32_t share_resolve(const share_tree *tree, const char *start, const char *path, unsigned how,
                      share_place *place)
{
    walk w = {.tree = tree, .directory = -1};
    char rest[SHARE_PATH];
    memset(place, 0, sizeof *place);
    place->directory = -1;
    if (path[0] == '\0')
        return -ENOENT;
    if (strlen(path) >= sizeof rest)
        return -ENAMETOOLONG;
    int32_t wrong = walk_to(&w, path[0] == '/' ? "" : start);
    if (wrong == 0)
        wrong = walk_all(&w, strcpy(rest, path), how, place);
    walk_close(&w);
    if (wrong != 0)
        share_place_close(place);
    return wrong;
}

void share_place_close(share_place *place)
{
    if (place->directory >= 0)
        close(place->directory);
    place->directory = -1;
}
