/* A machine's state in memory, and machines that are made of it: to look at the past of one that goes on. */
#ifndef MACHINE_SNAPSHOT_COPY_H
#define MACHINE_SNAPSHOT_COPY_H

#include "base/snapshot.h"
#include "p5scope/machine.h"

/* All of the state, in either direction, without what a file has around it (machine_snapshot.c). */
void machine_transfer(p5_machine *m, snapshot *s);

typedef struct machine_copy {
    uint64_t instructions; /* completed then */
    uint64_t input;        /* bytes that the guest had read */
    uint8_t *bytes;
    size_t size, capacity;
} machine_copy;

/* Between runs, with a guest that has not ended. */
p5_status machine_copy_take(p5_machine *machine, machine_copy *copy, p5_error *error);
/* A machine in that state, of the same model, memory and directories as `like`, from which it came. What it
 * writes to the standard streams and to the console goes nowhere. */
p5_status machine_copy_open(const machine_copy *copy, const p5_machine *like, p5_machine **machine,
                            p5_error *error);
void machine_copy_free(machine_copy *copy);
/* Bytes of input that the guest has had. */
uint64_t machine_input_taken(const p5_machine *machine);

#endif
