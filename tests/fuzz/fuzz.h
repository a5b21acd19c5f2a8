/* What the fuzzers share: the entry that libFuzzer calls, reading of the input, laws that end the program. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#endif
