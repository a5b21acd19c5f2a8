/* Translation of DOS paths to host paths. Drive C: is the first share, D: the second. DOS sees only those files of the
 * host whose names have an 8.3 form. Letter case does not matter; of several names that differ only in case, DOS sees the
 * first in the order of names. A packed name has 8 characters of the name and 3 of the extension, padded with blanks.
 * Drive numbers begin with 0 for A:. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"

dos_error dos_error_of(int32_t result)
{
    switch (-result) {
    case 0:
        return DOS_OK;
    case ENOENT:
        return DOS_NO_FILE;
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return DOS_NO_PATH;
    case EMFILE:
    case ENFILE:
        return DOS_TOO_MANY_FILES;
    case EXDEV:
        return DOS_OTHER_DEVICE;
    case EEXIST:
        return DOS_EXISTS;
    default:
        return DOS_DENIED;
    }
}

/* Returns true for the drives of shares and for DOS_OWN_DRIVE. */
bool dos_drive_there(const dos *d, unsigned drive)
{
    return (drive >= DOS_FIRST_DRIVE && drive - DOS_FIRST_DRIVE < d->tree.mount_count) ||
           drive == DOS_OWN_DRIVE;
}

/* --- names --- */

/* Returns true for characters that may be in a name or an extension. Wildcards may not. */
static bool name_character(uint8_t c)
{
    return c > ' ' && c != 0x7f && strchr("\"*+,./:;<=>?[\\]|", c) == NULL;
}

/* Packs at most `most` characters into a field padded with blanks; '*' fills the rest with '?'. Returns the
 * first character after the name. */
static const char *pack_field(const char *text, char *field, unsigned most)
{
    unsigned used = 0;
    memset(field, ' ', most);
    for (; name_character((uint8_t)*text) || *text == '?' || *text == '*'; text++) {
        if (*text == '*')
            memset(field + used, '?', most - used), used = most;
        else if (used < most)
            field[used++] = (char)toupper((unsigned char)*text);
    }
    return text;
}

/* Packs a name from the guest; cuts longer names as DOS does. Returns false for an invalid character. */
static bool pack_guest(const char *text, char packed[11])
{
    text = pack_field(text, packed, 8);
    memset(packed + 8, ' ', 3);
    if (*text == '.')
        text = pack_field(text + 1, packed + 8, 3);
    return *text == '\0' && packed[0] != ' ';
}

bool dos_name_pack(const char *name, char packed[11])
{
    const char *dot = strchr(name, '.');
    size_t base = dot != NULL ? (size_t)(dot - name) : strlen(name);
    if (base == 0 || base > 8 || (dot != NULL && (strlen(dot + 1) > 3 || strlen(dot + 1) == 0)) ||
        strpbrk(name, "*?") != NULL)
        return false;
    return pack_guest(name, packed);
}

void dos_name_unpack(const char packed[11], char name[DOS_NAME])
{
    unsigned used = 0;
    for (unsigned i = 0; i < 11; i++) {
        if (i == 8 && packed[8] != ' ')
            name[used++] = '.';
        if (packed[i] != ' ')
            name[used++] = packed[i];
    }
    name[used] = '\0';
}

/* --- from the guest --- */

/* Appends a component of the guest's text to a path. "." changes nothing, ".." removes the last name, and other names are
 * cut to their 8.3 form. Returns DOS_NO_PATH for ".." above the root, DOS_NO_FILE for what is not a name. */
static dos_error path_add(dos_path *path, const char *component, size_t length)
{
    char text[80], packed[11], name[DOS_NAME];
    if (length >= sizeof text)
        return DOS_NO_FILE;
    memcpy(text, component, length);
    text[length] = '\0';
    if (strcmp(text, ".") == 0)
        return DOS_OK;
    if (strcmp(text, "..") == 0) {
        char *last = strrchr(path->text, '\\');
        if (last == NULL)
            return DOS_NO_PATH;
        *last = '\0';
        return DOS_OK;
    }
    if (!pack_guest(text, packed))
        return DOS_NO_FILE;
    dos_name_unpack(packed, name);
    size_t used = strlen(path->text);
    if (used + 1 + strlen(name) >= sizeof path->text)
        return DOS_NO_FILE;
    snprintf(path->text + used, sizeof path->text - used, "\\%s", name);
    return DOS_OK;
}

/* Makes the guest's path absolute, with the current drive and that drive's current directory. Keeps wildcards. The errors
 * are those of MS-DOS 4.0's TransPath: DOS_NO_FILE for no path or only a drive, and for a last component that is not a
 * name; else DOS_NO_PATH. */
dos_error dos_path_parse(const dos *d, const char *text, dos_path *path)
{
    *path = (dos_path){.drive = d->drive};
    if (text[0] != '\0' && text[1] == ':') {
        int letter = toupper((unsigned char)text[0]);
        if (letter < 'A' || letter > 'Z')
            return DOS_NO_PATH;
        path->drive = (uint8_t)(letter - 'A');
        text += 2;
    }
    if (*text == '\0')
        return DOS_NO_FILE;
    if (*text != '\\' && *text != '/')
        memcpy(path->text, d->directories[path->drive], sizeof path->text);
    dos_error wrong = DOS_OK;
    while (wrong == DOS_OK && *text != '\0') {
        text += strspn(text, "\\/");
        size_t length = strcspn(text, "\\/");
        if (length != 0)
            wrong = path_add(path, text, length);
        text += length;
    }
    bool no_drive =
        wrong == DOS_OK && dos_path_device(path) == DOS_CLOSED && !dos_drive_there(d, path->drive);
    return no_drive || (wrong == DOS_NO_FILE && *text != '\0') ? DOS_NO_PATH : wrong;
}

/* Returns the device that the last name denotes, whatever its extension, or DOS_CLOSED. All but the console act as
 * NUL. */
dos_file_kind dos_path_device(const dos_path *path)
{
    static const char *const names[] = {"NUL", "AUX", "PRN", "COM1", "LPT1", "CLOCK$", "XMSXXXX0"};
    const char *name = strrchr(path->text, '\\');
    char base[DOS_NAME] = "";
    if (name == NULL)
        return DOS_CLOSED;
    memcpy(base, name + 1, strcspn(name + 1, "."));
    if (strcmp(base, "CON") == 0)
        return DOS_CONSOLE;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(base, names[i]) == 0)
            return DOS_NUL;
    return DOS_CLOSED;
}

bool dos_path_is_program(const dos *d, const dos_path *path)
{
    return path->drive == DOS_OWN_DRIVE && path->text[0] == '\\' &&
           strcmp(path->text + 1, d->program_name) == 0;
}

/* --- on the host --- */

/* Sets `name` to the first name in a directory of the host whose DOS name is `packed`. Leaves `name` unchanged if there is
 * none. */
static void match_entry(int directory, const char packed[11], char name[256])
{
    struct dirent **entries;
    char own[11];
    bool found = false;
    int count = share_list(directory, &entries);
    for (int i = 0; i < count && !found; i++) {
        found = dos_name_pack(entries[i]->d_name, own) && memcmp(own, packed, sizeof own) == 0;
        if (found)
            snprintf(name, 256, "%s", entries[i]->d_name);
    }
    if (count >= 0)
        share_list_free(entries, count);
}

/* Appends the host's name for a component to `path`, or the component itself if no such file exists. */
static dos_error host_component(const dos *d, char path[SHARE_PATH], const char *component)
{
    char packed[11], name[256];
    SHARE_PLACE(place);
    snprintf(name, sizeof name, "%s", component);
    int32_t wrong = share_resolve(&d->tree, "", path[0] != '\0' ? path : "/", SHARE_FOLLOW, &place);
    if (wrong != 0)
        return DOS_NO_PATH;
    int directory = place.directory >= 0 ? share_open(&place, O_RDONLY | O_DIRECTORY, 0) : -1;
    if (directory >= 0) {
        if (pack_guest(component, packed))
            match_entry(directory, packed, name);
        close(directory);
    }
    size_t used = strlen(path);
    if (directory < 0 || used + strlen(name) + 2 > SHARE_PATH)
        return DOS_NO_PATH;
    snprintf(path + used, SHARE_PATH - used, "/%s", name);
    return DOS_OK;
}

dos_error dos_path_at(const dos *d, uint32_t linear, dos_path *path)
{
    char text[128];
    return dos_text(d, linear, text, sizeof text) ? dos_path_parse(d, text, path) : DOS_NO_PATH;
}

dos_error dos_path_find(const dos *d, const dos_path *path, bool missing, share_place *place)
{
    char host[SHARE_PATH], component[DOS_NAME];
    *place = (share_place){.directory = -1};
    if (!dos_drive_there(d, path->drive))
        return DOS_NO_PATH;
    if (path->drive == DOS_OWN_DRIVE)
        return path->text[0] == '\0' ? DOS_DENIED : DOS_NO_FILE;
    snprintf(host, sizeof host, "%s", d->tree.mounts[path->drive - DOS_FIRST_DRIVE].guest);
    for (const char *rest = path->text; *rest != '\0';) {
        size_t length = strcspn(++rest, "\\");
        memcpy(component, rest, length);
        component[length] = '\0';
        rest += length;
        dos_error wrong = host_component(d, host, component);
        if (wrong != DOS_OK)
            return wrong;
    }
    return dos_error_of(share_resolve(&d->tree, "", host[0] != '\0' ? host : "/",
                                      SHARE_FOLLOW | (missing ? SHARE_MAY_BE_MISSING : 0u), place));
}
