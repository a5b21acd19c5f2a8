/* The file of a snapshot: a header and sections, each compressed, with its length and a checksum.
 *
 *   header    magic (16 bytes), format, revision, number of sections, 0, version of the program that wrote
 * it, checksum of all that section   name, bytes when expanded, bytes as stored, checksum of the stored
 * bytes, checksum of this header; then the bytes: one zstd frame
 *
 * Numbers are little-endian. Nothing of a file is used before its checksum is right, so that files that were
 * cut off, damaged, or are something else are told for what they are. */
#ifndef MACHINE_SNAPSHOT_SNAPSHOT_FILE_H
#define MACHINE_SNAPSHOT_SNAPSHOT_FILE_H

#include "base/snapshot.h"

typedef struct snapshot_file snapshot_file;

/* Begins a file next to `path`; `path` itself is only replaced by snapshot_file_finish. */
p5_status snapshot_file_create(const char *path, snapshot_file **file, p5_error *error);
/* Opens a file, looks whether it is whole and of this format. */
p5_status snapshot_file_open(const char *path, snapshot_file **file, p5_error *error);
/* The next section, to be written or read piece by piece through *s; reading, it must have this name (fewer
 * than 16 characters). snapshot_file_end must follow, whatever happened. */
void snapshot_file_begin(snapshot_file *f, const char *name, snapshot *s, p5_error *error);
/* Answers s->status; P5_ERR_FORMAT too if something of the section is left. */
p5_status snapshot_file_end(snapshot_file *f, snapshot *s);
/* Closes a file that was opened, or gives up one that was begun. NULL is none. */
void snapshot_file_close(snapshot_file *f);
/* Puts a file that was begun into its place and closes it, whatever happened. */
p5_status snapshot_file_finish(snapshot_file *f, p5_error *error);

#endif
