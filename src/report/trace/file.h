/* The file of a trace: whole records, plain or compressed, so that what stands there can be read at any time,
 * also if the run is killed or the disk is full.
 *
 * A record ends with a newline. Records are gathered and written together, at the latest a second later.
 * Compressed, each such piece is a zstd frame of its own. */
#ifndef REPORT_TRACE_FILE_H
#define REPORT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

typedef struct trace_file trace_file;

/* `path` "-" is standard output. Overwrites. */
p5_status trace_file_open(const char *path, bool compressed, trace_file **file, p5_error *error);
/* Parts of a record. After an error they do nothing. */
void trace_put(trace_file *file, const char *text);
void trace_put_bytes(trace_file *file, const char *bytes, size_t size);
void trace_put_char(trace_file *file, char c);
void trace_put_unsigned(trace_file *file, uint64_t value);
void trace_put_format(trace_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A member of an object that has others in front of it: ,"KEY":VALUE */
void trace_put_member(trace_file *file, const char *key, uint64_t value);
/* Room for a part of a record of up to `size` bytes, which is written there and then told by trace_wrote;
 * NULL after an error. */
char *trace_room(trace_file *file, size_t size);
void trace_wrote(trace_file *file, const char *end);
/* The text as a JSON string, with its quotes. */
void trace_put_json(trace_file *file, const char *text);
/* The record is complete: its last byte was a newline. */
void trace_end_record(trace_file *file);
bool trace_file_failed(const trace_file *file);
/* Writes what is left; the first error of all. */
p5_status trace_file_close(trace_file *file, p5_error *error);

#endif
