#include "report/trace/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/aside.h"
#include "base/error.h"
#include "p5scope/report.h"
#include "base/host_time.h"
#include "base/held_signals.h"
#include "base/text.h"
#include "report/json_writer.h"

enum {
    PIECE_BYTES = 256 * 1024,
    MOST_PIECES = 8,
    COMPRESSED_PIECE_BYTES = 1024 * 1024, /* a frame knows nothing of the one before */
    COMPRESSION_LEVEL = 3,
    SECONDS = 1
};

/* Text on its way into the file. */
typedef struct piece {
    ARRAY_OF(char) text;
    size_t size; /* of its whole records */
} piece;

/* `failure`, if it is not an errno. */
enum { GOOD = 0, NO_MEMORY = -1 };

struct trace_file {
    const char *path; /* the caller's */
    /* Of who makes the records. */
    piece pieces[MOST_PIECES];
    aside *aside;       /* pieces that are complete, by number */
    piece *last;        /* the one that is not */
    size_t records_end; /* of the last whole record in it */
    int64_t flushed;    /* when it was begun */
    /* Of who writes them. */
    int descriptor;
    bool regular;
    off_t written; /* whole records */
    ZSTD_CCtx *compressor;
    char *packed;
    size_t packed_room;
    atomic_int failure; /* the first */
};

static void fail(trace_file *file, int failure)
{
    int good = GOOD;
    atomic_compare_exchange_strong(&file->failure, &good, failure);
}

bool trace_file_failed(const trace_file *file)
{
    return atomic_load_explicit(&file->failure, memory_order_relaxed) != GOOD;
}

static p5_status report(const trace_file *file, p5_error *error)
{
    int failure = atomic_load(&file->failure);
    if (failure == NO_MEMORY)
        return error_set(error, P5_ERR_MEMORY, "no memory for the trace");
    return error_set(error, P5_ERR_IO, "cannot write %s: %s", file->path, p5_output_reason(failure));
}

static void write_slot(void *file, unsigned slot);

p5_status trace_file_open(const char *path, bool compressed, bool put_aside, trace_file **out,
                          p5_error *error)
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
        file->packed_room = ZSTD_compressBound(2 * COMPRESSED_PIECE_BYTES);
        file->packed = malloc(file->packed_room);
        if (file->compressor == NULL || file->packed == NULL)
            fail(file, NO_MEMORY);
        else
            ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_checksumFlag, 1);
        if (file->compressor != NULL)
            ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    }
    file->aside = aside_open(put_aside && !compressed ? MOST_PIECES : 1, write_slot, file);
    if (file->aside == NULL)
        fail(file, NO_MEMORY);
    file->last = &file->pieces[0];
    file->flushed = host_now_whole();
    if (!trace_file_failed(file)) {
        *out = file;
        return P5_OK;
    }
    p5_status status = report(file, error);
    trace_file_close(file, NULL);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The bytes of `data` that stand for whole records when only `done` of them could be written. */
static size_t whole_records(const trace_file *file, const char *data, size_t done)
{
    if (file->compressor != NULL)
        return 0;
    while (done > 0 && data[done - 1] != '\n')
        done--;
    return done;
}

static void write_piece(trace_file *file, const char *data, size_t size)
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
    if (done < size) { /* half a record would be worse than none */
        file->written += (off_t)whole_records(file, data, done);
        if (file->regular && ftruncate(file->descriptor, file->written) != 0)
            fail(file, errno);
        return;
    }
    file->written += (off_t)size;
}

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
    if (ZSTD_isError(packed))
        fail(file, NO_MEMORY);
    else
        write_piece(file, file->packed, packed);
}

static void write_slot(void *context, unsigned slot)
{
    trace_file *file = context;
    const piece *whole = &file->pieces[slot];
    held_signals q;
    if (trace_file_failed(file))
        return;
    signals_hold(&q, true);
    if (file->compressor != NULL)
        write_frame(file, whole->text.items, whole->size);
    else
        write_piece(file, whole->text.items, whole->size);
    signals_release(&q, trace_file_failed(file));
}

bool trace_file_some(trace_file *file)
{
    return aside_some(file->aside);
}

/* The whole records become a piece; the beginning of the next one goes into another. */
static void end_piece(trace_file *file)
{
    piece *full = file->last;
    size_t size = file->records_end, rest = full->text.count - size;
    file->flushed = host_now_whole();
    if (size == 0 || trace_file_failed(file))
        return;
    full->size = size;
    aside_put(file->aside);
    piece *next = &file->pieces[aside_slot(file->aside)];
    file->last = next;
    file->records_end = 0;
    next->text.count = 0;
    if (rest == 0)
        return;
    if (!array_reserve(&next->text.items, &next->text.capacity, rest, 1)) {
        fail(file, NO_MEMORY);
        return;
    }
    memmove(next->text.items, full->text.items + size, rest); /* which may be the same */
    next->text.count = rest;
}

/* ---- records ------------------------------------------------------------------------------------------- */

char *trace_room(trace_file *file, size_t size)
{
    piece *last = file->last;
    if (trace_file_failed(file))
        return NULL;
    if (last->text.count + size > last->text.capacity &&
        !array_reserve(&last->text.items, &last->text.capacity, last->text.count + size, 1)) {
        fail(file, NO_MEMORY);
        return NULL;
    }
    return last->text.items + last->text.count;
}

void trace_wrote(trace_file *file, const char *end)
{
    file->last->text.count = (size_t)(end - file->last->text.items);
}

void trace_put_bytes(trace_file *file, const char *bytes, size_t size)
{
    char *to = trace_room(file, size);
    if (to == NULL || size == 0)
        return;
    memcpy(to, bytes, size);
    file->last->text.count += size;
}

void trace_put(trace_file *file, const char *text)
{
    trace_put_bytes(file, text, strlen(text));
}

void trace_put_char(trace_file *file, char c)
{
    trace_put_bytes(file, &c, 1);
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
        file->last->text.count += (size_t)length;
    }
    va_end(arguments);
}

void trace_put_json(trace_file *file, const char *text)
{
    char *quoted = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&quoted, &size);
    if (stream == NULL) {
        fail(file, NO_MEMORY);
        return;
    }
    json_writer json;
    json_init(&json, stream);
    json_string(&json, text);
    if (fclose(stream) == 0)
        trace_put_bytes(file, quoted, size);
    else
        fail(file, NO_MEMORY);
    free(quoted);
}

void trace_end_record(trace_file *file)
{
    file->records_end = file->last->text.count;
    size_t enough = file->compressor != NULL ? COMPRESSED_PIECE_BYTES : PIECE_BYTES;
    bool late = host_now_whole() - file->flushed >= SECONDS;
    if (file->records_end >= enough || late)
        end_piece(file);
    if (late)
        aside_finish(file->aside);
}

p5_status trace_file_close(trace_file *file, p5_error *error)
{
    if (file == NULL)
        return P5_OK;
    if (file->aside != NULL) {
        end_piece(file);
        aside_finish(file->aside);
    }
    if (file->descriptor >= 0 && close(file->descriptor) != 0)
        fail(file, errno);
    p5_status status = trace_file_failed(file) ? report(file, error) : P5_OK;
    aside_close(file->aside);
    ZSTD_freeCCtx(file->compressor);
    free(file->packed);
    for (unsigned i = 0; i < MOST_PIECES; i++)
        free(file->pieces[i].text.items);
    free(file);
    return status;
}
