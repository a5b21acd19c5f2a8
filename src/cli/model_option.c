#include "cli/model_option.h"

#include "cli/cli.h"

p5_model *model_option_open(const char *option, const char *name)
{
    p5_error error = {0};
    p5_model *model;
    if (p5_model_open(name, &model, &error) == P5_OK)
        return model;
    bool in_file = error.line != 0;
    if (!in_file)
        error.column = 1;
    cli_show_error(&error, option, in_file ? NULL : name, "Run 'p5scope list models' to see the models.");
    return NULL;
}
