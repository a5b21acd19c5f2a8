/* The file of a snapshot: snapshot_file.h describes the format. */
#define _GNU_SOURCE /* asprintf */
#include "machine/snapshot/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "p5scope/version.h"

enum { LEVEL = 3 /* zstd's compression level */, BUFFER = 1 << 17 /* bytes */, SECTIONS_AT_MOST = 64 };
#define MAGIC "p5scope snapshot" /* without the final NUL */

typedef struct file_header {
    char magic[16];
    uint32_t format, revision, sections, unused;
    char version[32];
    uint64_t checksum; /* of the members above */
} file_header;

typedef struct section_header {
    char name[16];
    uint64_t bytes, stored;   /* number of bytes before compression, and in the file */
    uint64_t checksum;        /* of the stored bytes */
    uint64_t header_checksum; /* of the members above */
} section_header;

struct snapshot_file {
    char *path;      /* of the snapshot, for messages */
    char *temporary; /* writing: path of the file until it is complete; NULL when reading */
    FILE *file;
    uint32_t sections; /* sections written, or sections left to read */
    uint32_t revision; /* reading: the revision of the program that wrote the file */
    char version[40];  /* reading: "p5scope VERSION" of that program */
    /* Header of the current section. Writing: it is written again when its numbers are known. Reading: `bytes` becomes
     * the number of bytes that are not yet read. */
    section_header section;
    off_t section_at; /* writing: the header's offset in the file */
    uint64_t left;    /* reading: stored bytes of the section that are not yet read */
    bool failed;      /* writing: errno_of_failure has the reason */
    int errno_of_failure;
    ZSTD_CStream *compress;
    ZSTD_DStream *expand;
    ZSTD_inBuffer in;       /* reading: the part of `buffer` that is not yet expanded */
    uint8_t buffer[BUFFER]; /* compressed bytes */
};

/* Extends an FNV-1a checksum, which any change of a single byte changes. */
static uint64_t checksum_add(uint64_t sum, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

#define CHECKSUM_BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t checksum_of(const void *bytes, size_t size)
{
    return checksum_add(CHECKSUM_BEGIN, bytes, size);
}

/* Adds the file's path to an error. Returns `status`. */
static p5_status fail_at(const snapshot_file *f, p5_error *error, p5_status status)
{
    error_at(error, f->path, 0, 0);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* Records a failure with its errno if a write has not succeeded. Keeps the first failure. */
static void check_write(snapshot_file *f, bool succeeded)
{
    if (succeeded || f->failed)
        return;
    f->failed = true;
    f->errno_of_failure = errno;
}

static void put(snapshot_file *f, const void *bytes, size_t size)
{
    if (!f->failed && size > 0)
        check_write(f, fwrite(bytes, 1, size, f->file) == size);
}

/* Compresses `in` and writes the result, until all of `in` is consumed or, with ZSTD_e_end, until the zstd frame is
 * complete. */
static void compress(snapshot_file *f, ZSTD_inBuffer in, ZSTD_EndDirective how)
{
    size_t left = 1;
    while (!f->failed && (how == ZSTD_e_end ? left > 0 : in.pos < in.size)) {
        ZSTD_outBuffer out = {f->buffer, sizeof f->buffer, 0};
        left = ZSTD_compressStream2(f->compress, &out, &in, how);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* its only possible error */
            check_write(f, false);
        }
        f->section.checksum = checksum_add(f->section.checksum, f->buffer, out.pos);
        f->section.stored += out.pos;
        put(f, f->buffer, out.pos);
    }
}

/* snapshot.write: adds bytes to the current section. */
static bool write_compressed(void *context, const void *bytes, size_t size)
{
    snapshot_file *f = context;
    f->section.bytes += size;
    compress(f, (ZSTD_inBuffer){bytes, size, 0}, ZSTD_e_continue);
    return !f->failed;
}

/* Overwrites bytes at an offset, and returns to the end of the file. */
static void put_at(snapshot_file *f, off_t at, const void *bytes, size_t size)
{
    off_t end = ftello(f->file);
    check_write(f, end >= 0 && fseeko(f->file, at, SEEK_SET) == 0);
    put(f, bytes, size);
    check_write(f, f->failed || fseeko(f->file, end, SEEK_SET) == 0);
}

/* Allocates an object with a copy of the path. Returns NULL after an error. */
static snapshot_file *new_file(const char *path, p5_error *error)
{
    snapshot_file *f = calloc(1, sizeof *f);
    if (f != NULL)
        f->path = strdup(path);
    if (f == NULL || f->path == NULL) {
        free(f);
        error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
        return NULL;
    }
    return f;
}

p5_status snapshot_file_create(const char *path, snapshot_file **file, p5_error *error)
{
    static const file_header placeholder;
    struct stat there; /* only a regular file may be replaced, not a device, for example */
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return error_set_at(error, P5_ERR_IO, (error_place){.where = path},
                            "cannot write the snapshot: the file exists and is not a regular file");
    snapshot_file *f = *file = new_file(path, error);
    if (f == NULL)
        return P5_ERR_MEMORY;
    f->compress = ZSTD_createCStream();
    if (f->compress == NULL || asprintf(&f->temporary, "%s.XXXXXX", path) < 0) {
        f->temporary = NULL;
        snapshot_file_close(f);
        return error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    }
    ZSTD_CCtx_setParameter(f->compress, ZSTD_c_compressionLevel, LEVEL);
    int descriptor = mkostemp(f->temporary, O_CLOEXEC);
    f->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (f->file == NULL) {
        error_set(error, P5_ERR_IO, "cannot write the snapshot: %s", strerror(errno));
        fail_at(f, error, P5_ERR_IO);
        if (descriptor >= 0)
            close(descriptor);
        snapshot_file_close(f);
        return P5_ERR_IO;
    }
    put(f, &placeholder, sizeof placeholder); /* snapshot_file_finish writes the header */
    return P5_OK;
}

/* Writes the header, moves the file to its path, and closes it, also after an error. */
p5_status snapshot_file_finish(snapshot_file *f, p5_error *error)
{
    file_header header = {.format = SNAPSHOT_FORMAT, .revision = SNAPSHOT_REVISION, .sections = f->sections};
    memcpy(header.magic, MAGIC, sizeof header.magic);
    snprintf(header.version, sizeof header.version, "%s", P5SCOPE_VERSION);
    header.checksum = checksum_of(&header, offsetof(file_header, checksum));
    put_at(f, 0, &header, sizeof header);
    /* mkostemp made the file private. It gets the rights of a file that fopen makes. */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fileno(f->file), 0666 & ~mask);
    FILE *file = f->file;
    f->file = NULL;
    check_write(f, fclose(file) == 0);
    check_write(f, f->failed || rename(f->temporary, f->path) == 0);
    p5_status status = P5_OK;
    if (f->failed) {
        error_set(error, P5_ERR_IO, "cannot write the snapshot: %s", strerror(f->errno_of_failure));
        status = fail_at(f, error, P5_ERR_IO);
    } else {
        free(f->temporary);
        f->temporary = NULL;
    }
    snapshot_file_close(f);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static p5_status check_header(snapshot_file *f, p5_error *error)
{
    file_header h = {0};
    size_t got = fread(&h, 1, sizeof h, f->file);
    if (got < sizeof h.magic || memcmp(h.magic, MAGIC, sizeof h.magic) != 0)
        return error_set(error, P5_ERR_FORMAT, "this is not a snapshot of p5scope");
    if (got < sizeof h)
        return error_set(error, P5_ERR_FORMAT, "the snapshot ends within its header, after %zu bytes", got);
    if (h.format != SNAPSHOT_FORMAT)
        return error_set(error, P5_ERR_FORMAT, "the snapshot has format %u; this p5scope reads format %u",
                         (unsigned)h.format, (unsigned)SNAPSHOT_FORMAT);
    if (h.checksum != checksum_of(&h, offsetof(file_header, checksum)) || h.sections > SECTIONS_AT_MOST)
        return error_set(error, P5_ERR_FORMAT,
                         "the snapshot is damaged: the checksum of its header is wrong");
    h.version[sizeof h.version - 1] = '\0';
    snprintf(f->version, sizeof f->version, "p5scope %s", h.version);
    f->revision = h.revision;
    f->sections = h.sections;
    return P5_OK;
}

/* Reads and checks the section header at offset `at`. `bytes` is the size of the file. */
static p5_status read_section_header(snapshot_file *f, section_header *h, uint64_t at, uint64_t bytes,
                                     p5_error *error)
{
    if (fread(h, sizeof *h, 1, f->file) != 1)
        return error_set(error, P5_ERR_FORMAT,
                         "the snapshot is cut off at byte %" PRIu64 ", where a section should begin", bytes);
    if (h->header_checksum != checksum_of(h, offsetof(section_header, header_checksum)))
        return error_set(error, P5_ERR_FORMAT,
                         "the snapshot is damaged: the header of the section at byte %" PRIu64
                         " does not match its checksum",
                         at);
    h->name[sizeof h->name - 1] = '\0';
    return P5_OK;
}

/* Reads all sections once, so that damage is detected before any of the data is used. */
static p5_status check_sections(snapshot_file *f, p5_error *error)
{
    struct stat about;
    uint64_t at = sizeof(file_header);
    if (fstat(fileno(f->file), &about) != 0 || !S_ISREG(about.st_mode))
        return error_set(error, P5_ERR_FORMAT, "the snapshot is not a regular file");
    uint64_t bytes = (uint64_t)about.st_size;
    for (uint32_t i = 0; i < f->sections; i++) {
        section_header h;
        p5_status status = read_section_header(f, &h, at, bytes, error);
        if (status != P5_OK)
            return status;
        at += sizeof h;
        if (h.stored > bytes - at)
            return error_set(error, P5_ERR_FORMAT,
                             "the snapshot is cut off at byte %" PRIu64 ", within its section '%s', which is "
                             "%" PRIu64 " bytes longer",
                             bytes, h.name, h.stored - (bytes - at));
        uint64_t sum = CHECKSUM_BEGIN;
        for (uint64_t left = h.stored; left > 0;) {
            size_t part = left < sizeof f->buffer ? (size_t)left : sizeof f->buffer;
            if (fread(f->buffer, 1, part, f->file) != part)
                return error_set(error, P5_ERR_IO, "cannot read the snapshot: %s", strerror(errno));
            sum = checksum_add(sum, f->buffer, part);
            left -= part;
        }
        if (sum != h.checksum)
            return error_set(error, P5_ERR_FORMAT,
                             "the snapshot is damaged: its section '%s' (from byte %" PRIu64
                             ") does not match its checksum",
                             h.name, at);
        at += h.stored;
    }
    if (at != bytes)
        return error_set(error, P5_ERR_FORMAT,
                         "the snapshot is damaged: %" PRIu64 " bytes follow its last section", bytes - at);
    return P5_OK;
}

p5_status snapshot_file_open(const char *path, snapshot_file **file, p5_error *error)
{
    snapshot_file *f = *file = new_file(path, error);
    if (f == NULL)
        return P5_ERR_MEMORY;
    f->expand = ZSTD_createDStream();
    f->file = fopen(path, "re");
    p5_status status = P5_OK;
    if (f->expand == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for a snapshot");
    else if (f->file == NULL)
        status = error_set(error, P5_ERR_IO, "cannot open the snapshot: %s", strerror(errno));
    else
        status = check_header(f, error);
    if (status == P5_OK)
        status = check_sections(f, error);
    if (status == P5_OK && fseeko(f->file, (off_t)sizeof(file_header), SEEK_SET) != 0)
        status = error_set(error, P5_ERR_IO, "cannot read the snapshot: %s", strerror(errno));
    if (status == P5_OK)
        return P5_OK;
    fail_at(f, error, status);
    snapshot_file_close(f);
    return status;
}

/* snapshot.read: gets the next bytes of the current section. Returns false if it has fewer, or if they are damaged. */
static bool read_expanded(void *context, void *bytes, size_t size)
{
    snapshot_file *f = context;
    ZSTD_outBuffer out = {bytes, size, 0};
    if (size > f->section.bytes)
        return false;
    while (out.pos < out.size) {
        if (f->in.pos == f->in.size) {
            size_t part = f->left < sizeof f->buffer ? (size_t)f->left : sizeof f->buffer;
            if (part == 0 || fread(f->buffer, 1, part, f->file) != part)
                return false;
            f->left -= part;
            f->in = (ZSTD_inBuffer){f->buffer, part, 0};
        }
        if (ZSTD_isError(ZSTD_decompressStream(f->expand, &out, &f->in)))
            return false;
    }
    f->section.bytes -= size;
    return true;
}

/* ---- Sections ----------------------------------------------------------------------------------------- */

void snapshot_file_begin(snapshot_file *f, const char *name, snapshot *s, p5_error *error)
{
    *s = (snapshot){.loading = f->temporary == NULL,
                    .write = write_compressed,
                    .read = read_expanded,
                    .context = f,
                    .revision = f->revision,
                    .version = f->version,
                    .error = error};
    f->section = (section_header){.checksum = CHECKSUM_BEGIN};
    if (!s->loading) {
        snprintf(f->section.name, sizeof f->section.name, "%s", name);
        f->section_at = ftello(f->file);
        ZSTD_CCtx_reset(f->compress, ZSTD_reset_session_only);
        put(f, &f->section, sizeof f->section);
        return;
    }
    ZSTD_DCtx_reset(f->expand, ZSTD_reset_session_only);
    f->in = (ZSTD_inBuffer){0};
    f->left = 0;
    if (f->sections == 0 || fread(&f->section, sizeof f->section, 1, f->file) != 1) {
        snapshot_refuse(s, "the snapshot has no section '%s'", name);
        return;
    }
    f->sections--;
    f->section.name[sizeof f->section.name - 1] = '\0';
    f->left = f->section.stored;
    if (strcmp(f->section.name, name) != 0)
        snapshot_refuse(s, "the snapshot has a section '%s' where '%s' should be", f->section.name, name);
}

p5_status snapshot_file_end(snapshot_file *f, snapshot *s)
{
    if (s->loading) {
        if (s->status == P5_OK && f->section.bytes > 0)
            snapshot_refuse(s, "section '%s' of the snapshot has %" PRIu64 " bytes too many", f->section.name,
                            f->section.bytes);
        if (s->status == P5_OK && f->left > 0) /* skip the end of the frame */
            fseeko(f->file, (off_t)f->left, SEEK_CUR);
    } else {
        compress(f, (ZSTD_inBuffer){NULL, 0, 0}, ZSTD_e_end);
        f->section.header_checksum = checksum_of(&f->section, offsetof(section_header, header_checksum));
        put_at(f, f->section_at, &f->section, sizeof f->section);
        f->sections++;
        if (f->failed)
            s->status = error_set(s->error, P5_ERR_IO, "cannot write the snapshot: %s",
                                  strerror(f->errno_of_failure));
    }
    return s->status != P5_OK ? fail_at(f, s->error, s->status) : P5_OK;
}

void snapshot_file_close(snapshot_file *f)
{
    if (f == NULL)
        return;
    if (f->file != NULL)
        fclose(f->file);
    if (f->temporary != NULL) {
        unlink(f->temporary);
        free(f->temporary);
    }
    ZSTD_freeCStream(f->compress);
    ZSTD_freeDStream(f->expand);
    free(f->path);
    free(f);
}
