/* File control blocks, the file interface of DOS 1: AH = 0Fh-17h, 21h-24h, 27h-29h. The whole state of a file
 * is in the program's block. Programs copy blocks and never close them, so each call opens the file by its
 * name and closes it. AL = 0 means success and FFh failure; reads and writes have more codes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"

enum {
    FCB_NAME = 0x01,
    FCB_BLOCK = 0x0c, /* current block of 128 records */
    FCB_RECORD_SIZE = 0x0e,
    FCB_SIZE = 0x10,
    FCB_DATE = 0x14,
    FCB_TIME = 0x16,
    FCB_RECORD = 0x20, /* current record in the block */
    FCB_RANDOM = 0x21,
    FCB_NEW_NAME = 0x11, /* for a rename */
    FCB_BYTES = 0x25,
    EXTENDED = 0xff,
    EXTENDED_ATTRIBUTE = 6,
    EXTENDED_BYTES = 7,
    RECORDS = 128, /* records of a block, and default bytes of a record */
    DONE = 0,
    FAILED = 0xff,
    END_OF_FILE = 1,
    DISK_FULL = 1,
    NO_ROOM = 2, /* the transfer area's segment is too small for the records */
    PART = 3     /* the last record was read in part */
};

/* --- AH = 29h --- */

size_t dos_parse_name(const dos *d, const char *text, uint8_t flags, uint8_t fcb[12], uint8_t *answer)
{
    static const char ends[] = " \t:;,=+<>|/\\\"[]";
    const char *at = text;
    char name[11];
    memset(name, ' ', sizeof name);
    while (*at == ' ' || *at == '\t' || ((flags & 1) != 0 && *at != '\0' && strchr(":;,=+", *at) != NULL))
        at++;
    *answer = 0;
    bool drive = *at != '\0' && at[1] == ':';
    if (drive || (flags & 2) == 0)
        fcb[0] = drive ? (uint8_t)((*at & 0x5f) - 'A' + 1) : 0;
    if (drive) {
        *answer = dos_drive_there(d, fcb[0] - 1u) ? 0 : 0xff;
        at += 2;
    }
    const char *begins = at;
    unsigned used = 0, most = 8;
    for (; (uint8_t)*at > ' ' && strchr(ends, *at) == NULL; at++) {
        if (*at == '.') {
            if (most == 11)
                break;
            used = 8;
            most = 11;
        } else if (*at == '*') {
            while (used < most)
                name[used++] = '?';
        } else if (used < most) {
            name[used++] = (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at);
        }
    }
    if (*answer == 0 && memchr(name, '?', sizeof name) != NULL)
        *answer = 1;
    /* with AL bit 2 (3) set, the block keeps its name (extension) if the text has none */
    if (at != begins || (flags & 4) == 0)
        memcpy(fcb + 1, name, 8);
    if (most == 11 || (flags & 8) == 0)
        memcpy(fcb + 9, name + 8, 3);
    return (size_t)(at - text);
}

dos_error dos_call_parse_name(dos *d)
{
    char text[128];
    uint8_t fcb[12], answer;
    uint32_t at = dos_pointer(d, ENGINE_ES, ENGINE_EDI);
    uint16_t from = bios_word(&d->bios, ENGINE_ESI);
    dos_text(d, bios_segment(&d->bios, ENGINE_DS) + from, text, sizeof text);
    engine_read_linear(d->engine, at, fcb, sizeof fcb);
    size_t length = dos_parse_name(d, text, bios_low(&d->bios, ENGINE_EAX), fcb, &answer);
    engine_write_linear(d->engine, at, fcb, sizeof fcb);
    bios_set_word(&d->bios, ENGINE_ESI, (uint16_t)(from + length));
    bios_set_low(&d->bios, ENGINE_EAX, answer);
    return DOS_OK;
}

/* --- the block at DS:DX --- */

typedef struct fcb {
    uint32_t at; /* linear address of the drive byte */
    bool extended;
    uint8_t attributes; /* if extended */
    uint8_t bytes[FCB_BYTES];
} fcb;

static uint32_t fcb_value(const fcb *f, unsigned at, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, f->bytes + at, size);
    return value;
}

static void fcb_set(fcb *f, unsigned at, unsigned size, uint32_t value)
{
    memcpy(f->bytes + at, &value, size);
}

static fcb fcb_load(dos *d)
{
    fcb f = {.at = dos_pointer(d, ENGINE_DS, ENGINE_EDX)};
    if (bios_load(&d->bios, f.at, 1) == EXTENDED) {
        f.extended = true;
        f.attributes = (uint8_t)bios_load(&d->bios, f.at + EXTENDED_ATTRIBUTE, 1);
        f.at += EXTENDED_BYTES;
    }
    engine_read_linear(d->engine, f.at, f.bytes, sizeof f.bytes);
    return f;
}

static void fcb_store(dos *d, const fcb *f, size_t size)
{
    engine_write_linear(d->engine, f->at, f->bytes, size);
}

static dos_error answer(dos *d, uint8_t al)
{
    bios_set_low(&d->bios, ENGINE_EAX, al);
    return DOS_OK;
}

/* Makes a path from the 11 characters at `name` and the current directory of the block's drive. */
static dos_error fcb_path(const dos *d, const fcb *f, const uint8_t *name, dos_path *path)
{
    char text[DOS_NAME], whole[DOS_NAME + 2];
    unsigned drive = f->bytes[0] == 0 ? d->drive : f->bytes[0] - 1u;
    if (drive >= DOS_DRIVES)
        return DOS_NO_DRIVE;
    dos_name_unpack((const char *)name, text);
    snprintf(whole, sizeof whole, "%c:%s", (int)('A' + drive), text);
    return dos_path_parse(d, whole, path);
}

/* Opens the block's file. Returns -1 if it cannot be opened or is a device. */
static int fcb_host(dos *d, const fcb *f, int flags, share_place *place)
{
    dos_path path;
    dos_error wrong = fcb_path(d, f, f->bytes + FCB_NAME, &path);
    if (wrong != DOS_OK || strpbrk(path.text, "*?") != NULL || dos_path_device(&path) != DOS_CLOSED)
        return -1;
    return dos_open_host(d, &path, flags, place, &wrong);
}

static dos_file_kind fcb_device(const dos *d, const fcb *f)
{
    dos_path path;
    return fcb_path(d, f, f->bytes + FCB_NAME, &path) == DOS_OK ? dos_path_device(&path) : DOS_CLOSED;
}

/* --- AH = 0Fh, 10h, 16h, 23h --- */

static dos_error fcb_opened(dos *d, fcb *f, int host)
{
    struct stat about = {0};
    uint16_t time = 0, day = 0;
    if (host < 0 && fcb_device(d, f) == DOS_CLOSED)
        return answer(d, FAILED);
    if (host >= 0) {
        fstat(host, &about);
        close(host);
        dos_pack_time(about.st_mtim.tv_sec, &time, &day);
    }
    if (f->bytes[0] == 0)
        f->bytes[0] = (uint8_t)(d->drive + 1);
    fcb_set(f, FCB_BLOCK, 2, 0);
    fcb_set(f, FCB_RECORD_SIZE, 2, RECORDS);
    fcb_set(f, FCB_SIZE, 4, (uint32_t)about.st_size);
    fcb_set(f, FCB_DATE, 2, day);
    fcb_set(f, FCB_TIME, 2, time);
    fcb_store(d, f, FCB_RECORD);
    return answer(d, DONE);
}

dos_error dos_call_fcb_open(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    return fcb_opened(d, &f, fcb_host(d, &f, O_RDONLY, &place));
}

dos_error dos_call_fcb_create(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    return fcb_opened(d, &f, fcb_host(d, &f, O_RDWR | O_CREAT | O_TRUNC, &place));
}

dos_error dos_call_fcb_close(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    int host = fcb_host(d, &f, O_RDONLY, &place);
    if (host >= 0)
        close(host);
    return answer(d, host >= 0 || fcb_device(d, &f) != DOS_CLOSED ? DONE : FAILED);
}

static uint32_t record_bytes(const fcb *f)
{
    uint32_t bytes = fcb_value(f, FCB_RECORD_SIZE, 2);
    return bytes != 0 ? bytes : RECORDS;
}

/* Returns the bytes of the random record field: the fourth one exists only for records below 64 bytes. */
static unsigned random_bytes(const fcb *f)
{
    return record_bytes(f) < 64 ? 4 : 3;
}

dos_error dos_call_fcb_size(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    struct stat about = {0};
    int host = fcb_host(d, &f, O_RDONLY, &place);
    if (host < 0)
        return answer(d, FAILED);
    fstat(host, &about);
    close(host);
    uint32_t bytes = record_bytes(&f);
    fcb_set(&f, FCB_RANDOM, random_bytes(&f), (uint32_t)((about.st_size + bytes - 1) / bytes));
    fcb_store(d, &f, FCB_BYTES);
    return answer(d, DONE);
}

/* --- AH = 11h, 12h, 13h, 17h --- */

/* Writes an unopened block for the file found to the transfer area, followed by the rest of its directory
 * entry, and saves the search in the program's block. */
static dos_error fcb_found(dos *d, const fcb *f, const dos_search *search, const dos_found *entry)
{
    uint8_t bytes[EXTENDED_BYTES + 33] = {EXTENDED, [EXTENDED_ATTRIBUTE] = entry->attribute};
    uint8_t *drive = bytes + EXTENDED_BYTES, *directory = drive + 1;
    fcb kept = *f;
    *drive = (uint8_t)(entry->drive + 1);
    memcpy(directory, entry->name, sizeof entry->name);
    directory[0x0b] = entry->attribute;
    memcpy(directory + 0x16, &entry->time, 2);
    memcpy(directory + 0x18, &entry->date, 2);
    memcpy(directory + 0x1c, &entry->size, 4);
    const uint8_t *from = f->extended ? bytes : drive;
    engine_write_linear(d->engine, d->dta, from, (size_t)(bytes + sizeof bytes - from));
    memcpy(kept.bytes + FCB_BLOCK, search, sizeof *search);
    fcb_store(d, &kept, FCB_BLOCK + sizeof *search);
    return answer(d, DONE);
}

dos_error dos_call_fcb_find_first(dos *d)
{
    dos_path path;
    dos_search search;
    dos_found entry;
    fcb f = fcb_load(d);
    dos_error wrong = fcb_path(d, &f, f.bytes + FCB_NAME, &path);
    if (wrong == DOS_OK)
        wrong = dos_search_begin(d, &path, f.attributes, &search);
    if (wrong == DOS_OK)
        wrong = dos_search_next(d, &search, &entry);
    return wrong == DOS_OK ? fcb_found(d, &f, &search, &entry) : answer(d, FAILED);
}

dos_error dos_call_fcb_find_next(dos *d)
{
    dos_search search;
    dos_found entry;
    fcb f = fcb_load(d);
    memcpy(&search, f.bytes + FCB_BLOCK, sizeof search);
    return dos_search_next(d, &search, &entry) == DOS_OK ? fcb_found(d, &f, &search, &entry)
                                                         : answer(d, FAILED);
}

/* Replaces each '?' of the new name by the old name's character. */
static void fill_wildcards(uint8_t name[11], const char old[11])
{
    for (unsigned i = 0; i < 11; i++)
        if (name[i] == '?')
            name[i] = (uint8_t)old[i];
}

/* Deletes or renames all files that match the block's name. */
static dos_error fcb_change(dos *d, bool rename)
{
    dos_path path, from, to;
    dos_search search;
    dos_found entry;
    fcb f = fcb_load(d);
    uint8_t al = FAILED;
    dos_error wrong = fcb_path(d, &f, f.bytes + FCB_NAME, &path);
    if (wrong == DOS_OK)
        wrong = dos_search_begin(d, &path, 0, &search);
    while (wrong == DOS_OK && dos_search_next(d, &search, &entry) == DOS_OK) {
        uint8_t name[11];
        memcpy(name, f.bytes + FCB_NEW_NAME, sizeof name);
        fill_wildcards(name, entry.name);
        wrong = fcb_path(d, &f, (const uint8_t *)entry.name, &from);
        if (wrong == DOS_OK && rename)
            wrong = fcb_path(d, &f, name, &to);
        if (wrong == DOS_OK)
            wrong = rename ? dos_rename(d, &from, &to) : dos_delete(d, &from);
        if (wrong == DOS_OK)
            al = DONE;
        if (rename && strpbrk(path.text, "*?") == NULL)
            break;
    }
    return answer(d, wrong == DOS_OK ? al : FAILED);
}

dos_error dos_call_fcb_delete(dos *d)
{
    return fcb_change(d, false);
}

dos_error dos_call_fcb_rename(dos *d)
{
    return fcb_change(d, true);
}

/* --- records --- */

/* Reads or writes `*records` records from record `first` on through the transfer area. Sets *records to the
 * number transferred and returns AL. DOS does not cross the end of the transfer area's segment. */
static uint8_t move_records(dos *d, const fcb *f, bool write, uint64_t first, uint32_t *records)
{
    enum { SEGMENT = 0x10000 };
    uint32_t bytes = record_bytes(f), capacity = SEGMENT - (d->dta & 15), wanted = *records;
    bool cut = (uint64_t)wanted * bytes > capacity;
    uint32_t size = (cut ? capacity / bytes : wanted) * bytes;
    uint8_t al = cut ? NO_ROOM : DONE;
    SHARE_PLACE(place);
    *records = 0;
    dos_file_kind device = fcb_device(d, f);
    if (device != DOS_CLOSED) {
        for (uint32_t i = 0; write && i < size && device == DOS_CONSOLE; i++)
            dos_output(d, (uint8_t)bios_load(&d->bios, d->dta + i, 1));
        *records = write ? size / bytes : 0;
        return write ? al : END_OF_FILE;
    }
    int host = fcb_host(d, f, write ? O_RDWR : O_RDONLY, &place);
    uint8_t *buffer = calloc(size + 1, 1);
    size_t done = 0;
    uint64_t position = first * bytes;
    if (host < 0 || buffer == NULL || position > UINT32_MAX - size) {
        al = write ? DISK_FULL : END_OF_FILE;
    } else if (write) {
        engine_read_linear(d->engine, d->dta, buffer, size);
        if (dos_write_host(host, place.quota, (uint32_t)position, buffer, size, &done) != DOS_OK ||
            done < size)
            al = DISK_FULL;
        *records = (uint32_t)(done / bytes);
    } else {
        ssize_t got = pread(host, buffer, size, (off_t)position);
        done = got > 0 ? (size_t)got : 0;
        *records = (uint32_t)((done + bytes - 1) / bytes); /* zeros fill the last one */
        engine_write_linear(d->engine, d->dta, buffer, *records * bytes);
        if (done < size)
            al = done % bytes != 0 ? PART : END_OF_FILE;
    }
    free(buffer);
    if (host >= 0)
        close(host);
    return al;
}

/* Updates the file size in the block after a write. */
static void fcb_grown(fcb *f, uint64_t end)
{
    if (end > fcb_value(f, FCB_SIZE, 4) && end <= UINT32_MAX)
        fcb_set(f, FCB_SIZE, 4, (uint32_t)end);
}

static uint32_t sequential(const fcb *f)
{
    return fcb_value(f, FCB_BLOCK, 2) * RECORDS + f->bytes[FCB_RECORD];
}

static void set_sequential(fcb *f, uint32_t record)
{
    fcb_set(f, FCB_BLOCK, 2, record / RECORDS);
    f->bytes[FCB_RECORD] = (uint8_t)(record % RECORDS);
}

static dos_error fcb_sequential(dos *d, bool write)
{
    fcb f = fcb_load(d);
    uint32_t first = sequential(&f), records = 1;
    uint8_t al = move_records(d, &f, write, first, &records);
    set_sequential(&f, first + records);
    if (write)
        fcb_grown(&f, (uint64_t)(first + records) * record_bytes(&f));
    fcb_store(d, &f, FCB_BYTES);
    return answer(d, al);
}

dos_error dos_call_fcb_read(dos *d)
{
    return fcb_sequential(d, false);
}

dos_error dos_call_fcb_write(dos *d)
{
    return fcb_sequential(d, true);
}

/* AH = 24h: Sets the random record number to the sequential position. */
dos_error dos_call_fcb_set_random(dos *d)
{
    fcb f = fcb_load(d);
    fcb_set(&f, FCB_RANDOM, random_bytes(&f), sequential(&f));
    fcb_store(d, &f, FCB_BYTES);
    return answer(d, DONE);
}

/* Reads or writes at the random record number. AH = 21h, 22h: one record; the sequential position becomes that
 * record. AH = 27h, 28h (`block`): CX records; both positions move past them. */
static dos_error fcb_random(dos *d, bool write, bool block)
{
    fcb f = fcb_load(d);
    uint32_t first = fcb_value(&f, FCB_RANDOM, random_bytes(&f));
    uint32_t records = block ? bios_word(&d->bios, ENGINE_ECX) : 1;
    uint8_t al = move_records(d, &f, write, first, &records);
    set_sequential(&f, block ? first + records : first);
    if (block) {
        fcb_set(&f, FCB_RANDOM, random_bytes(&f), first + records);
        bios_set_word(&d->bios, ENGINE_ECX, (uint16_t)records);
    }
    if (write)
        fcb_grown(&f, ((uint64_t)first + records) * record_bytes(&f));
    fcb_store(d, &f, FCB_BYTES);
    return answer(d, al);
}

dos_error dos_call_fcb_read_random(dos *d)
{
    return fcb_random(d, false, false);
}

dos_error dos_call_fcb_write_random(dos *d)
{
    return fcb_random(d, true, false);
}

dos_error dos_call_fcb_read_block(dos *d)
{
    return fcb_random(d, false, true);
}

/* AH = 28h with CX = 0: Cuts or extends the file to end at the random record. */
static dos_error fcb_cut(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    uint64_t size = (uint64_t)fcb_value(&f, FCB_RANDOM, random_bytes(&f)) * record_bytes(&f);
    int host = fcb_host(d, &f, O_RDWR, &place);
    bool done = host >= 0 && size <= UINT32_MAX && share_truncate(place.quota, host, size) == 0;
    if (host >= 0)
        close(host);
    if (done) {
        fcb_set(&f, FCB_SIZE, 4, (uint32_t)size);
        fcb_store(d, &f, FCB_BYTES);
    }
    return answer(d, done ? DONE : DISK_FULL);
}

dos_error dos_call_fcb_write_block(dos *d)
{
    return bios_word(&d->bios, ENGINE_ECX) == 0 ? fcb_cut(d) : fcb_random(d, true, true);
}
