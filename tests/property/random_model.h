/* Random models: a built-in model with a random part of its keys changed to random values of their ranges, so that each
 * key has all its values, in combination with those of others. */
#ifndef PROPERTY_RANDOM_MODEL_H
#define PROPERTY_RANDOM_MODEL_H

#include <stdint.h>
#include <stdio.h>

#include "core/model/timing.h"
#include "p5scope/model.h"

/* Returns the model of `seed`. The caller closes it. */
p5_model *random_model(uint64_t seed);
/* Writes the model as a file. */
void random_model_print(FILE *out, const p5_model *model);

/* Returns the pipe's part of a random model of this family. */
timing random_timing(unsigned family, uint64_t seed);

#endif
