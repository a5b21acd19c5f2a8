/* Machine code from the caller's memory as a guest. It is loaded as a case: 32-bit code with flat segments, identity
 * paging and a 64 KB stack (load/case.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "machine/state.h"
#include "p5tool/core.h"
#include "p5tool/machine.h"

enum { CODE = 0x100000, DATA = 0x200000 }; /* default addresses */
enum { DEFAULT_SECONDS = 10 };             /* default time-out, in host time */

/* UD2 follows the code. It raises #UD at exit_address, which ends the run with P5_END_EXIT. */
static const uint8_t undefined[] = {0x0f, 0x0b};

/* Checks that the data do not overwrite the code or UD2. Both addresses and sizes are those of `image`. */
static p5_status check_apart(const p5_case_image *image, p5_error *error)
{
    const uint64_t text = image->text_address, text_end = text + image->text_size;
    const uint64_t data = image->data_address, data_end = data + image->data_size;
    if (image->data_size == 0 || data_end <= text || data >= text_end)
        return P5_OK;
    return error_set(error, P5_ERR_FORMAT,
                     "the data from %" PRIX64 "h on overlap the code from %" PRIX64
                     "h on, which ends at %" PRIX64 "h",
                     data, text, text_end);
}

/* Does the work of p5_machine_load_code. `options` is a copy in which no member of a later version is missing
 * (SIZED_COPY_IN). The size limit keeps the sums below from overflowing. */
static p5_status load(p5_machine *machine, const void *code, size_t size, const p5_code_options *options,
                      p5_error *error)
{
    if (code == NULL && size != 0)
        return error_set(error, P5_ERR_RANGE, "%zu bytes of code, but `code` is NULL", size);
    if (size > UINT32_MAX / 2)
        return error_set(error, P5_ERR_FORMAT, "%zu bytes of code do not fit into the memory", size);
    uint8_t *text = malloc(size + sizeof undefined);
    if (text == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the code");
    if (size != 0) /* otherwise `code` may be NULL */
        memcpy(text, code, size);
    memcpy(text + size, undefined, sizeof undefined);
    const uint32_t address = options->address != 0 ? options->address : CODE;
    const p5_case_image image = {.text = text,
                                 .text_size = size + sizeof undefined,
                                 .text_address = address,
                                 .data = options->data,
                                 .data_size = options->data != NULL ? options->data_size : 0,
                                 .data_address = options->data_address != 0 ? options->data_address : DATA,
                                 .entry = address,
                                 .exit_address = address + (uint32_t)size,
                                 .cpl = options->system ? 0 : 3,
                                 .cr4 = options->cr4};
    p5_status status = check_apart(&image, error);
    if (status == P5_OK)
        status = p5_machine_load_case(machine, &image, error);
    free(text);
    return status;
}

p5_status p5_machine_load_code(p5_machine *machine, const void *code, size_t size,
                               const p5_code_options *options, p5_error *error)
{
    p5_code_options own;
    p5_status status = SIZED_COPY_IN(p5_code_options, &own, options, error); /* NULL gives zeros */
    return status == P5_OK ? load(machine, code, size, &own, error) : status;
}

/* Runs the loaded code to its end and gets its counts. `seconds` is the time-out; 0: the default. */
static p5_status count(p5_machine *machine, double seconds, p5_counts *counts, p5_error *error)
{
    const p5_limits limits = {.size = sizeof limits,
                              .timeout_seconds = seconds != 0 ? seconds : DEFAULT_SECONDS};
    p5_run_result result = {.size = sizeof result};
    p5_status status = p5_machine_run(machine, &limits, &result, error);
    if (status != P5_OK)
        return status;
    if (result.end == P5_END_TIMEOUT)
        return error_set(error, P5_ERR_STATE, "the code has not ended after %g s", limits.timeout_seconds);
    if (result.end != P5_END_EXIT)
        return error_set(error, P5_ERR_STATE, "the code stopped before its end, at 0x%08" PRIx32 ": %s",
                         result.address,
                         result.end == P5_END_HALT   ? "HLT, and no interrupt can follow"
                         : result.message[0] != '\0' ? result.message
                                                     : result.instruction);
    p5_machine_counts(machine, counts);
    return P5_OK;
}

p5_status p5_count_code(const void *code, size_t size, const p5_code_options *options, p5_counts **counts,
                        p5_error *error)
{
    *counts = NULL;
    p5_code_options own;
    p5_machine *machine = NULL;
    p5_status status = SIZED_COPY_IN(p5_code_options, &own, options, error);
    if (status == P5_OK) {
        const p5_machine_options with = {.size = sizeof with, .model = own.model};
        status = p5_machine_open(&with, &machine, error);
    }
    if (status == P5_OK)
        status = load(machine, code, size, &own, error);
    if (status == P5_OK) {
        *counts = p5_counts_new();
        status = *counts != NULL ? count(machine, own.timeout_seconds, *counts, error)
                                 : error_set(error, P5_ERR_MEMORY, "no memory for the counts");
    }
    p5_machine_close(machine);
    if (status != P5_OK) {
        p5_counts_free(*counts);
        *counts = NULL;
    }
    return status;
}
