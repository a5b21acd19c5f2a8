/* File handles. A program's handle table has a byte for each handle: the number of an entry of the system's file table,
 * or UNUSED. The functions that return a dos_error leave it to the dispatcher (call.c) to set AX and carry after an
 * error. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"

enum {
    PSP_TABLE_SIZE = 0x32, /* number of handles: offset in the prefix */
    PSP_TABLE = 0x34,      /* far pointer to the handle table */
    PSP_OWN_TABLE = 0x18,  /* a table of OWN_HANDLES, which the pointer leads to at first */
    OWN_HANDLES = 20,
    UNUSED = 0xff, /* byte of a handle that is not open */
    /* Entries 0 to 2 of the system's table are standard input, output and error output. This one is for both handles
     * 3 (AUX) and 4 (PRN) of the first program. */
    AUX_AND_PRN = 3
};

/* --- the system's files --- */

/* Makes entries 0 to AUX_AND_PRN, each with a reference that the system keeps, and opens the shares (directories of the
 * host). dos_files_close must follow, even after an error. */
p5_status dos_files_open(dos *d, p5_error *error)
{
    static const dos_file_kind kinds[] = {DOS_CONSOLE, DOS_CONSOLE,
                                          DOS_ERROR_OUTPUT, [AUX_AND_PRN] = DOS_NUL};
    for (unsigned i = 0; i <= AUX_AND_PRN; i++)
        d->files[i] =
            (dos_file){.kind = kinds[i], .references = 1, .host = -1, .access = 2, .inherited = true};
    return share_tree_open(&d->tree, &d->machine->options, error);
}

/* Drops a reference to an entry. The last one closes the file and frees the entry. */
static void release(dos_file *file)
{
    if (file->references == 0 || --file->references != 0)
        return;
    if (file->host >= 0)
        close(file->host);
    free(file->path);
    *file = (dos_file){.host = -1};
}

void dos_files_close(dos *d)
{
    for (unsigned i = 0; i < DOS_FILES; i++)
        while (d->files[i].references != 0)
            release(&d->files[i]);
    share_tree_close(&d->tree);
}

/* Returns a new entry of the system's table, with one reference; NULL if the table is full. `mode` is that of
 * AH = 3Dh: bits 1-0 access, bit 7 set if children inherit no handle of this entry. */
static dos_file *file_new(dos *d, dos_file_kind kind, uint8_t mode)
{
    for (unsigned i = 0; i < DOS_FILES; i++) {
        if (d->files[i].references != 0)
            continue;
        d->files[i] = (dos_file){
            .kind = kind, .references = 1, .host = -1, .access = mode & 3, .inherited = (mode & 0x80) == 0};
        return &d->files[i];
    }
    return NULL;
}

/* --- handles --- */

/* Returns the linear address of a program's handle table, and its number of handles in *count, both as the program may
 * have changed them in its prefix. */
static uint32_t table_of(const dos *d, uint16_t psp, uint16_t *count)
{
    uint32_t at = dos_linear(psp, 0);
    *count = dos_load(d, at + PSP_TABLE_SIZE);
    return dos_linear(dos_load(d, at + PSP_TABLE + 2), dos_load(d, at + PSP_TABLE));
}

/* Sets a program's number of handles and the pointer to its handle table. */
static void set_table(dos *d, uint16_t psp, uint16_t count, uint16_t segment, uint16_t offset)
{
    uint32_t at = dos_linear(psp, 0);
    dos_store(d, at + PSP_TABLE_SIZE, count);
    dos_store(d, at + PSP_TABLE, offset);
    dos_store(d, at + PSP_TABLE + 2, segment);
}

/* Returns the file of a handle of the current program; NULL if it is not open. The program may have written any byte
 * into the table, so a number that is no entry in use counts as not open. */
dos_file *dos_file_at(const dos *d, uint16_t handle)
{
    uint16_t count;
    uint32_t table = table_of(d, d->psp, &count);
    if (handle >= count)
        return NULL;
    unsigned number = bios_load(&d->bios, table + handle, 1);
    if (number >= DOS_FILES || d->files[number].references == 0)
        return NULL;
    return (dos_file *)(uintptr_t)&d->files[number];
}

/* Makes the lowest free handle of the current program refer to `file` and sets AX to it. The handle takes over the
 * caller's reference, which is dropped if no handle is free. */
static dos_error handle_add(dos *d, dos_file *file)
{
    uint16_t count;
    uint32_t table = table_of(d, d->psp, &count);
    for (uint16_t handle = 0; handle < count; handle++) {
        if (bios_load(&d->bios, table + handle, 1) != UNUSED)
            continue;
        bios_store(&d->bios, table + handle, 1, (uint32_t)(file - d->files));
        bios_set_word(&d->bios, ENGINE_EAX, handle);
        return DOS_OK;
    }
    release(file);
    return DOS_TOO_MANY_FILES;
}

/* Closes a handle of the current program. */
static dos_error handle_close(dos *d, uint16_t handle)
{
    uint16_t count;
    uint32_t table = table_of(d, d->psp, &count);
    dos_file *file = dos_file_at(d, handle);
    if (file == NULL)
        return DOS_NO_HANDLE;
    bios_store(&d->bios, table + handle, 1, UNUSED);
    release(file);
    return DOS_OK;
}

/* Makes the handle table of a new program, in its prefix: the first OWN_HANDLES handles of the current program whose
 * entries are `inherited`. The first program gets handles 0 to 4: standard input, output and error, AUX and PRN. */
void dos_handles_inherit(dos *d, uint16_t psp)
{
    uint8_t own[OWN_HANDLES];
    memset(own, UNUSED, sizeof own);
    for (unsigned i = 0; i < OWN_HANDLES; i++) {
        dos_file *file = d->psp != 0 ? dos_file_at(d, (uint16_t)i)
                         : i < 5     ? &d->files[i < AUX_AND_PRN ? i : AUX_AND_PRN]
                                     : NULL;
        if (file == NULL || !file->inherited)
            continue;
        own[i] = (uint8_t)(file - d->files);
        file->references++;
    }
    engine_write_linear(d->engine, dos_linear(psp, PSP_OWN_TABLE), own, sizeof own);
    set_table(d, psp, OWN_HANDLES, psp, PSP_OWN_TABLE);
}

void dos_handles_close(dos *d, uint16_t psp)
{
    uint16_t count, current = d->psp;
    table_of(d, psp, &count);
    d->psp = psp;
    for (uint16_t i = 0; i < count; i++)
        handle_close(d, i);
    d->psp = current;
}

/* --- open --- */

/* Opens a file, and returns its handle in AX. `mode` is that of AH = 3Dh, `flags` are further flags of the host's open,
 * such as O_CREAT. */
static dos_error open_file(dos *d, const dos_path *path, uint8_t mode, int flags)
{
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR};
    SHARE_PLACE(place);
    dos_error wrong;
    int host = dos_open_host(d, path, access[mode & 3] | flags, &place, &wrong);
    if (host < 0)
        return wrong;
    dos_file *file = file_new(d, DOS_DISK, mode);
    if (file == NULL) {
        close(host);
        return DOS_TOO_MANY_FILES;
    }
    file->host = host;
    file->drive = path->drive;
    strncpy(file->name, strrchr(path->text, '\\') + 1, sizeof file->name - 1);
    if (!dos_path_is_program(d, path)) {
        file->quota = place.quota;
        file->path = strdup(place.guest);
        if (file->path == NULL) {
            release(file);
            return DOS_NO_MEMORY;
        }
    }
    return handle_add(d, file);
}

/* Opens a file or a device, and returns its handle in AX. A device exists always: `flags` have no effect on it. */
static dos_error open_path(dos *d, const dos_path *path, uint8_t mode, int flags)
{
    dos_file_kind kind = dos_path_device(path);
    if ((mode & 0xf) > 2 || (mode & 0x70) > 0x40)
        return DOS_BAD_ACCESS;
    if (kind != DOS_CLOSED) {
        dos_file *file = file_new(d, kind, mode);
        return file != NULL ? handle_add(d, file) : DOS_TOO_MANY_FILES;
    }
    if (strpbrk(path->text, "*?") != NULL)
        return DOS_NO_FILE;
    return open_file(d, path, mode, flags);
}

/* Opens the path at DS:DX, and returns its handle in AX. */
static dos_error open_at(dos *d, uint8_t mode, int flags)
{
    dos_path path;
    dos_error wrong = dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    return wrong != DOS_OK ? wrong : open_path(d, &path, mode, flags);
}

/* AH = 3Ch: Creates or truncates a file and opens it for reading and writing. The attributes in CX are ignored. */
dos_error dos_call_create(dos *d)
{
    return open_at(d, 2, O_CREAT | O_TRUNC);
}

/* AH = 5Bh: Creates a file that must not exist. */
dos_error dos_call_create_new(dos *d)
{
    return open_at(d, 2, O_CREAT | O_EXCL);
}

/* AH = 3Dh: AL bits 3-0 are the access mode (0 read, 1 write, 2 both), bits 6-4 the sharing mode (0 to 4, without effect
 * here). With bit 7, children inherit neither this handle nor its duplicates. */
dos_error dos_call_open(dos *d)
{
    return open_at(d, bios_low(&d->bios, ENGINE_EAX), 0);
}

/* AH = 5Ah: Creates a file in the directory at DS:DX. Its name, TMP and the first five hexadecimal digits that are free,
 * is appended to the text at DS:DX. */
dos_error dos_call_create_temporary(dos *d)
{
    enum { NUMBERS = 0x10000 };
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_EDX);
    char text[128], whole[160];
    dos_error wrong = DOS_EXISTS;
    if (!dos_text(d, at, text, sizeof text - 16))
        return DOS_NO_PATH;
    size_t length = strlen(text);
    bool slash = length != 0 && strchr("\\/:", text[length - 1]) == NULL;
    for (unsigned i = 0; i < NUMBERS && wrong == DOS_EXISTS; i++) {
        dos_path path;
        int size = snprintf(whole, sizeof whole, "%s%sTMP%05X", text, slash ? "\\" : "", i);
        wrong = dos_path_parse(d, whole, &path);
        if (wrong == DOS_OK)
            wrong = open_path(d, &path, 2, O_CREAT | O_EXCL);
        if (wrong == DOS_OK)
            engine_write_linear(d->engine, at, whole, (size_t)size + 1);
    }
    return wrong;
}

/* AH = 6Ch: Opens DS:SI with mode BX. DL bits 3-0 are the action for a file that exists (0 fail, 1 open, 2 truncate),
 * bits 7-4 for one that does not (0 fail, 1 create). DOS_NO_FUNCTION for other values, and if both are 0. Returns CX = 1
 * opened, 2 created, 3 truncated. */
dos_error dos_call_open_extended(dos *d)
{
    enum { FAIL = 0, TRUNCATE = 2, CREATE = 1 };
    dos_path path;
    uint8_t mode = bios_low(&d->bios, ENGINE_EBX), actions = bios_low(&d->bios, ENGINE_EDX);
    unsigned existing = actions & 15, missing = actions >> 4;
    if (actions == 0 || existing > TRUNCATE || missing > CREATE)
        return DOS_NO_FUNCTION;
    dos_error wrong = dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_ESI), &path);
    if (wrong != DOS_OK)
        return wrong;
    uint16_t done = existing == TRUNCATE ? 3 : 1;
    wrong = existing == FAIL ? DOS_NO_FILE : open_path(d, &path, mode, existing == TRUNCATE ? O_TRUNC : 0);
    if (wrong == DOS_NO_FILE && missing == CREATE) {
        wrong = open_path(d, &path, mode, O_CREAT | O_EXCL);
        done = 2;
    }
    if (wrong == DOS_OK)
        bios_set_word(&d->bios, ENGINE_ECX, done);
    return wrong;
}

/* AH = 3Eh: Closes handle BX. */
dos_error dos_call_close(dos *d)
{
    return handle_close(d, bios_word(&d->bios, ENGINE_EBX));
}

/* AH = 45h: Returns in AX another handle for the file of handle BX. */
dos_error dos_call_duplicate(dos *d)
{
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    if (file == NULL)
        return DOS_NO_HANDLE;
    file->references++;
    return handle_add(d, file);
}

/* AH = 46h: Makes handle CX refer to the file of handle BX. Closes handle CX first if it is open. */
dos_error dos_call_duplicate_to(dos *d)
{
    uint16_t count, to = bios_word(&d->bios, ENGINE_ECX);
    uint32_t table = table_of(d, d->psp, &count);
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    if (file == NULL || to >= count)
        return DOS_NO_HANDLE;
    file->references++;
    handle_close(d, to);
    bios_store(&d->bios, table + to, 1, (uint32_t)(file - d->files));
    return DOS_OK;
}

/* AH = 67h: Sets the number of handles to BX, or to OWN_HANDLES if BX is less. The table of so few is that in the prefix;
 * a larger one is a memory block of its own, which is freed when the number changes again. DOS_TOO_MANY_FILES if a
 * handle above the new number is open. */
dos_error dos_call_handles(dos *d)
{
    uint16_t count, wanted = bios_word(&d->bios, ENGINE_EBX), segment = d->psp, offset = PSP_OWN_TABLE;
    uint32_t old = table_of(d, d->psp, &count), at = dos_linear(d->psp, 0);
    wanted = wanted < OWN_HANDLES ? OWN_HANDLES : wanted;
    if (wanted == count)
        return DOS_OK;
    if (wanted == UINT16_MAX)
        return DOS_NO_FUNCTION;
    for (uint16_t i = wanted; i < count; i++)
        if (bios_load(&d->bios, old + i, 1) != UNUSED)
            return DOS_TOO_MANY_FILES;
    if (wanted > OWN_HANDLES) {
        uint16_t paragraphs = (uint16_t)((wanted + 15) / 16);
        dos_error wrong = dos_allocate(d, d->psp, &paragraphs, &segment);
        if (wrong != DOS_OK)
            return wrong;
        offset = 0;
    }
    for (uint16_t i = 0; i < wanted; i++)
        bios_store(&d->bios, dos_linear(segment, offset) + i, 1,
                   i < count ? bios_load(&d->bios, old + i, 1) : (uint32_t)UNUSED);
    if (dos_load(d, at + PSP_TABLE) == 0) /* the old table is a block */
        dos_free(d, dos_load(d, at + PSP_TABLE + 2));
    set_table(d, d->psp, wanted, segment, offset);
    return DOS_OK;
}
