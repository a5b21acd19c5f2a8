/* What the fuzzers share: the entry that libFuzzer or driver.c calls, reading of the input, laws that end the
 * program, and files. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer's or the driver's: changes an input of `size` bytes in a room of `most`; answers its new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/* A fuzzer may have its own, which is used then. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));

/* Exit status of a process that the sanitizers have ended. */
enum { FUZZ_SANITIZER_STATUS = 99 };

/* What the driver adds up over all inputs. */
typedef struct fuzz_figures {
    uint64_t instructions;
    double past_limit; /* seconds, the most by which a run outlasted its limit */
} fuzz_figures;
extern fuzz_figures fuzz_figures_now; /* of this process: fuzz.c */

/* A law that must hold for every input; ends the program with the place if it does not. */
#define LAW(condition)                                                                                       \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: law broken: %s\n", __FILE__, __LINE__, #condition);                      \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The input, taken from the front; 0 when it has run out. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

static inline uint32_t fuzz_word(fuzz_input *input)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 8 | fuzz_byte(input);
    return value;
}

/* The first `size` bytes of the input, or what there is of them, as an input of their own. */
static inline fuzz_input fuzz_part(fuzz_input *input, size_t size)
{
    fuzz_input part = {input->data, size < input->size ? size : input->size};
    input->data += part.size;
    input->size -= part.size;
    return part;
}

/* Damages `bytes` as what is left of the input says: other numbers in some places, mostly in front. */
void fuzz_patch(uint8_t *bytes, size_t size, fuzz_input *input);

/* A pseudo-random number (xorshift64); the state is not 0. */
static inline uint64_t fuzz_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* p5_machine_options.stuck: a run does not end when it should, measured in processor time. */
void fuzz_stuck(void *context);

/* A folder for files, which is removed with what is in it when the process ends that asked for it first. */
const char *fuzz_folder(void);
/* A file of that folder that holds `data`, and its path; there is one of each name. */
typedef struct fuzz_file {
    char path[64];
} fuzz_file;
fuzz_file fuzz_file_make(const char *name, const void *data, size_t size);

#endif
