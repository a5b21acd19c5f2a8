/* The file of a trace. It always consists of whole records, plain or compressed, so that it can be read at
 * any time, even if the run is killed or the disk is full.
 *
 * A record is one or more lines; it ends with a newline. Records are collected and written together: when they are
 * many, or when a record ends a second or more after the last write. In a compressed file each write is a zstd frame
 * of its own. */
#ifndef REPORT_TRACE_FILE_H
#define REPORT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

typedef struct trace_file trace_file;

/* Opens and empties the file; `path` "-" is standard output. `path` must live as long as the file. */
p5_status trace_file_open(const char *path, bool compressed, trace_file **file, p5_error *error);
/* The functions trace_put... append parts of a record. After an error they do nothing; trace_file_close returns the
 * error. */
void trace_put(trace_file *file, const char *text);
void trace_put_bytes(trace_file *file, const char *bytes, size_t size);
void trace_put_char(trace_file *file, char c);
/* Appends `text` with a blank in place of each character that is in `unwanted`. */
void trace_put_without(trace_file *file, const char *text, const char *unwanted);
void trace_put_unsigned(trace_file *file, uint64_t value);
void trace_put_format(trace_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a member to an object that is not empty: ,"KEY":VALUE */
void trace_put_member(trace_file *file, const char *key, uint64_t value);
/* Reserves `size` bytes for a part of a record. The caller writes there and passes the end of what it wrote
 * to trace_wrote. Returns NULL after an error. */
char *trace_room(trace_file *file, size_t size);
void trace_wrote(trace_file *file, const char *end);
/* Appends the text as a quoted JSON string. */
void trace_put_json(trace_file *file, const char *text);
/* Ends the record, whose last byte was a newline. Writes the collected records if they are many or a second old. */
void trace_end_record(trace_file *file);
/* Returns true after an error. */
bool trace_file_failed(const trace_file *file);
/* Returns the first error since the file was opened, and sets *error to it; P5_OK: there was none. */
p5_status trace_file_error(const trace_file *file, p5_error *error);
/* Writes the collected records and frees the file. NULL is allowed. Returns the first error since it was opened. */
p5_status trace_file_close(trace_file *file, p5_error *error);

#endif
