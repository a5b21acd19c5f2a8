/* The functions of INT 21h for open files: reading, writing, seeking, IOCTL and the time of the last change. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/held_signals.h"
#include "machine/base/notice.h"
#include "machine/dos/dos_internal.h"

enum { CHUNK = 4096 }; /* bytes that are transferred at once */

/* --- read, write, seek --- */

/* Reads from the console: at most one line, or, if the device is raw, the bytes that are there. Returns DOS_WAIT if there
 * is no complete line or no byte yet, DOS_BREAK after Ctrl-C. */
static dos_error read_console(dos *d, const dos_file *file, uint32_t to, uint16_t size, uint16_t *done)
{
    devices_console_flush(d->machine->devices);
    if (!file->raw)
        return dos_read_line(d, to, size, done);
    for (*done = 0; *done < size; ++*done) {
        uint8_t byte;
        int got = dos_input(d, &byte);
        if (got != 1)
            return got == 0 && *done == 0 ? DOS_WAIT : DOS_OK;
        bios_store(&d->bios, to + *done, 1, byte);
    }
    return DOS_OK;
}

/* Reads from a file of the host in parts. *done becomes the number of bytes. */
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

/* AH = 3Fh: Reads CX bytes of handle BX to DS:DX; returns their number in AX. */
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

/* Writes bytes to a file or device. *done becomes their number, which is smaller than `size` if the disk is full. */
static dos_error write_bytes(dos *d, dos_file *file, const uint8_t *bytes, size_t size, size_t *done)
{
    *done = size;
    if (file->kind == DOS_ERROR_OUTPUT)
        write_error_output(d, bytes, size);
    for (size_t i = 0; i < size && file->kind == DOS_CONSOLE; i++)
        dos_output(d, bytes[i]);
    if (file->kind != DOS_DISK)
        return DOS_OK;
    dos_error wrong = dos_write_host(file->host, file->quota, file->position, bytes, size, done);
    file->position += (uint32_t)*done;
    return wrong;
}

void dos_put_byte(dos *d, dos_file *file, uint8_t byte)
{
    size_t done;
    write_bytes(d, file, &byte, 1, &done);
}

bool dos_get_byte(dos_file *file, uint8_t *byte)
{
    if (pread(file->host, byte, 1, file->position) != 1)
        return false;
    file->position++;
    return true;
}

/* AH = 40h: Writes CX bytes at DS:DX to handle BX. AX gets their number, which is less than CX if the disk is full. CX = 0
 * sets the size of a file to the position. */
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
    dos_error wrong = DOS_OK;
    if (size == 0 && file->kind == DOS_DISK)
        wrong = dos_error_of(share_truncate(file->quota, file->host, file->position));
    size_t written = 0;
    for (bool full = false; written < size && !full && wrong == DOS_OK;) {
        size_t part = size - written < CHUNK ? size - written : CHUNK, done;
        engine_read_linear(d->engine, from + (uint32_t)written, bytes, part);
        wrong = write_bytes(d, file, bytes, part, &done);
        written += done;
        full = done < part;
    }
    if (wrong != DOS_OK && written == 0)
        return wrong;
    bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)written);
    return DOS_OK;
}

/* AH = 42h: Seeks by CX:DX from the origin AL: 0 the beginning, 1 the position, 2 the end. Returns the new position in
 * DX:AX. */
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

/* AH = 68h: Only checks handle BX, because there is nothing to flush. */
dos_error dos_call_commit(dos *d)
{
    return dos_file_at(d, bios_word(&d->bios, ENGINE_EBX)) != NULL ? DOS_OK : DOS_NO_HANDLE;
}

/* --- AH = 44h --- */

/* Returns the device information word. Devices: bit 15 is set, bit 7 is set, bit 6 not at the end, bit 5 raw, bit 4 output
 * by INT 29h, bit 2 NUL, bit 1 standard output, bit 0 standard input. Files: bit 6 not written to, and the drive. */
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

/* Returns true if a read would not wait and, of a file, is not at its end. */
static bool ioctl_input_ready(dos *d, const dos_file *file)
{
    struct stat about;
    if (file->kind == DOS_DISK)
        return fstat(file->host, &about) == 0 && file->position < about.st_size;
    return file->kind == DOS_NUL || dos_input_waits(d) || d->input_ended;
}

/* AH = 44h: AL = 0, 1 get and set the device information of handle BX; 6, 7 input and output status; 8, 9, 0Eh properties
 * of drive BL (0 the current one); 0Ah whether handle BX is remote. */
dos_error dos_call_ioctl(dos *d)
{
    uint8_t function = bios_low(&d->bios, ENGINE_EAX);
    bool needs_file = function <= 1 || function == 6 || function == 7 || function == 0xa;
    dos_file *file = needs_file ? dos_file_at(d, bios_word(&d->bios, ENGINE_EBX)) : NULL;
    if (needs_file && file == NULL)
        return DOS_NO_HANDLE;
    unsigned drive = dos_drive_number(d, bios_low(&d->bios, ENGINE_EBX));
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

/* Sets the time of the last change of a file in a writable share. */
static dos_error set_file_time(const dos *d, const dos_file *file, int64_t seconds)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)seconds}};
    SHARE_PLACE(place);
    if (file->path == NULL)
        return DOS_DENIED;
    int32_t wrong = share_resolve(&d->tree, "", file->path, 0, &place);
    if (wrong == 0)
        wrong = share_may_change(&place);
    return dos_error_of(wrong == 0 ? share_set_times(&place, times) : wrong);
}

/* AH = 57h: AL = 0 returns the time in CX and the date in DX, AL = 1 sets them. */
dos_error dos_call_file_time(dos *d)
{
    const dos_file *file = dos_file_at(d, bios_word(&d->bios, ENGINE_EBX));
    struct stat about = {0};
    uint16_t time, day;
    if (file == NULL)
        return DOS_NO_HANDLE;
    if (bios_low(&d->bios, ENGINE_EAX) == 1)
        return file->kind != DOS_DISK ? DOS_OK
                                      : set_file_time(d, file,
                                                      dos_unpack_time(bios_word(&d->bios, ENGINE_ECX),
                                                                      bios_word(&d->bios, ENGINE_EDX)));
    if (bios_low(&d->bios, ENGINE_EAX) != 0)
        return DOS_NO_FUNCTION;
    if (file->kind == DOS_DISK)
        fstat(file->host, &about);
    dos_pack_time(about.st_mtim.tv_sec, &time, &day);
    bios_set_word(&d->bios, ENGINE_ECX, time);
    bios_set_word(&d->bios, ENGINE_EDX, day);
    return DOS_OK;
}
