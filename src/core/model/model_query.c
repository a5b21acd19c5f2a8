/* What a model says about itself, also as rows for snapshots, and setting its clock. p5scope/model.h and model.h describe
 * the functions. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/model/model.h"

const char *p5_model_name(const p5_model *model)
{
    return model->name;
}

unsigned p5_model_family(const p5_model *model)
{
    return model->family;
}

unsigned p5_model_monitor(const p5_model *model)
{
    static const unsigned monitors[] = {/* MONITOR_P5: 0 */
                                        [MONITOR_P6] = P5_MONITOR_P6,
                                        [MONITOR_ARCH3] = P5_MONITOR_ARCH3};
    return monitors[model->monitor];
}

unsigned p5_model_counter_bits(const p5_model *model)
{
    return model->counter_bits;
}

double p5_model_clock_mhz(const p5_model *model)
{
    return model->clock_mhz;
}

p5_status p5_model_set_clock(p5_model *model, double mhz, p5_error *error)
{
    if (!(mhz >= 1 && mhz <= 1000))
        return error_set(error, P5_ERR_RANGE, "a clock of %g MHz: expected 1 to 1000", mhz);
    model->clock_mhz = mhz;
    return P5_OK;
}

uint32_t p5_model_signature(const p5_model *model)
{
    return model->signature;
}

void p5_model_fields(const p5_model *model,
                     void (*visit)(void *context, const char *section, const char *key, const char *value,
                                   const char *meaning),
                     void *context)
{
    char text[MODEL_VALUE];
    for (unsigned i = 0; i < model_field_count; i++) {
        model_value_text(model, &model_fields[i], text, sizeof text);
        visit(context, model_fields[i].section, model_fields[i].key, text, model_fields[i].meaning);
    }
}

model_row *model_to_rows(const p5_model *model, size_t *count)
{
    model_row *rows = calloc(model_field_count, sizeof *rows);
    *count = rows != NULL ? model_field_count : 0;
    for (unsigned i = 0; rows != NULL && i < model_field_count; i++) {
        const model_field *field = &model_fields[i];
        snprintf(rows[i].key, sizeof rows[i].key, "%s.%s", field->section, field->key);
        model_value_text(model, field, rows[i].value, sizeof rows[i].value);
    }
    return rows;
}

const char *const *p5_model_names(void)
{
    return model_files_names;
}
