/* Changes of the directory tree, attributes and current directories. The text of a dos_path is "" for the root of a drive,
 * else "\A\B"; a share_place is the place on the host to which it leads. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/dos/dos_internal.h"

/* Makes the guest's path at `linear` absolute. Returns DOS_NO_PATH for any error, as the functions here do in MS-DOS. */
static dos_error path_at(const dos *d, uint32_t linear, dos_path *path)
{
    return dos_path_at(d, linear, path) == DOS_OK ? DOS_OK : DOS_NO_PATH;
}

/* Finds the place of a path without wildcards and checks that it may be changed. `missing`: its last name need not
 * exist. */
static dos_error path_to_change(const dos *d, const dos_path *path, bool missing, share_place *place)
{
    if (strpbrk(path->text, "*?") != NULL)
        return DOS_NO_PATH;
    dos_error wrong = dos_path_is_program(d, path) ? DOS_DENIED : dos_path_find(d, path, missing, place);
    return wrong == DOS_OK ? dos_error_of(share_may_change(place)) : wrong;
}

/* AH = 39h: Creates the directory DS:DX. If it exists, the error is DOS_DENIED, as in MS-DOS, not DOS_EXISTS. */
dos_error dos_call_make_directory(dos *d)
{
    dos_path path;
    SHARE_PLACE(place);
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    if (wrong == DOS_OK)
        wrong = path_to_change(d, &path, true, &place);
    if (wrong == DOS_OK)
        wrong = dos_error_of(share_make_folder(&place, 0777));
    return wrong == DOS_EXISTS ? DOS_DENIED : wrong == DOS_NO_FILE ? DOS_NO_PATH : wrong;
}

/* AH = 3Ah: Removes the directory DS:DX, which must not be a current one. */
dos_error dos_call_remove_directory(dos *d)
{
    dos_path path;
    SHARE_PLACE(place);
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    if (wrong == DOS_OK && strcmp(path.text, d->directories[path.drive]) == 0)
        return DOS_CURRENT_DIRECTORY;
    if (wrong == DOS_OK)
        wrong = path_to_change(d, &path, false, &place);
    if (wrong == DOS_OK)
        wrong = dos_error_of(share_remove(&place, true));
    return wrong == DOS_NO_FILE ? DOS_NO_PATH : wrong;
}

/* AH = 3Bh: Makes DS:DX the current directory of its drive. */
dos_error dos_call_change_directory(dos *d)
{
    dos_path path;
    SHARE_PLACE(place);
    struct stat about;
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    if (wrong == DOS_OK && path.text[0] != '\0') {
        wrong = dos_path_find(d, &path, false, &place);
        if (wrong == DOS_OK && place.directory >= 0 && /* else it is a virtual directory above a share */
            (share_about(&place, &about) != 0 || !S_ISDIR(about.st_mode)))
            wrong = DOS_NO_PATH;
    }
    if (wrong == DOS_OK)
        memcpy(d->directories[path.drive], path.text, sizeof path.text);
    return wrong == DOS_OK ? DOS_OK : DOS_NO_PATH;
}

/* AH = 47h: Stores the current directory of drive DL (0 = the current drive) at DS:SI, without the drive and
 * the first backslash. */
dos_error dos_call_get_directory(dos *d)
{
    unsigned drive = dos_drive_number(d, bios_low(&d->bios, ENGINE_EDX));
    if (!dos_drive_there(d, drive))
        return DOS_NO_DRIVE;
    const char *text = d->directories[drive];
    text += *text == '\\';
    engine_write_linear(d->engine, dos_pointer(d, ENGINE_DS, ENGINE_ESI), text, strlen(text) + 1);
    bios_set_word(&d->bios, ENGINE_EAX, 0x100); /* as MS-DOS does */
    return DOS_OK;
}

/* Deletes a file that is not read-only, and not a directory. */
dos_error dos_delete(dos *d, const dos_path *path)
{
    SHARE_PLACE(place);
    struct stat about;
    dos_error wrong = path_to_change(d, path, false, &place);
    if (wrong == DOS_OK && share_about(&place, &about) == 0 &&
        (S_ISDIR(about.st_mode) || dos_read_only(&place, &about)))
        wrong = DOS_DENIED;
    return wrong == DOS_OK ? dos_error_of(share_remove(&place, false)) : wrong;
}

/* AH = 41h: Deletes the file DS:DX. */
dos_error dos_call_delete(dos *d)
{
    dos_path path;
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    return wrong == DOS_OK ? dos_delete(d, &path) : wrong;
}

dos_error dos_rename(dos *d, const dos_path *old, const dos_path *new)
{
    SHARE_PLACE(from);
    SHARE_PLACE(to);
    struct stat about;
    dos_error wrong = path_to_change(d, old, false, &from);
    if (wrong == DOS_OK)
        wrong = path_to_change(d, new, true, &to);
    if (wrong == DOS_OK && share_about(&to, &about) == 0)
        wrong = DOS_DENIED;
    return wrong == DOS_OK ? dos_error_of(share_rename(&from, &to)) : wrong;
}

/* AH = 56h: Renames DS:DX to ES:DI, which must not exist. */
dos_error dos_call_rename(dos *d)
{
    dos_path from, to;
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &from);
    if (wrong == DOS_OK)
        wrong = path_at(d, dos_pointer(d, ENGINE_ES, ENGINE_EDI), &to);
    return wrong == DOS_OK ? dos_rename(d, &from, &to) : wrong;
}

/* AH = 43h: AL = 0 returns the attributes in CX, AL = 1 sets them. R of a file is the host's permission to write. The
 * archive bit may have any value, which has no effect. Others cannot be set. */
dos_error dos_call_attributes(dos *d)
{
    dos_path path;
    SHARE_PLACE(place);
    struct stat about = {0};
    dos_error wrong = path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    if (wrong != DOS_OK)
        return wrong;
    if (strpbrk(path.text, "*?") != NULL)
        return DOS_NO_PATH;
    if (bios_low(&d->bios, ENGINE_EAX) > 1)
        return DOS_NO_FUNCTION;
    uint16_t attributes = DOS_READ_ONLY | DOS_ARCHIVE;
    if (!dos_path_is_program(d, &path)) {
        wrong = dos_path_find(d, &path, false, &place);
        if (wrong == DOS_OK && place.directory < 0)
            attributes = DOS_SUBDIRECTORY;
        else if (wrong == DOS_OK && share_about(&place, &about) == 0)
            attributes = dos_attributes(&place, &about);
    }
    if (wrong != DOS_OK)
        return wrong;
    if (bios_low(&d->bios, ENGINE_EAX) == 0) {
        bios_set_word(&d->bios, ENGINE_ECX, attributes);
        bios_set_word(&d->bios, ENGINE_EAX, attributes);
        return DOS_OK;
    }
    unsigned changed = (bios_word(&d->bios, ENGINE_ECX) ^ attributes) & ~(unsigned)DOS_ARCHIVE;
    if (changed == 0)
        return DOS_OK;
    if (changed != DOS_READ_ONLY || !S_ISREG(about.st_mode) || share_may_change(&place) != 0)
        return DOS_DENIED;
    mode_t mode = about.st_mode & 0777;
    return dos_error_of(
        share_set_mode(&place, (attributes & DOS_READ_ONLY) != 0 ? mode | S_IWUSR : mode & ~(mode_t)0222));
}

/* AH = 60h: Stores the path at DS:SI, made absolute, at ES:DI. */
dos_error dos_call_truename(dos *d)
{
    dos_path path;
    char text[DOS_DIRECTORY + 4];
    dos_error wrong = dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_ESI), &path);
    if (wrong != DOS_OK)
        return wrong;
    int size =
        snprintf(text, sizeof text, "%c:%s", 'A' + path.drive, path.text[0] != '\0' ? path.text : "\\");
    engine_write_linear(d->engine, dos_pointer(d, ENGINE_ES, ENGINE_EDI), text, (size_t)size + 1);
    return DOS_OK;
}
