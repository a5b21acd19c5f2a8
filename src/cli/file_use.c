/* Checks that no output of a run overwrites another output or an input. */
#include "cli/file_use.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* The place where a file would be created. */
typedef struct place {
    struct stat folder;      /* identifies the folder */
    char name[NAME_MAX + 1]; /* the file's name in the folder */
} place;

/* If `path` is a symbolic link, replaces it by its target and returns true, because opening a link whose target
 * does not exist creates the target. */
static bool follow(char path[PATH_MAX])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    char *slash = strrchr(path, '/');
    size_t folder = target[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (folder + (size_t)length >= PATH_MAX)
        return false;
    memcpy(path + folder, target, (size_t)length + 1);
    return true;
}

/* Finds where the file `as_given` would be created. Returns false if no file can be created there. */
static bool find_place(const char *as_given, place *found)
{
    enum { MOST_LINKS = 40 }; /* as many as Linux follows */
    char path[PATH_MAX];
    if (strlen(as_given) >= sizeof path)
        return false;
    strcpy(path, as_given);
    for (unsigned links = 0; follow(path);)
        if (++links > MOST_LINKS)
            return false;
    char *slash = strrchr(path, '/');
    const char *last = slash != NULL ? slash + 1 : path;
    if (strlen(last) >= sizeof found->name)
        return false;
    strcpy(found->name, last);
    if (slash == NULL)
        return stat(".", &found->folder) == 0;
    slash[slash == path ? 1 : 0] = '\0';
    return stat(path, &found->folder) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns true if data written to path `a` would appear at path `b`: both name the same regular file, or would create
 * the same one. Pipes, terminals and /dev/null accept several writers, so they never count as the same. */
static bool same_file(const char *a, const char *b)
{
    struct stat at_a, at_b;
    bool has_a = stat(a, &at_a) == 0, has_b = stat(b, &at_b) == 0;
    if (has_a && has_b)
        return same_inode(&at_a, &at_b) && S_ISREG(at_a.st_mode);
    place new_a, new_b;
    return !has_a && !has_b && find_place(a, &new_a) && find_place(b, &new_b) &&
           same_inode(&new_a.folder, &new_b.folder) && strcmp(new_a.name, new_b.name) == 0;
}

bool file_uses_distinct(const file_use *uses, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const file_use *a = &uses[j], *b = &uses[i];
            if (a->path == NULL || b->path == NULL || (a->reads && b->reads) || !same_file(a->path, b->path))
                continue;
            const file_use *written = b->reads ? a : b, *other = b->reads ? b : a;
            return cli_refuse(written->option, written->path, 1,
                              other->reads ? "this would overwrite %s, which is an input"
                                           : "%s writes the same file",
                              other->option);
        }
    return true;
}
