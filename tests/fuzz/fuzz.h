/* What the fuzzers share: the entry points that libFuzzer or driver.c calls, reading of the input, laws that end the
 * program, and files. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs an input. Each fuzzer defines it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes an input of `size` bytes in an array of `most` bytes. Returns its new size. libFuzzer or driver.c defines
 * it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/* Does the same in a way that suits the fuzzer, which may define it. Its results depend on `seed`. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));

/* Exit status of a process that a sanitizer has ended. */
enum { FUZZ_SANITIZER_STATUS = 99 };

/* Figures of the inputs that a process has run, which the driver collects. */
typedef struct fuzz_figures {
    uint64_t instructions;
    double past_limit; /* most seconds by which a run has exceeded its time-out */
} fuzz_figures;
extern fuzz_figures fuzz_figures_now; /* of this process */

/* Ends the program with a message if the condition, which must be true for every input, is false. */
#define LAW(condition)                                                                                       \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: law broken: %s\n", __FILE__, __LINE__, #condition);                      \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The rest of the input. The following functions take its first bytes, or 0 in place of each missing one. */
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

/* Takes 32 bits, the highest byte first. */
static inline uint32_t fuzz_word(fuzz_input *input)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 8 | fuzz_byte(input);
    return value;
}

/* Takes the first `size` bytes of the input, or fewer if there are not so many, as an input of their own. */
static inline fuzz_input fuzz_part(fuzz_input *input, size_t size)
{
    fuzz_input part = {input->data, size < input->size ? size : input->size};
    input->data += part.size;
    input->size -= part.size;
    return part;
}

/* Changes numbers among `bytes`, mostly among the first 256, as the rest of the input says. */
void fuzz_patch(uint8_t *bytes, size_t size, fuzz_input *input);

/* Returns the next pseudo-random number (xorshift64). The state must not be 0. */
static inline uint64_t fuzz_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* p5_machine_options.stuck: ends the program, because a run that should end does not. */
void fuzz_stuck(void *context);
/* p5_machine_options.console: discards the text. */
void fuzz_discard(void *context, const void *text, size_t size);

/* Returns the path of a folder for files. It is removed with its files when the process ends that called this first. */
const char *fuzz_folder(void);
typedef struct fuzz_file {
    char path[64];
} fuzz_file;
/* Makes or replaces the file `name` of that folder. */
fuzz_file fuzz_file_make(const char *name, const void *data, size_t size);

#endif
