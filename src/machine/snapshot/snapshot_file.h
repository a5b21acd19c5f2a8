/* The file of a snapshot: a header and sections, each compressed, with its length and a checksum.
 *
 *   header   magic (16 bytes), format, revision, number of sections, 0, version of the program that wrote the
 *            file, checksum of all that
 *   section  name, bytes when expanded, bytes as stored, checksum of the stored bytes, checksum of this
 *            header; then the bytes: one zstd frame
 *
 * Numbers are little-endian. No section is used before all checksums have been verified, so that a file that
 * was cut off, damaged, or is not a snapshot is reported as such. */
#ifndef MACHINE_SNAPSHOT_SNAPSHOT_FILE_H
#define MACHINE_SNAPSHOT_SNAPSHOT_FILE_H

#include "base/snapshot.h"

typedef struct snapshot_file snapshot_file;

/* Begins to write a file next to `path`; only snapshot_file_finish replaces `path` itself. After an error there is
 * nothing to close. */
p5_status snapshot_file_create(const char *path, snapshot_file **file, p5_error *error);
/* Opens a file for reading and checks that it is complete and has this format. After an error there is nothing to
 * close. */
p5_status snapshot_file_open(const char *path, snapshot_file **file, p5_error *error);
/* Begins the next section, which is written or read piece by piece through *s. When reading, the section must
 * have this name (fewer than 16 characters); s->status has the error if it has not. snapshot_file_end must follow in
 * any case. */
void snapshot_file_begin(snapshot_file *f, const char *name, snapshot *s, p5_error *error);
/* Ends the section and returns s->status; P5_ERR_FORMAT if a part of the section was not read. */
p5_status snapshot_file_end(snapshot_file *f, snapshot *s);
/* Closes a file that was opened, or abandons one that was begun. NULL is allowed. */
void snapshot_file_close(snapshot_file *f);
/* Moves a file that was begun to its path and closes it, or reports the first failure. Always closes the file. */
p5_status snapshot_file_finish(snapshot_file *f, p5_error *error);

#endif
