/* Takes a snapshot file apart and puts it together again with right checksums, for tests that change it
 * (p5scope-snapshot(5)). */
#ifndef TEST_SNAPSHOT_SECTIONS_H
#define TEST_SNAPSHOT_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Bytes of the file's header and of a section's header; number of sections. */
enum { SNAPSHOT_HEADER = 72, SNAPSHOT_SECTION = 48, SNAPSHOT_SECTIONS = 6 };

typedef struct snapshot_section {
    unsigned char header[SNAPSHOT_SECTION];
    unsigned char *bytes; /* the contents */
    size_t size;
    unsigned char *stored; /* the contents as a zstd frame; NULL: snapshot_sections_write makes it */
    size_t stored_size;
} snapshot_section;

typedef struct snapshot_sections {
    unsigned char header[SNAPSHOT_HEADER];
    snapshot_section section[SNAPSHOT_SECTIONS];
} snapshot_sections;

/* Returns the checksum of the format (64-bit FNV-1a). */
static inline uint64_t snapshot_sum(const unsigned char *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static inline void snapshot_sections_fail(const char *path)
{
    fprintf(stderr, "%s: no snapshot\n", path);
    abort();
}

static inline void snapshot_sections_read(const char *path, snapshot_sections *s)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL || fread(s->header, 1, SNAPSHOT_HEADER, in) != SNAPSHOT_HEADER)
        snapshot_sections_fail(path);
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        snapshot_section *one = &s->section[i];
        uint64_t sizes[2];
        if (fread(one->header, 1, SNAPSHOT_SECTION, in) != SNAPSHOT_SECTION)
            snapshot_sections_fail(path);
        memcpy(sizes, one->header + 16, sizeof sizes);
        one->size = (size_t)sizes[0];
        one->stored_size = (size_t)sizes[1];
        one->bytes = malloc(one->size + 1);
        one->stored = malloc(one->stored_size + 1);
        if (one->bytes == NULL || one->stored == NULL ||
            fread(one->stored, 1, one->stored_size, in) != one->stored_size ||
            ZSTD_decompress(one->bytes, one->size, one->stored, one->stored_size) != one->size)
            snapshot_sections_fail(path);
    }
    fclose(in);
}

/* Records that the section's contents have changed. */
static inline void snapshot_section_changed(snapshot_section *one)
{
    free(one->stored);
    one->stored = NULL;
}

static inline void snapshot_section_store(snapshot_section *one)
{
    size_t room = ZSTD_compressBound(one->size);
    one->stored = malloc(room);
    if (one->stored == NULL)
        abort();
    one->stored_size = ZSTD_compress(one->stored, room, one->bytes, one->size, 1);
    if (ZSTD_isError(one->stored_size))
        abort();
}

static inline void snapshot_sections_write(const char *path, snapshot_sections *s)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(s->header, 1, SNAPSHOT_HEADER, out) != SNAPSHOT_HEADER)
        abort();
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        snapshot_section *one = &s->section[i];
        if (one->stored == NULL)
            snapshot_section_store(one);
        uint64_t sums[3] = {one->size, one->stored_size, snapshot_sum(one->stored, one->stored_size)};
        memcpy(one->header + 16, sums, sizeof sums);
        uint64_t sum = snapshot_sum(one->header, 40);
        memcpy(one->header + 40, &sum, sizeof sum);
        if (fwrite(one->header, 1, SNAPSHOT_SECTION, out) != SNAPSHOT_SECTION ||
            fwrite(one->stored, 1, one->stored_size, out) != one->stored_size)
            abort();
    }
    if (fclose(out) != 0)
        abort();
}

static inline void snapshot_sections_free(snapshot_sections *s)
{
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        free(s->section[i].bytes);
        free(s->section[i].stored);
    }
}

#endif
