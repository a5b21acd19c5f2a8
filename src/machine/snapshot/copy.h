/* Copies of a machine's state in memory, and machines made from them. They show the past of a machine that
 * continues to run. */
#ifndef MACHINE_SNAPSHOT_COPY_H
#define MACHINE_SNAPSHOT_COPY_H

#include "base/snapshot.h"
#include "p5scope/machine.h"

/* Saves or loads the whole state, without the headers of a file (machine_snapshot.c). */
void machine_transfer(p5_machine *m, snapshot *s);

typedef struct machine_copy {
    uint64_t instructions; /* completed when the copy was made */
    uint64_t input;        /* bytes of input that the guest had read by then */
    uint8_t *bytes;
    size_t size, capacity; /* of `bytes` */
} machine_copy;

/* Copies the state. Must be called between runs, while the guest has not ended. */
p5_status machine_copy_take(p5_machine *machine, machine_copy *copy, p5_error *error);
/* Opens a machine in that state, with the model, memory size and directories of `like`, from which the copy came.
 * Its output to the standard streams and to the console is discarded. *machine is NULL after an error. */
p5_status machine_copy_open(const machine_copy *copy, const p5_machine *like, p5_machine **machine,
                            p5_error *error);
void machine_copy_free(machine_copy *copy);
/* Returns how many bytes of the host's input the guest has read. */
uint64_t machine_input_taken(const p5_machine *machine);

#endif
