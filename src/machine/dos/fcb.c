/* File control blocks, the file interface of DOS 1: names, opening, searching and changes (AH = 0Fh-13h, 16h, 17h and
 * 29h); fcb_records.c has the others. The whole state of a file is in the program's block. Programs copy blocks and never
 * close them, so each call opens the file by its name and closes it. AL = 0 means success and FFh failure; reads and
 * writes have more codes. An extended block begins with FFh and has its attributes in 7 bytes before the usual block. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/dos/fcb_internal.h"

/* --- AH = 29h --- */

/* Converts the name at `text` to drive and packed name (11 characters, padded with blanks) in `to`. If bit 0 of `flags` is
 * set, separators before the name are skipped. If bit 1, 2 or 3 is set, the drive, name or extension in `to` stays if the
 * text has none. *answer becomes 1 if there are wildcards, FFh if the drive does not exist, else 0. Returns the number of
 * characters read. */
size_t dos_parse_name(const dos *d, const char *text, uint8_t flags, uint8_t to[12], uint8_t *answer)
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
        to[0] = drive ? (uint8_t)((*at & 0x5f) - 'A' + 1) : 0;
    if (drive) {
        *answer = dos_drive_there(d, to[0] - 1u) ? 0 : 0xff;
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
    if (at != begins || (flags & 4) == 0)
        memcpy(to + 1, name, 8);
    if (most == 11 || (flags & 8) == 0)
        memcpy(to + 9, name + 8, 3);
    return (size_t)(at - text);
}

/* AH = 29h: Parses the name at DS:SI into the block at ES:DI, with the flags in AL. SI moves past the name. */
dos_error dos_call_parse_name(dos *d)
{
    char text[128];
    uint8_t bytes[12], answer;
    uint32_t at = dos_pointer(d, ENGINE_ES, ENGINE_EDI);
    uint16_t from = bios_word(&d->bios, ENGINE_ESI);
    dos_text(d, bios_segment(&d->bios, ENGINE_DS) + from, text, sizeof text);
    engine_read_linear(d->engine, at, bytes, sizeof bytes);
    size_t length = dos_parse_name(d, text, bios_low(&d->bios, ENGINE_EAX), bytes, &answer);
    engine_write_linear(d->engine, at, bytes, sizeof bytes);
    bios_set_word(&d->bios, ENGINE_ESI, (uint16_t)(from + length));
    bios_set_low(&d->bios, ENGINE_EAX, answer);
    return DOS_OK;
}

/* --- the block at DS:DX --- */

uint32_t fcb_value(const fcb *f, unsigned at, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, f->bytes + at, size);
    return value;
}

void fcb_set(fcb *f, unsigned at, unsigned size, uint32_t value)
{
    memcpy(f->bytes + at, &value, size);
}

fcb fcb_load(dos *d)
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

void fcb_store(dos *d, const fcb *f, size_t size)
{
    engine_write_linear(d->engine, f->at, f->bytes, size);
}

/* Sets AL, in which calls with blocks report errors. Returns DOS_OK, because dos_function must not report them again. */
dos_error fcb_answer(dos *d, uint8_t al)
{
    bios_set_low(&d->bios, ENGINE_EAX, al);
    return DOS_OK;
}

/* Makes a path from the 11 characters at `name` and the current directory of the block's drive. */
static dos_error fcb_path(const dos *d, const fcb *f, const uint8_t *name, dos_path *path)
{
    char text[DOS_NAME], whole[DOS_NAME + 2];
    unsigned drive = dos_drive_number(d, f->bytes[0]);
    if (drive >= DOS_DRIVES)
        return DOS_NO_DRIVE;
    dos_name_unpack((const char *)name, text);
    snprintf(whole, sizeof whole, "%c:%s", (int)('A' + drive), text);
    return dos_path_parse(d, whole, path);
}

int fcb_host(dos *d, const fcb *f, int flags, share_place *place)
{
    dos_path path;
    dos_error wrong = fcb_path(d, f, f->bytes + FCB_NAME, &path);
    if (wrong != DOS_OK || strpbrk(path.text, "*?") != NULL || dos_path_device(&path) != DOS_CLOSED)
        return -1;
    return dos_open_host(d, &path, flags, place, &wrong);
}

dos_file_kind fcb_device(const dos *d, const fcb *f)
{
    dos_path path;
    return fcb_path(d, f, f->bytes + FCB_NAME, &path) == DOS_OK ? dos_path_device(&path) : DOS_CLOSED;
}

/* --- AH = 0Fh, 10h, 16h --- */

/* Fills in the block of a file that has been opened, and closes `host`. If `host` is -1, the block names a device, or the
 * file could not be opened. */
static dos_error fcb_opened(dos *d, fcb *f, int host)
{
    struct stat about = {0};
    uint16_t time = 0, day = 0;
    if (host < 0 && fcb_device(d, f) == DOS_CLOSED)
        return fcb_answer(d, FCB_FAILED);
    if (host >= 0) {
        fstat(host, &about);
        close(host);
        dos_pack_time(about.st_mtim.tv_sec, &time, &day);
    }
    if (f->bytes[0] == 0)
        f->bytes[0] = (uint8_t)(d->drive + 1);
    fcb_set(f, FCB_BLOCK, 2, 0);
    fcb_set(f, FCB_RECORD_SIZE, 2, FCB_RECORDS);
    fcb_set(f, FCB_SIZE, 4, (uint32_t)about.st_size);
    fcb_set(f, FCB_DATE, 2, day);
    fcb_set(f, FCB_TIME, 2, time);
    fcb_store(d, f, FCB_RECORD);
    return fcb_answer(d, FCB_DONE);
}

/* AH = 0Fh: Opens the file. */
dos_error dos_call_fcb_open(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    return fcb_opened(d, &f, fcb_host(d, &f, O_RDONLY, &place));
}

/* AH = 16h: Creates or truncates the file. */
dos_error dos_call_fcb_create(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    return fcb_opened(d, &f, fcb_host(d, &f, O_RDWR | O_CREAT | O_TRUNC, &place));
}

/* AH = 10h: Only checks that the file exists. */
dos_error dos_call_fcb_close(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    int host = fcb_host(d, &f, O_RDONLY, &place);
    if (host >= 0)
        close(host);
    return fcb_answer(d, host >= 0 || fcb_device(d, &f) != DOS_CLOSED ? FCB_DONE : FCB_FAILED);
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
    return fcb_answer(d, FCB_DONE);
}

/* AH = 11h: Finds the first file that matches the block's name. */
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
    return wrong == DOS_OK ? fcb_found(d, &f, &search, &entry) : fcb_answer(d, FCB_FAILED);
}

/* AH = 12h: Continues the search that fcb_found has saved in the block. */
dos_error dos_call_fcb_find_next(dos *d)
{
    dos_search search;
    dos_found entry;
    fcb f = fcb_load(d);
    memcpy(&search, f.bytes + FCB_BLOCK, sizeof search);
    return dos_search_next(d, &search, &entry) == DOS_OK ? fcb_found(d, &f, &search, &entry)
                                                         : fcb_answer(d, FCB_FAILED);
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
    uint8_t al = FCB_FAILED;
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
            al = FCB_DONE;
        if (rename && strpbrk(path.text, "*?") == NULL)
            break;
    }
    return fcb_answer(d, wrong == DOS_OK ? al : FCB_FAILED);
}

/* AH = 13h: Deletes all files that match the block's name. */
dos_error dos_call_fcb_delete(dos *d)
{
    return fcb_change(d, false);
}

/* AH = 17h: Renames all files that match the block's name. */
dos_error dos_call_fcb_rename(dos *d)
{
    return fcb_change(d, true);
}
