/* Finds and reads the case files that the user named. */
#define _GNU_SOURCE /* asprintf */
#include "cli/case_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST_CAPACITY = 16 };

static bool add_file(case_files *files, const char *path)
{
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? FIRST_CAPACITY : files->capacity * 2;
        case_file *grown = realloc(files->items, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        files->items = grown;
        files->capacity = capacity;
    }
    case_file *file = &files->items[files->count];
    memset(file, 0, sizeof *file);
    file->path = strdup(path);
    if (file->path == NULL)
        return false;
    files->count++;
    return true;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool add_path(case_files *files, const char *path, bool operand);

/* Adds the *.s files of a directory and its subdirectories in order of names, except names that begin with a period, and
 * symbolic links to directories, which may lead in a circle.
 * Returns false if memory runs out or a directory cannot be read. */
static bool add_directory(case_files *files, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, visible, alphasort);
    if (count < 0)
        return false;
    bool good = true;
    size_t length = strlen(path);
    for (int i = 0; i < count; i++) {
        char *inside = NULL;
        if (good &&
            asprintf(&inside, "%s%s%s", path, path[length - 1] == '/' ? "" : "/", entries[i]->d_name) >= 0)
            good = add_path(files, inside, false);
        free(inside);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* Adds the file or directory `path`. An `operand` (a path that the user named) is added even if its name does not
 * end in .s or it does not exist. Returns false if memory runs out or a directory cannot be read. */
static bool add_path(case_files *files, const char *path, bool operand)
{
    struct stat about, link;
    if (stat(path, &about) != 0)
        return operand ? add_file(files, path) : true; /* case_files_read reports the reason */
    if (S_ISDIR(about.st_mode)) {
        const bool follow = operand || (lstat(path, &link) == 0 && !S_ISLNK(link.st_mode));
        return follow ? add_directory(files, path) : true;
    }
    size_t length = strlen(path);
    if (operand || (length > 2 && strcmp(path + length - 2, ".s") == 0))
        return add_file(files, path);
    return true;
}

void case_write_error(FILE *out, const p5_error *error)
{
    if (error->where[0] != '\0')
        fprintf(out, error->line != 0 ? "%s:%u: " : "%s: ", error->where, error->line);
    fprintf(out, "%s%s%s\n", error->message, error->hint[0] != '\0' ? "; " : "", error->hint);
}

char *case_error_line(const p5_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    case_write_error(out, error);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* Returns the length of the directory in `path`; 0: it has none. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) : 0;
}

/* Records a problem of file `index` if an earlier file of the same directory has the same case name, because reports
 * name the cases. Returns false when memory is out. */
static bool check_name(const case_files *files, size_t index)
{
    case_file *file = &files->items[index];
    for (size_t i = 0; i < index; i++) {
        const case_file *other = &files->items[i];
        size_t length = directory_length(file->path);
        if (other->problem != NULL || directory_length(other->path) != length ||
            strncmp(other->path, file->path, length) != 0 ||
            strcmp(other->parsed.name, file->parsed.name) != 0)
            continue;
        return asprintf(&file->problem, "%s: case name '%s' is already that of %s", file->path,
                        file->parsed.name, other->path) >= 0;
    }
    return true;
}

bool case_files_read(case_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        case_file *file = &files->items[i];
        p5_error error = {0};
        if (p5_case_read(file->path, &file->parsed, &error) != P5_OK) {
            file->problem = case_error_line(&error);
            if (file->problem == NULL)
                return false;
        } else if (!check_name(files, i)) {
            return false;
        }
    }
    return true;
}

bool case_files_add(case_files *files, const char *path)
{
    return add_path(files, path, true);
}

p5_case_conditions case_conditions(const p5_case *parsed)
{
    return (p5_case_conditions){.cpl = parsed->cpl,
                                .cr4 = parsed->cr4,
                                .registers = parsed->registers,
                                .register_count = parsed->register_count,
                                .states = parsed->states,
                                .state_count = parsed->state_count};
}

const char *case_file_name(const case_file *file)
{
    return file->parsed.name != NULL ? file->parsed.name : file->path;
}

void case_files_free(case_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        p5_case_free(&files->items[i].parsed);
        free(files->items[i].path);
        free(files->items[i].problem);
    }
    free(files->items);
    memset(files, 0, sizeof *files);
}
