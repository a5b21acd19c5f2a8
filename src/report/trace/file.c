#include "report/trace/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/error.h"
#include "p5tool/report.h"
#include "base/host_time.h"
#include "base/held_signals.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "report/json_writer.h"

/* Records are written when so many bytes have been collected, or so many seconds after the last write. */
enum {
    WRITE_BYTES = 256 * 1024,
    FRAME_BYTES = 1024 * 1024, /* compressed files; large, because frames are compressed independently */
    WRITE_SECONDS = 1,
    COMPRESSION_LEVEL = 3 /* of zstd */
};

/* Values of trace_file.failure that are not an errno. */
enum { GOOD = 0, NO_MEMORY = -1 };

struct trace_file {
    const char *path;      /* owned by the caller */
    ARRAY_OF(char) text;   /* not written yet */
    size_t records_end;    /* end of the last whole record in `text` */
    int64_t flushed;       /* host time of the last write, in whole seconds; 0: none yet */
    int descriptor;        /* -1 or less: not open */
    bool regular;          /* a regular file, which can be cut after an error */
    off_t written;         /* bytes on disk, all of whole records */
    ZSTD_CCtx *compressor; /* NULL: not compressed */
    char *packed;          /* the last frame: `text` compressed */
    size_t packed_room;    /* bytes allocated for it */
    int failure;           /* the first one: an errno, NO_MEMORY, or GOOD */
};

/* Stores the first failure. */
static void fail(trace_file *file, int failure)
{
    if (file->failure == GOOD)
        file->failure = failure;
}

bool trace_file_failed(const trace_file *file)
{
    return file->failure != GOOD;
}

p5_status trace_file_error(const trace_file *file, p5_error *error)
{
    if (file->failure == GOOD)
        return P5_OK;
    if (file->failure == NO_MEMORY)
        return error_set(error, P5_ERR_MEMORY, "no memory for the trace");
    return error_set(error, P5_ERR_IO, "cannot write %s: %s", file->path, p5_output_reason(file->failure));
}

p5_status trace_file_open(const char *path, bool compressed, trace_file **out, p5_error *error)
{
    *out = NULL;
    trace_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the trace");
    file->path = path;
    bool standard = strcmp(path, "-") == 0;
    file->descriptor = standard ? dup(STDOUT_FILENO) : p5_output_open(path, P5_OUTPUT_EMPTY, NULL);
    if (file->descriptor < 0)
        fail(file, standard ? errno : -file->descriptor);
    struct stat about;
    file->regular =
        !standard && file->descriptor >= 0 && fstat(file->descriptor, &about) == 0 && S_ISREG(about.st_mode);
    if (compressed) {
        file->compressor = ZSTD_createCCtx();
        if (file->compressor == NULL) {
            fail(file, NO_MEMORY);
        } else {
            ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_checksumFlag, 1);
            ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
        }
    }
    if (!trace_file_failed(file)) {
        *out = file;
        return P5_OK;
    }
    p5_status status = trace_file_error(file, error);
    trace_file_close(file, NULL);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Returns how many of the `done` bytes of `data` that were written are whole records. A frame that was cut off has
 * none. */
static size_t whole_records(const trace_file *file, const char *data, size_t done)
{
    if (file->compressor != NULL)
        return 0;
    while (done > 0 && data[done - 1] != '\n')
        done--;
    return done;
}

/* Writes all of `data`, which is whole records or a frame. If that fails, cuts a half record off the file. */
static void write_all(trace_file *file, const char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t part = write(file->descriptor, data + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0) {
            fail(file, errno);
            break;
        }
        done += (size_t)part;
    }
    if (done < size) {
        file->written += (off_t)whole_records(file, data, done);
        if (file->regular && ftruncate(file->descriptor, file->written) != 0)
            fail(file, errno);
        return;
    }
    file->written += (off_t)size;
}

/* Compresses `data` and writes it as a zstd frame. */
static void write_frame(trace_file *file, const char *data, size_t size)
{
    size_t bound = ZSTD_compressBound(size);
    if (bound > file->packed_room) {
        char *larger = realloc(file->packed, bound);
        if (larger == NULL) {
            fail(file, NO_MEMORY);
            return;
        }
        file->packed = larger;
        file->packed_room = bound;
    }
    size_t packed = ZSTD_compress2(file->compressor, file->packed, file->packed_room, data, size);
    if (ZSTD_isError(packed)) /* with a frame that fits and valid parameters, only memory can be missing */
        fail(file, NO_MEMORY);
    else
        write_all(file, file->packed, packed);
}

/* Writes all whole records. Signals (SIGPIPE, SIGXFSZ) are held, so that a write fails but does not end the program. */
static void flush(trace_file *file)
{
    size_t size = file->records_end, rest = file->text.count - size;
    file->flushed = host_now_whole();
    if (size == 0 || trace_file_failed(file))
        return;
    held_signals held;
    signals_hold(&held, true);
    if (file->compressor != NULL)
        write_frame(file, file->text.items, size);
    else
        write_all(file, file->text.items, size);
    signals_release(&held, trace_file_failed(file));
    memmove(file->text.items, file->text.items + size, rest);
    file->text.count = rest;
    file->records_end = 0;
}

/* ---- records ------------------------------------------------------------------------------------------- */

char *trace_room(trace_file *file, size_t size)
{
    if (trace_file_failed(file))
        return NULL;
    if (file->text.count + size > file->text.capacity &&
        !array_reserve(&file->text.items, &file->text.capacity, file->text.count + size, 1)) {
        fail(file, NO_MEMORY);
        return NULL;
    }
    return file->text.items + file->text.count;
}

void trace_wrote(trace_file *file, const char *end)
{
    file->text.count = (size_t)(end - file->text.items);
}

void trace_put_bytes(trace_file *file, const char *bytes, size_t size)
{
    char *to = trace_room(file, size);
    if (to == NULL || size == 0)
        return;
    memcpy(to, bytes, size);
    file->text.count += size;
}

void trace_put(trace_file *file, const char *text)
{
    trace_put_bytes(file, text, strlen(text));
}

void trace_put_char(trace_file *file, char c)
{
    trace_put_bytes(file, &c, 1);
}

void trace_put_without(trace_file *file, const char *text, const char *unwanted)
{
    for (; *text != '\0'; text++)
        trace_put_char(file, strchr(unwanted, *text) != NULL ? ' ' : *text);
}

void trace_put_unsigned(trace_file *file, uint64_t value)
{
    char *to = trace_room(file, TEXT_UNSIGNED_BYTES);
    if (to != NULL)
        trace_wrote(file, text_put_unsigned(to, value));
}

void trace_put_member(trace_file *file, const char *key, uint64_t value)
{
    trace_put(file, ",\"");
    trace_put(file, key);
    trace_put(file, "\":");
    trace_put_unsigned(file, value);
}

void trace_put_format(trace_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *to = length >= 0 ? trace_room(file, (size_t)length + 1) : NULL;
    if (to != NULL) {
        vsnprintf(to, (size_t)length + 1, format, arguments);
        file->text.count += (size_t)length;
    }
    va_end(arguments);
}

void trace_put_json(trace_file *file, const char *text)
{
    memory_text quoted;
    if (memory_text_open(&quoted)) {
        json_writer json;
        json_init(&json, quoted.out);
        json_string(&json, text);
    }
    if (memory_text_end(&quoted) != NULL)
        trace_put_bytes(file, quoted.text, quoted.size);
    else
        fail(file, NO_MEMORY);
    free(quoted.text);
}

void trace_end_record(trace_file *file)
{
    file->records_end = file->text.count;
    size_t enough = file->compressor != NULL ? FRAME_BYTES : WRITE_BYTES;
    if (file->records_end >= enough || host_now_whole() - file->flushed >= WRITE_SECONDS)
        flush(file);
}

p5_status trace_file_close(trace_file *file, p5_error *error)
{
    if (file == NULL)
        return P5_OK;
    flush(file);
    if (file->descriptor >= 0 && close(file->descriptor) != 0)
        fail(file, errno);
    p5_status status = trace_file_error(file, error);
    ZSTD_freeCCtx(file->compressor);
    free(file->packed);
    free(file->text.items);
    free(file);
    return status;
}
