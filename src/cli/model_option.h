/* The option that names a model. */
#ifndef CLI_MODEL_OPTION_H
#define CLI_MODEL_OPTION_H

#include "p5scope/model.h"

/* Opens the model `name`, a built-in one or a file, which `option` was given. NULL after a message. */
p5_model *model_option_open(const char *option, const char *name);

#endif
