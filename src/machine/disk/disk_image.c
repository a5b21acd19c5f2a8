#include "machine/disk/disk_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "machine/share/host_file.h"

enum {
    PIECE = 32 << 10,         /* bytes of an element of disk_image.pieces, a multiple of all sector sizes */
    DISKETTE_USUAL_KB = 1440, /* the format of a diskette's image that does not tell its own */
    HARD_DISK_HEADS = 16,
    HARD_DISK_PER_TRACK = 63
};

/* --- formats --- */

typedef struct disk_geometry {
    uint32_t kilobytes, cylinders, heads, per_track;
    uint8_t type;
} disk_geometry;

static const disk_geometry diskettes[] = {{160, 40, 1, 8, 1},   {180, 40, 1, 9, 1},  {320, 40, 2, 8, 1},
                                          {360, 40, 2, 9, 1},   {720, 80, 2, 9, 3},  {1200, 80, 2, 15, 2},
                                          {1440, 80, 2, 18, 4}, {2880, 80, 2, 36, 6}};
enum { DISKETTES = sizeof diskettes / sizeof diskettes[0] };

/* Returns the diskette format of that capacity, or NULL. */
static const disk_geometry *diskette_of(uint64_t bytes)
{
    for (unsigned i = 0; i < DISKETTES; i++)
        if (bytes == (uint64_t)diskettes[i].kilobytes * 1024)
            return &diskettes[i];
    return NULL;
}

/* Returns the diskette format whose geometry is in the boot sector's BIOS parameter block, or NULL if the block is
 * missing or describes another geometry. */
static const disk_geometry *diskette_of_boot_sector(const uint8_t sector[DISK_SECTOR])
{
    /* Offsets of the block's fields. */
    enum { BYTES_AT = 11, TOTAL_AT = 19, PER_TRACK_AT = 24, HEADS_AT = 26 };
    if (le16_at(sector, BYTES_AT) != DISK_SECTOR)
        return NULL;
    const disk_geometry *g = diskette_of((uint64_t)le16_at(sector, TOTAL_AT) * DISK_SECTOR);
    if (g == NULL || g->per_track != le16_at(sector, PER_TRACK_AT) || g->heads != le16_at(sector, HEADS_AT))
        return NULL;
    return g;
}

static void disk_set_diskette(disk_image *d, const disk_geometry *g)
{
    d->kind = DRIVE_DISKETTE;
    d->type = g->type;
    d->cylinders = g->cylinders;
    d->heads = g->heads;
    d->per_track = g->per_track;
    d->sectors = (uint64_t)g->cylinders * g->heads * g->per_track;
}

/* Makes the drive a hard disk of file_bytes, with the usual 16 heads and 63 sectors per track. It has as many whole
 * cylinders as there are, but at least one, and at most 65535, because ATA has 16 bits for their number. */
static void disk_set_hard_disk(disk_image *d)
{
    d->kind = DRIVE_HARD_DISK;
    d->heads = HARD_DISK_HEADS;
    d->per_track = HARD_DISK_PER_TRACK;
    d->sectors = (d->file_bytes + DISK_SECTOR - 1) / DISK_SECTOR;
    uint64_t cylinders = d->sectors / (HARD_DISK_HEADS * HARD_DISK_PER_TRACK);
    d->cylinders = cylinders == 0 ? 1 : cylinders > UINT16_MAX ? UINT16_MAX : (uint32_t)cylinders;
}

/* Derives the format from the file's size in sectors, the last of which may be incomplete, and the parameter block in its
 * boot sector. A file with the size of a diskette is one. So is a file that is shorter than the diskette which its
 * parameter block describes, because images often lack their end. Another file is a diskette of 1440 KB if it is
 * shorter than that, and a hard disk otherwise. */
static void derive_format(disk_image *d)
{
    uint8_t first[DISK_SECTOR] = {0};
    const disk_geometry *g = diskette_of((d->file_bytes + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR);
    if (pread(d->file, first, sizeof first, 0) == DISK_SECTOR && g == NULL) {
        const disk_geometry *described = diskette_of_boot_sector(first);
        if (described != NULL && d->file_bytes < (uint64_t)described->kilobytes * 1024)
            g = described;
    }
    if (g == NULL && d->file_bytes < DISKETTE_USUAL_KB * 1024)
        g = diskette_of(DISKETTE_USUAL_KB * 1024);
    if (g != NULL)
        disk_set_diskette(d, g);
    else
        disk_set_hard_disk(d);
}

/* Derives the format of a CD from its boot entry: a CD, or the disk that the boot image emulates. */
static void derive_format_of_cd(disk_image *d)
{
    static const uint16_t kilobytes[] = {
        [CD_DISKETTE_1200] = 1200, [CD_DISKETTE_1440] = 1440, [CD_DISKETTE_2880] = 2880};
    uint64_t start = (uint64_t)d->boot.start * CD_SECTOR;
    d->is_cd = true;
    if (d->boot.media == CD_NO_EMULATION) {
        d->kind = DRIVE_CD;
        d->sector_bytes = CD_SECTOR;
        d->sectors = (d->file_bytes + CD_SECTOR - 1) / CD_SECTOR;
        return;
    }
    d->start = start;
    d->file_bytes = start < d->file_bytes ? d->file_bytes - start : 0;
    if (d->boot.media == CD_HARD_DISK)
        disk_set_hard_disk(d);
    else
        disk_set_diskette(d, diskette_of((uint64_t)kilobytes[d->boot.media] * 1024));
}

/* --- the file --- */

/* Returns the index of the last element of `pieces`. The element is not used if PIECE divides the drive's size. */
static uint64_t disk_last_piece(const disk_image *d)
{
    return d->sectors * d->sector_bytes / PIECE;
}

/* Reads at an offset of the whole file. Returns false if the file does not have all these bytes or the host reports an
 * error. */
static bool read_file(const void *context, uint64_t offset, void *bytes, size_t size)
{
    const disk_image *d = context;
    return offset < INT64_MAX && pread(d->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

void disk_image_none(disk_image *disk)
{
    *disk = (disk_image){.file = -1, .kind = DRIVE_NONE, .sector_bytes = DISK_SECTOR};
}

p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error)
{
    struct stat about = {0};
    disk_image_none(disk);
    disk->writable = writable;
    disk->file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    p5_status status = P5_OK;
    if (disk->file < 0)
        status = error_set(error, P5_ERR_IO, "cannot open the image%s: %s", writable ? " for writing" : "",
                           strerror(errno));
    else if (fstat(disk->file, &about) != 0 || !S_ISREG(about.st_mode))
        status = error_set(error, P5_ERR_FORMAT, "this is not a regular file");
    else if (about.st_size < DISK_SECTOR)
        status = error_set(error, P5_ERR_FORMAT, "a disk image has at least one sector of 512 bytes");
    if (status == P5_OK) {
        disk->file_bytes = (uint64_t)about.st_size;
        if (!as_disk && el_torito_find(read_file, disk, &disk->boot))
            derive_format_of_cd(disk);
        else
            derive_format(disk);
        disk->pieces = calloc(disk_last_piece(disk) + 1, sizeof *disk->pieces);
        if (disk->pieces == NULL)
            status = error_set(error, P5_ERR_MEMORY, "no memory for a disk");
    }
    if (status != P5_OK) {
        error_at(error, path, 0, 0);
        disk_image_close(disk);
        return status;
    }
    disk->path = realpath(path, NULL);
    return P5_OK;
}

void disk_image_close(disk_image *disk)
{
    for (uint64_t i = 0; disk->pieces != NULL && i <= disk_last_piece(disk); i++)
        free(disk->pieces[i]);
    free(disk->pieces);
    if (disk->file >= 0)
        close(disk->file);
    free(disk->path);
    disk_image_none(disk);
}

/* Reads at an offset of the drive from the file, not from `pieces`; bytes after the file's end read as zeros. */
static bool disk_read_file(const disk_image *d, uint64_t at, uint8_t *bytes, size_t size)
{
    uint64_t left = at < d->file_bytes ? d->file_bytes - at : 0;
    size_t there = left < size ? (size_t)left : size;
    memset(bytes + there, 0, size - there);
    return there == 0 || read_file(d, d->start + at, bytes, there);
}

bool disk_image_padded(const disk_image *disk, uint64_t sector)
{
    return sector < disk->sectors && (sector + 1) * disk->sector_bytes > disk->file_bytes;
}

bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes)
{
    if (sector >= disk->sectors)
        return false;
    uint64_t at = sector * disk->sector_bytes;
    const uint8_t *piece = disk->pieces[at / PIECE];
    if (piece == NULL)
        return disk_read_file(disk, at, bytes, disk->sector_bytes);
    memcpy(bytes, piece + at % PIECE, disk->sector_bytes);
    return true;
}

/* Makes a writable file as long as its drive, so that its size tells a diskette's format from now on, whatever the guest
 * writes into the boot sector. Returns false if the host reports an error. */
static bool extend_file(disk_image *disk)
{
    const uint64_t whole = disk->sectors * disk->sector_bytes;
    if (disk->file_bytes >= whole)
        return true;
    if (ftruncate(disk->file, (off_t)(disk->start + whole)) != 0)
        return false;
    disk->file_bytes = whole;
    return true;
}

bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes)
{
    if (sector >= disk->sectors || disk->is_cd)
        return false;
    uint64_t at = sector * disk->sector_bytes;
    if (disk->writable)
        return extend_file(disk) &&
               pwrite(disk->file, bytes, disk->sector_bytes, (off_t)(disk->start + at)) == disk->sector_bytes;
    uint8_t **piece = &disk->pieces[at / PIECE];
    if (*piece == NULL) {
        *piece = malloc(PIECE);
        if (*piece == NULL || !disk_read_file(disk, at - at % PIECE, *piece, PIECE)) {
            free(*piece);
            *piece = NULL;
            return false;
        }
    }
    memcpy(*piece + at % PIECE, bytes, disk->sector_bytes);
    return true;
}

/* --- snapshots --- */

/* Saves or loads element `at` of disk_image.pieces. If the disk is not open, because the snapshot is only inspected,
 * drops the piece. */
static void piece_transfer(disk_image *disk, uint64_t at, snapshot *s)
{
    uint8_t *dropped = NULL, **piece = disk->pieces != NULL ? &disk->pieces[at] : &dropped;
    if (*piece == NULL)
        *piece = malloc(PIECE);
    if (*piece == NULL)
        snapshot_no_memory(s);
    else
        snapshot_raw(s, "disk.bytes", *piece, PIECE);
    free(dropped);
}

/* Saves or loads the pieces that are not NULL: their number, then the index and the bytes of each. Checks the indices
 * if the disk is open. */
static void pieces_transfer(disk_image *disk, snapshot *s)
{
    uint64_t last = disk->pieces != NULL ? disk_last_piece(disk) : UINT32_MAX, count = 0;
    for (uint64_t i = 0; disk->pieces != NULL && i <= last; i++)
        count += disk->pieces[i] != NULL;
    count = snapshot_number(s, "disk.pieces", count, last + 1);
    for (uint64_t at = 0; count > 0 && s->status == P5_OK; at++, count--) {
        while (!s->loading && disk->pieces[at] == NULL)
            at++;
        at = snapshot_number(s, "disk.piece", at, last);
        if (s->status == P5_OK)
            piece_transfer(disk, at, s);
    }
}

/* The saved state names the image file, but a snapshot's file grants no access to the host: the user must name the image
 * again. Only a copy of a machine in this process keeps its access (disk_grant.copy). */
typedef struct saved_disk {
    uint8_t kind; /* DRIVE_* */
    bool writable, cd;
    char *path;
    host_file file; /* size and time of change, to find out whether it is still the same */
} saved_disk;

static const snapshot_table disk_state = {SNAPSHOT(saved_disk, "disk", FIELD_ANY(kind),
                                                   FIELD_FLAG(writable, cd), FIELD_STRING(path),
                                                   FIELD_TABLE(&host_file_state, file)),
                                          .since = 2};
const snapshot_table *const disk_tables[] = {&disk_state, NULL};

/* Opens the image of a loaded snapshot. Refuses the snapshot if the user has not granted the same access, or if the
 * image's size or time of change is not the saved one. */
static void open_again(disk_image *disk, const saved_disk *saved, const disk_grant *grant, snapshot *s)
{
    const char *path = saved->path != NULL ? saved->path : "";
    const char *image = grant->copy ? path : grant->path;
    disk_image_close(disk);
    if (image == NULL)
        snapshot_refuse(s, "the snapshot's guest has the disk image %s; name it %s%s", path,
                        grant->option != NULL ? "with " : "on the command line",
                        grant->option != NULL ? grant->option : "");
    else if (!grant->copy && grant->writable != saved->writable)
        snapshot_refuse(s, "the snapshot's guest may %swrite to its disk image: load it %s --disk-write",
                        saved->writable ? "" : "not ", saved->writable ? "with" : "without");
    else
        s->status = disk_image_open(disk, image, saved->writable, !saved->cd, s->error);
    if (s->status == P5_OK)
        host_file_check(&saved->file, disk->file, image, s);
    if (s->status == P5_OK && disk->kind != saved->kind)
        snapshot_refuse(s, "disk.kind: %u is not that of the image", (unsigned)saved->kind);
}

void disk_image_transfer(disk_image *disk, const disk_grant *grant, snapshot *s)
{
    /* The kind stays so when a snapshot of revision 1, which has no disks, is loaded. */
    saved_disk saved = {.kind = DRIVE_NONE};
    if (!s->loading)
        saved = (saved_disk){.kind = disk->kind,
                             .writable = disk->writable,
                             .cd = disk->is_cd,
                             .path = disk->path,
                             .file = host_file_of(disk->file)};
    snapshot_state(s, &disk_state, &saved);
    if (s->status == P5_OK && saved.kind != DRIVE_NONE) {
        if (s->loading && !grant->look_only)
            open_again(disk, &saved, grant, s);
        if (s->status == P5_OK)
            pieces_transfer(disk, s);
    }
    if (s->loading)
        free(saved.path);
}
