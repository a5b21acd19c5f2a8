/* AH = 4Eh and 4Fh: the directory entries that match a pattern, in the order of their names. A search
 * continues after the name found last, so files deleted meanwhile do not disturb it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"

/* The transfer area of a search. Its first 21 bytes are reserved for DOS. */
typedef struct transfer_area {
    dos_search search;
    uint8_t unused[7];
    uint8_t attribute;
    uint16_t time, date;
    uint32_t size;
    char name[DOS_NAME];
} __attribute__((packed)) transfer_area;
_Static_assert(sizeof(transfer_area) == 43, "the transfer area of a search");

/* The best match so far of a search in a directory of the host. */
typedef struct found {
    char packed[11]; /* name and extension, padded with blanks */
    struct stat about;
    uint8_t attribute; /* DOS_ARCHIVE ... */
} found;

/* Returns true if a name matches a pattern, in which '?' stands for any character. */
static bool fits(const char pattern[11], const char packed[11])
{
    for (unsigned i = 0; i < 11; i++)
        if (pattern[i] != '?' && pattern[i] != packed[i])
            return false;
    return true;
}

/* Returns true if a search with these attributes finds `f`. No file is hidden or a system file. */
static bool wanted(const found *f, uint8_t attributes)
{
    return S_ISREG(f->about.st_mode) || (S_ISDIR(f->about.st_mode) && (attributes & DOS_SUBDIRECTORY) != 0);
}

/* Finds the first matching entry after the state's last one, in the order of packed names. Returns false if there is
 * none. */
static bool search_host(const dos *d, const dos_path *directory, const char pattern[11],
                        const dos_search *state, found *best)
{
    SHARE_PLACE(place);
    struct dirent **entries;
    bool any = false;
    if (dos_path_find(d, directory, false, &place) != DOS_OK)
        return false;
    int host = place.directory >= 0 ? share_open(&place, O_RDONLY | O_DIRECTORY, 0) : -1;
    int count = host >= 0 ? share_list(host, &entries) : -1;
    for (int i = 0; i < count; i++) {
        found f = {0};
        SHARE_PLACE(entry);
        const char *name = entries[i]->d_name;
        char path[SHARE_PATH];
        bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (dots && directory->text[0] != '\0') {
            memset(f.packed, ' ', sizeof f.packed);
            memcpy(f.packed, name, strlen(name));
        } else if (dots || !dos_name_pack(name, f.packed)) {
            continue;
        }
        if (!fits(pattern, f.packed) || memcmp(f.packed, state->last, 11) <= 0 ||
            (any && memcmp(f.packed, best->packed, 11) >= 0))
            continue;
        if (snprintf(path, sizeof path, "%s/%s", place.guest, name) >= (int)sizeof path ||
            share_resolve(&d->tree, "", path, SHARE_FOLLOW, &entry) != 0)
            continue;
        if (entry.directory < 0) /* a directory that exists only because a share lies below it */
            f.about = (struct stat){.st_mode = S_IFDIR};
        else if (fstatat(entry.directory, entry.name, &f.about, AT_SYMLINK_NOFOLLOW) != 0)
            f.about.st_mode = 0;
        if (!wanted(&f, state->attributes))
            continue;
        f.attribute = dos_attributes(&place, &f.about);
        *best = f;
        any = true;
    }
    if (count >= 0)
        share_list_free(entries, count);
    if (host >= 0)
        close(host);
    return any;
}

/* Does what search_host does for DOS_OWN_DRIVE, whose root holds only the guest's program. dos_search_begin rejects
 * searches in other directories of this drive. */
static bool search_own_drive(const dos *d, const char pattern[11], const dos_search *state, found *best)
{
    *best = (found){.attribute = DOS_READ_ONLY | DOS_ARCHIVE};
    return dos_name_pack(d->program_name, best->packed) && fits(pattern, best->packed) &&
           memcmp(best->packed, state->last, 11) > 0 && fstat(d->program, &best->about) == 0;
}

/* Finds a device once, whatever its extension; its time is the present. `pattern` has no wildcards. */
static bool search_device(const dos *d, const char pattern[11], const dos_search *state, found *best)
{
    *best =
        (found){.attribute = DOS_DEVICE, .about.st_mtim.tv_sec = date_epoch(cmos_time(d->machine->devices))};
    memcpy(best->packed, pattern, 8);
    memset(best->packed + 8, ' ', 3);
    return memcmp(best->packed, state->last, 11) > 0;
}

/* Parses the search's path again, finds the next match in its directory, and updates the state. */
dos_error dos_search_next(dos *d, dos_search *state, dos_found *entry)
{
    dos_path path;
    char pattern[11], name[DOS_NAME];
    found best;
    if (state->number == 0 || state->number > d->searches.count ||
        dos_path_parse(d, d->searches.items[state->number - 1], &path) != DOS_OK)
        return DOS_NO_MORE_FILES;
    char *last = strrchr(path.text, '\\');
    if (last == NULL)
        return DOS_NO_MORE_FILES;
    bool device = dos_path_device(&path) != DOS_CLOSED;
    snprintf(name, sizeof name, "%s", last + 1);
    *last = '\0';
    /* dos_path_parse has replaced '*' by '?' and has cut the name to 8 and 3 characters. */
    memset(pattern, ' ', sizeof pattern);
    size_t length = strcspn(name, ".");
    memcpy(pattern, name, length);
    if (name[length] == '.')
        memcpy(pattern + 8, name + length + 1, strlen(name + length + 1));
    bool any = device                        ? search_device(d, pattern, state, &best)
               : path.drive == DOS_OWN_DRIVE ? search_own_drive(d, pattern, state, &best)
                                             : search_host(d, &path, pattern, state, &best);
    if (!any)
        return DOS_NO_MORE_FILES;
    memcpy(state->last, best.packed, sizeof state->last);
    *entry = (dos_found){.drive = path.drive, .attribute = best.attribute};
    memcpy(entry->name, best.packed, sizeof entry->name);
    dos_pack_time(best.about.st_mtim.tv_sec, &entry->time, &entry->date);
    entry->size = S_ISREG(best.about.st_mode) ? (uint32_t)best.about.st_size : 0;
    return DOS_OK;
}

/* Returns the number of a search's path, and adds it if it is new. Returns 0 if there are too many. */
static uint16_t search_number(dos *d, const dos_path *path)
{
    char text[DOS_DIRECTORY + 4];
    snprintf(text, sizeof text, "%c:%s", 'A' + path->drive, path->text);
    for (size_t i = 0; i < d->searches.count; i++)
        if (strcmp(d->searches.items[i], text) == 0)
            return (uint16_t)(i + 1);
    char *copy = d->searches.count < DOS_SEARCHES ? strdup(text) : NULL;
    if (copy != NULL && ARRAY_ADD(&d->searches, copy))
        return (uint16_t)d->searches.count;
    free(copy);
    return 0;
}

/* Begins a search: saves its path in d->searches and the number of this entry in the state. Checks that the directory
 * exists. Returns DOS_NO_MORE_FILES for a search that cannot find anything: for the root itself, or for a volume
 * label. */
dos_error dos_search_begin(dos *d, const dos_path *path, uint8_t attributes, dos_search *state)
{
    dos_path parent = *path;
    SHARE_PLACE(place);
    char *last = strrchr(parent.text, '\\');
    *state = (dos_search){.attributes = attributes};
    if (last == NULL || attributes == DOS_VOLUME)
        return DOS_NO_MORE_FILES;
    *last = '\0';
    if ((path->drive != DOS_OWN_DRIVE || parent.text[0] != '\0') &&
        dos_path_find(d, &parent, false, &place) != DOS_OK)
        return DOS_NO_PATH;
    state->number = search_number(d, path);
    return DOS_OK;
}

static dos_error find(dos *d, transfer_area *area)
{
    dos_found entry;
    dos_error wrong = dos_search_next(d, &area->search, &entry);
    if (wrong != DOS_OK)
        return wrong;
    area->attribute = entry.attribute;
    area->time = entry.time;
    area->date = entry.date;
    area->size = entry.size;
    memset(area->name, 0, sizeof area->name);
    dos_name_unpack(entry.name, area->name);
    engine_write_linear(d->engine, d->dta, area, sizeof *area);
    return DOS_OK;
}

/* AH = 4Eh: Finds the first entry that matches DS:DX. Without a match, the error is DOS_NO_MORE_FILES, with wildcards or
 * without; for a path that is wrong, it is DOS_NO_PATH. MS-DOS 4.0, $FIND_FIRST. */
dos_error dos_call_find_first(dos *d)
{
    dos_path path;
    transfer_area area = {0};
    if (dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path) != DOS_OK)
        return DOS_NO_PATH;
    dos_error wrong = dos_search_begin(d, &path, bios_low(&d->bios, ENGINE_ECX), &area.search);
    return wrong == DOS_OK ? find(d, &area) : wrong;
}

/* AH = 4Fh: Continues the search whose state is in the transfer area. */
dos_error dos_call_find_next(dos *d)
{
    transfer_area area;
    engine_read_linear(d->engine, d->dta, &area, sizeof area);
    return find(d, &area);
}

/* --- AH = 1Ah, 2Fh --- */

/* AH = 1Ah: Sets the disk transfer area to DS:DX. */
dos_error dos_call_set_dta(dos *d)
{
    d->dta = dos_pointer(d, ENGINE_DS, ENGINE_EDX);
    d->dta_segment = (uint16_t)(bios_segment(&d->bios, ENGINE_DS) >> 4);
    return DOS_OK;
}

uint32_t dos_dta_pointer(const dos *d)
{
    /* dta_segment may belong to an earlier DTA, because the end of a program restores only the parent's d->dta. */
    uint32_t segment = d->dta - d->dta_segment * 16u <= 0xffff ? d->dta_segment : d->dta >> 4;
    return segment << 16 | (d->dta - segment * 16);
}

/* AH = 2Fh: Returns the transfer area in ES:BX. */
dos_error dos_call_get_dta(dos *d)
{
    bios_set_pointer(&d->bios, ENGINE_EBX, dos_dta_pointer(d));
    return DOS_OK;
}
