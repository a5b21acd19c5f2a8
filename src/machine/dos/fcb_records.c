/* Records of files that are accessed by file control blocks: AH = 14h, 15h, 21h-24h, 27h and 28h. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/dos/fcb_internal.h"

/* Results in AL. */
enum {
    END_OF_FILE = 1, /* of a read */
    DISK_FULL = 1,   /* of a write */
    NO_ROOM = 2,     /* the transfer area's segment is too small for the records */
    PART = 3         /* the last record was read in part */
};

static uint32_t record_bytes(const fcb *f)
{
    uint32_t bytes = fcb_value(f, FCB_RECORD_SIZE, 2);
    return bytes != 0 ? bytes : FCB_RECORDS;
}

/* Returns the size of the random record field: 4 bytes if records are shorter than 64 bytes, else 3. */
static unsigned random_bytes(const fcb *f)
{
    return record_bytes(f) < 64 ? 4 : 3;
}

/* AH = 23h: Sets the random record number to the number of records of the file. */
dos_error dos_call_fcb_size(dos *d)
{
    SHARE_PLACE(place);
    fcb f = fcb_load(d);
    struct stat about = {0};
    int host = fcb_host(d, &f, O_RDONLY, &place);
    if (host < 0)
        return fcb_answer(d, FCB_FAILED);
    fstat(host, &about);
    close(host);
    uint32_t bytes = record_bytes(&f);
    fcb_set(&f, FCB_RANDOM, random_bytes(&f), (uint32_t)((about.st_size + bytes - 1) / bytes));
    fcb_store(d, &f, FCB_BYTES);
    return fcb_answer(d, FCB_DONE);
}

/* Reads or writes `*records` records from record `first` on through the transfer area. Sets *records to the
 * number transferred and returns AL. DOS transfers only what fits into the rest of the transfer area's segment. */
static uint8_t move_records(dos *d, const fcb *f, bool write, uint64_t first, uint32_t *records)
{
    enum { SEGMENT = 0x10000 };
    uint32_t bytes = record_bytes(f), capacity = SEGMENT - (d->dta & 15), wanted = *records;
    bool cut = (uint64_t)wanted * bytes > capacity;
    uint32_t size = (cut ? capacity / bytes : wanted) * bytes;
    uint8_t al = cut ? NO_ROOM : FCB_DONE;
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
        dos_write_host(host, place.quota, (uint32_t)position, buffer, size, &done);
        if (done < size)
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

/* Updates the file size in the block after a write that ended at offset `end`. */
static void fcb_grown(fcb *f, uint64_t end)
{
    if (end > fcb_value(f, FCB_SIZE, 4) && end <= UINT32_MAX)
        fcb_set(f, FCB_SIZE, 4, (uint32_t)end);
}

/* Returns the number of the record that a sequential access uses. */
static uint32_t sequential(const fcb *f)
{
    return fcb_value(f, FCB_BLOCK, 2) * FCB_RECORDS + f->bytes[FCB_RECORD];
}

/* Sets that number. The block has it as a number of a block of records, and a number in that block. */
static void set_sequential(fcb *f, uint32_t record)
{
    fcb_set(f, FCB_BLOCK, 2, record / FCB_RECORDS);
    f->bytes[FCB_RECORD] = (uint8_t)(record % FCB_RECORDS);
}

/* Reads or writes the record at the sequential position, which moves past it. */
static dos_error fcb_sequential(dos *d, bool write)
{
    fcb f = fcb_load(d);
    uint32_t first = sequential(&f), records = 1;
    uint8_t al = move_records(d, &f, write, first, &records);
    set_sequential(&f, first + records);
    if (write)
        fcb_grown(&f, (uint64_t)(first + records) * record_bytes(&f));
    fcb_store(d, &f, FCB_BYTES);
    return fcb_answer(d, al);
}

/* AH = 14h: Reads the record at the sequential position. */
dos_error dos_call_fcb_read(dos *d)
{
    return fcb_sequential(d, false);
}

/* AH = 15h: Writes the record at the sequential position. */
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
    return fcb_answer(d, FCB_DONE);
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
    return fcb_answer(d, al);
}

/* AH = 21h: Reads the record with the random record number. */
dos_error dos_call_fcb_read_random(dos *d)
{
    return fcb_random(d, false, false);
}

/* AH = 22h: Writes the record with the random record number. */
dos_error dos_call_fcb_write_random(dos *d)
{
    return fcb_random(d, true, false);
}

/* AH = 27h: Reads CX records from the random record number on. */
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
    return fcb_answer(d, done ? FCB_DONE : DISK_FULL);
}

/* AH = 28h: Writes CX records from the random record number on; CX = 0 sets the file's size. */
dos_error dos_call_fcb_write_block(dos *d)
{
    return bios_word(&d->bios, ENGINE_ECX) == 0 ? fcb_cut(d) : fcb_random(d, true, true);
}
