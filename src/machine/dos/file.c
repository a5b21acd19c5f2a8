/* File handles. The handle table in the program's prefix maps each handle to an entry of the system's file
 * table. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/held_signals.h"
#include "machine/base/notice.h"
#include "machine/dos/dos_internal.h"

enum { PSP_TABLE_SIZE = 0x32, PSP_TABLE = 0x34, UNUSED = 0xff, STANDARD = 3, CHUNK = 4096 };

/* --- the system's files --- */

p5_status dos_files_open(dos *d, p5_error *error)
{
    for (unsigned i = 0; i < STANDARD; i++)
        d->files[i] = (dos_file){.kind = i == 2 ? DOS_ERROR_OUTPUT : DOS_CONSOLE,
                                 .references = 1, /* of the system */
                                 .host = -1,
                                 .access = 2,
                                 .inherited = true};
    d->files[STANDARD] =
        (dos_file){.kind = DOS_NUL, .references = 1, .host = -1, .access = 2, .inherited = true};
    return share_tree_open(&d->tree, &d->machine->options, error);
}

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

static uint32_t table_of(const dos *d, uint16_t psp, uint16_t *count)
{
    uint32_t at = dos_linear(psp, 0);
    *count = dos_load(d, at + PSP_TABLE_SIZE);
    return dos_linear(dos_load(d, at + PSP_TABLE + 2), dos_load(d, at + PSP_TABLE));
}

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

/* Returns the lowest free handle for `file` in AX. Releases the file if there is none. */
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

void dos_handles_inherit(dos *d, uint16_t psp)
{
    enum { USUAL = 20 };
    uint8_t own[USUAL];
    memset(own, UNUSED, sizeof own);
    for (unsigned i = 0; i < USUAL; i++) {
        dos_file *file = d->psp != 0 ? dos_file_at(d, (uint16_t)i)
                         : i < 5     ? &d->files[i < STANDARD ? i : STANDARD]
                                     : NULL;
        if (file == NULL || !file->inherited)
            continue;
        own[i] = (uint8_t)(file - d->files);
        file->references++;
    }
    uint32_t at = dos_linear(psp, 0);
    dos_store(d, at + PSP_TABLE_SIZE, USUAL);
    dos_store(d, at + PSP_TABLE, 0x18);
    dos_store(d, at + PSP_TABLE + 2, psp);
    engine_write_linear(d->engine, at + 0x18, own, sizeof own);
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

/* Opens a file. `flags` are host flags in addition to the access mode. */
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

static dos_error open_path(dos *d, const dos_path *path, uint8_t mode, int flags)
{
    dos_file_kind kind = dos_path_device(path);
    if ((mode & 3) == 3)
        return DOS_BAD_ACCESS;
    if (kind != DOS_CLOSED) {
        dos_file *file = file_new(d, kind, mode);
        return file != NULL ? handle_add(d, file) : DOS_TOO_MANY_FILES;
    }
    if (strpbrk(path->text, "*?") != NULL)
        return DOS_NO_FILE;
    return open_file(d, path, mode, flags);
}

/* Opens the path at DS:DX. */
static dos_error open_at(dos *d, uint8_t mode, int flags)
{
    dos_path path;
    dos_error wrong = dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), &path);
    return wrong != DOS_OK ? wrong : open_path(d, &path, mode, flags);
}

/* AH = 3Ch: Creates or truncates a file and opens it for reading and writing. */
dos_error dos_call_create(dos *d)
{
    return open_at(d, 2, O_CREAT | O_TRUNC);
}

dos_error dos_call_create_new(dos *d)
{
    return open_at(d, 2, O_CREAT | O_EXCL);
}

/* AH = 3Dh: AL bits 1-0 are the access mode; bit 7 keeps the handle from child programs. */
dos_error dos_call_open(dos *d)
{
    return open_at(d, bios_low(&d->bios, ENGINE_EAX), 0);
}

/* AH = 5Ah: Creates a file in the directory at DS:DX, with the first free number as its name. */
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

/* AH = 6Ch: Opens DS:SI with mode BX. DX bits 3-0 are the action for a file that exists (0 fail, 1 open,
 * 2 truncate), bits 7-4 for one that does not (0 fail, 1 create). Returns CX = 1 opened, 2 created,
 * 3 truncated. */
dos_error dos_call_open_extended(dos *d)
{
    enum { OPEN = 1, TRUNCATE = 2, CREATE = 0x10 };
    dos_path path;
    uint16_t what = bios_word(&d->bios, ENGINE_EDX), done = 1;
    uint8_t mode = bios_low(&d->bios, ENGINE_EBX);
    dos_error wrong = dos_path_at(d, dos_pointer(d, ENGINE_DS, ENGINE_ESI), &path);
    if (wrong != DOS_OK)
        return wrong;
    wrong = open_path(d, &path, mode, (what & 15) == TRUNCATE ? O_TRUNC : 0);
    if (wrong == DOS_OK && (what & 15) == 0) {
        handle_close(d, bios_word(&d->bios, ENGINE_EAX));
        return DOS_EXISTS;
    }
    if (wrong == DOS_OK && (what & 15) == TRUNCATE)
        done = 3;
    if (wrong == DOS_NO_FILE && (what & CREATE) != 0) {
        wrong = open_path(d, &path, mode, O_CREAT | O_EXCL);
        done = 2;
    }
    if (wrong == DOS_OK)
        bios_set_word(&d->bios, ENGINE_ECX, done);
    return wrong;
}

dos_error dos_call_close(dos *d)
{
    return handle_close(d, bios_word(&d->bios, ENGINE_EBX));
}

dos_error dos_call_duplicate(dos *d)
{
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    if (file == NULL)
        return DOS_NO_HANDLE;
    file->references++;
    return handle_add(d, file);
}

/* AH = 46h: Makes handle CX refer to the file of handle BX. */
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

/* AH = 67h: Sets the handle count to BX. A larger table gets its own memory block. */
dos_error dos_call_handles(dos *d)
{
    enum { MOST = 255 };
    uint16_t count, wanted = bios_word(&d->bios, ENGINE_EBX), segment;
    uint32_t table = table_of(d, d->psp, &count), at = dos_linear(d->psp, 0);
    if (wanted <= count)
        return DOS_OK;
    if (wanted > MOST)
        return DOS_TOO_MANY_FILES;
    uint16_t paragraphs = (uint16_t)((wanted + 15) / 16);
    dos_error wrong = dos_allocate(d, d->psp, &paragraphs, &segment);
    if (wrong != DOS_OK)
        return wrong;
    for (uint16_t i = 0; i < wanted; i++)
        bios_store(&d->bios, dos_linear(segment, i), 1,
                   i < count ? bios_load(&d->bios, table + i, 1) : (uint32_t)UNUSED);
    dos_store(d, at + PSP_TABLE_SIZE, wanted);
    dos_store(d, at + PSP_TABLE, 0);
    dos_store(d, at + PSP_TABLE + 2, segment);
    return DOS_OK;
}

/* --- read, write, seek --- */

/* Reads at most one line from the console, with a line feed after the carriage return. */
static dos_error read_console(dos *d, const dos_file *file, uint32_t to, uint16_t size, uint16_t *done)
{
    devices_console_flush(d->machine->devices);
    for (; *done < size; ++*done) {
        uint8_t byte = '\n';
        int got = !file->raw && d->line_feed ? 1 : dos_input(d, &byte);
        if (got != 1)
            return got == 0 && *done == 0 ? DOS_WAIT : DOS_OK;
        bios_store(&d->bios, to + *done, 1, byte);
        bool end = !file->raw && d->line_feed;
        d->line_feed = !file->raw && byte == '\r';
        if (end) {
            ++*done;
            return DOS_OK;
        }
    }
    return DOS_OK;
}

static dos_error read_disk(dos *d, dos_file *file, uint32_t to, uint16_t size, uint16_t *done)
{
    uint8_t bytes[CHUNK];
    while (*done < size) {
        size_t part = size - *done < CHUNK ? (size_t)(size - *done) : CHUNK;
        ssize_t got = pread(file->host, bytes, part, file->position);
        if (got < 0)
            return dos_error_of(-errno);
        if (got == 0)
            break;
        engine_write_linear(d->engine, to + *done, bytes, (size_t)got);
        *done = (uint16_t)(*done + got);
        file->position += (uint32_t)got;
    }
    return DOS_OK;
}

dos_error dos_call_read(dos *d)
{
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    uint32_t to = dos_pointer(d, ENGINE_DS, ENGINE_EDX);
    uint16_t size = bios_word(&d->bios, ENGINE_ECX), done = 0;
    dos_error wrong = DOS_OK;
    if (file == NULL)
        return DOS_NO_HANDLE;
    if (file->access == 1)
        return DOS_DENIED;
    if (file->kind == DOS_DISK)
        wrong = read_disk(d, file, to, size, &done);
    else if (file->kind != DOS_NUL)
        wrong = read_console(d, file, to, size, &done);
    if (wrong == DOS_OK)
        bios_set_word(&d->bios, ENGINE_EAX, done);
    return wrong;
}

/* Writes to the host's standard error, as for a Linux guest. */
static void write_error_output(dos *d, const uint8_t *bytes, size_t size)
{
    held_signals closed;
    devices_console_flush(d->machine->devices);
    output_begins(d->machine, STDERR_FILENO);
    signals_hold(&closed, false);
    bool broken = write(STDERR_FILENO, bytes, size) < 0 && errno == EPIPE;
    signals_release(&closed, broken);
}

static dos_error write_bytes(dos *d, dos_file *file, const uint8_t *bytes, size_t size)
{
    if (file->kind == DOS_ERROR_OUTPUT)
        write_error_output(d, bytes, size);
    for (size_t i = 0; i < size && file->kind == DOS_CONSOLE; i++)
        dos_output(d, bytes[i]);
    if (file->kind != DOS_DISK)
        return DOS_OK;
    size_t done;
    dos_error wrong = dos_write_host(file->host, file->quota, file->position, bytes, size, &done);
    file->position += (uint32_t)done;
    return wrong;
}

void dos_put_byte(dos *d, uint16_t handle, uint8_t byte)
{
    write_bytes(d, dos_file_at(d, handle), &byte, 1);
}

bool dos_get_byte(dos *d, uint16_t handle, uint8_t *byte)
{
    dos_file *file = dos_file_at(d, handle);
    if (pread(file->host, byte, 1, file->position) != 1)
        return false;
    file->position++;
    return true;
}

/* AH = 40h with CX = 0: Sets the file size to the position. */
static dos_error write_end(const dos_file *file)
{
    return file->kind == DOS_DISK ? dos_error_of(share_truncate(file->quota, file->host, file->position))
                                  : DOS_OK;
}

dos_error dos_call_write(dos *d)
{
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    uint32_t from = dos_pointer(d, ENGINE_DS, ENGINE_EDX);
    uint16_t size = bios_word(&d->bios, ENGINE_ECX);
    uint8_t bytes[CHUNK];
    if (file == NULL)
        return DOS_NO_HANDLE;
    if (file->access == 0)
        return DOS_DENIED;
    dos_error wrong = size == 0 ? write_end(file) : DOS_OK;
    for (unsigned done = 0; done < size && wrong == DOS_OK;) {
        size_t part = size - done < CHUNK ? size - done : CHUNK;
        engine_read_linear(d->engine, from + done, bytes, part);
        wrong = write_bytes(d, file, bytes, part);
        done += (unsigned)part;
    }
    if (wrong == DOS_OK)
        bios_set_word(&d->bios, ENGINE_EAX, size);
    return wrong;
}

/* AH = 42h: Seeks by CX:DX from the origin AL. Returns the new position in DX:AX. */
dos_error dos_call_seek(dos *d)
{
    dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    int64_t offset =
        (int32_t)((uint32_t)bios_word(&d->bios, ENGINE_ECX) << 16 | bios_word(&d->bios, ENGINE_EDX));
    struct stat about;
    if (file == NULL)
        return DOS_NO_HANDLE;
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0:
        offset = (uint32_t)offset;
        break;
    case 1:
        offset += file->position;
        break;
    case 2:
        if (file->kind == DOS_DISK && fstat(file->host, &about) == 0)
            offset += about.st_size;
        break;
    default:
        return DOS_NO_FUNCTION;
    }
    if (file->kind != DOS_DISK)
        offset = 0;
    file->position = (uint32_t)offset;
    bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)file->position);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(file->position >> 16));
    return DOS_OK;
}

dos_error dos_call_commit(dos *d)
{
    return dos_file_at(d, bios_word(&d->bios, ENGINE_EBX)) != NULL ? DOS_OK : DOS_NO_HANDLE;
}

/* --- AH = 44h --- */

/* Returns the device information word. Devices: bit 7 is set, bit 6 not at the end, bit 5 raw, bit 1 standard
 * output, bit 0 standard input. Files: the drive. */
static uint16_t ioctl_information(const dos_file *file)
{
    switch (file->kind) {
    case DOS_CONSOLE:
    case DOS_ERROR_OUTPUT:
        return (uint16_t)(0x80d3 | (file->raw ? 0x20 : 0));
    case DOS_NUL:
        return (uint16_t)(0x80c4 | (file->raw ? 0x20 : 0));
    default:
        return (uint16_t)(0x40 | file->drive);
    }
}

static bool ioctl_input_ready(dos *d, const dos_file *file)
{
    struct stat about;
    if (file->kind == DOS_DISK)
        return fstat(file->host, &about) == 0 && file->position < about.st_size;
    return file->kind == DOS_NUL || dos_input_waits(d) || d->input_ended;
}

dos_error dos_call_ioctl(dos *d)
{
    uint8_t function = bios_low(&d->bios, ENGINE_EAX), drive = bios_low(&d->bios, ENGINE_EBX);
    dos_file *file = function == 0 || function == 1 || function == 6 || function == 7 || function == 0xa
                         ? dos_file_at(d, bios_word(&d->bios, ENGINE_EBX))
                         : NULL;
    if (file == NULL && (function <= 1 || function == 6 || function == 7 || function == 0xa))
        return DOS_NO_HANDLE;
    drive = drive == 0 ? d->drive : (uint8_t)(drive - 1);
    switch (function) {
    case 0x01:
        if (file->kind == DOS_DISK || bios_high(&d->bios, ENGINE_EDX) != 0)
            return DOS_NO_FUNCTION;
        file->raw = (bios_low(&d->bios, ENGINE_EDX) & 0x20) != 0;
        return DOS_OK;
    case 0x00:
        bios_set_word(&d->bios, ENGINE_EAX, ioctl_information(file));
        bios_set_word(&d->bios, ENGINE_EDX, ioctl_information(file));
        return DOS_OK;
    case 0x06:
        bios_set_low(&d->bios, ENGINE_EAX, ioctl_input_ready(d, file) ? 0xff : 0);
        return DOS_OK;
    case 0x07:
        bios_set_low(&d->bios, ENGINE_EAX, 0xff);
        return DOS_OK;
    case 0x08: /* is the drive removable: no */
        bios_set_word(&d->bios, ENGINE_EAX, 1);
        return dos_drive_there(d, drive) ? DOS_OK : DOS_NO_DRIVE;
    case 0x09: /* is the drive remote: no */
        bios_set_word(&d->bios, ENGINE_EDX, 0);
        return dos_drive_there(d, drive) ? DOS_OK : DOS_NO_DRIVE;
    case 0x0a:
        bios_set_word(&d->bios, ENGINE_EDX, ioctl_information(file));
        return DOS_OK;
    case 0x0e: /* logical drives: one letter for each drive */
        bios_set_low(&d->bios, ENGINE_EAX, 0);
        return DOS_OK;
    default:
        return DOS_NO_FUNCTION;
    }
}

/* --- AH = 57h: time of the last change. Setting it has no effect --- */

static void put_time(dos *d, time_t seconds)
{
    uint16_t time, day;
    dos_pack_time(seconds, &time, &day);
    bios_set_word(&d->bios, ENGINE_ECX, time);
    bios_set_word(&d->bios, ENGINE_EDX, day);
}

dos_error dos_call_file_time(dos *d)
{
    const dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    struct stat about = {0};
    if (file == NULL)
        return DOS_NO_HANDLE;
    if (bios_low(&d->bios, ENGINE_EAX) == 1)
        return DOS_OK;
    if (bios_low(&d->bios, ENGINE_EAX) != 0)
        return DOS_NO_FUNCTION;
    if (file->kind == DOS_DISK)
        fstat(file->host, &about);
    put_time(d, about.st_mtim.tv_sec);
    return DOS_OK;
}
