/* The guest's open files (snapshot_files.c) and its own /tmp (snapshot_tree.c) in snapshots. */
#ifndef MACHINE_LINUX_SNAPSHOT_H
#define MACHINE_LINUX_SNAPSHOT_H

#include "machine/linux/linux_internal.h"

/* Save or load the shares, open files, descriptors and the position of standard input, with the tree; and the tree
 * alone. */
void linux_files_transfer(linux_process *p, snapshot *s);
void linux_tree_transfer(linux_process *p, snapshot *s);
extern const snapshot_table linux_mount_state, linux_node_state, linux_name_state, linux_saved_file_state,
    linux_chunk_state, linux_descriptor_state;

#endif
