/* Running a case on a machine fresh from reset. */
#include "p5scope/report.h"

#include "base/error.h"

/* A guest of a case has no business with text output. */
static void no_console(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

static p5_status run_to_exit(p5_machine *machine, const p5_case_conditions *conditions, p5_error *error)
{
    p5_limits limits = {.timeout_seconds = conditions->timeout_seconds};
    p5_run_result result;
    p5_status status = p5_machine_run(machine, &limits, &result, error);
    if (status != P5_OK)
        return status;
    if (result.end == P5_END_EXIT)
        return P5_OK;
    if (result.end == P5_END_TIMEOUT)
        return error_set(error, P5_ERR_STATE, "did not end within %g seconds", conditions->timeout_seconds);
    const char *reason = result.message[0] != '\0'       ? result.message
                         : result.end == P5_END_HALT     ? "the processor halted for good"
                         : result.end == P5_END_SHUTDOWN ? "the processor shut down"
                                                         : "the run was stopped";
    return error_set(error, P5_ERR_STATE, "did not run off its end: %s at %08Xh%s%s", reason, result.address,
                     result.instruction[0] != '\0' ? " " : "", result.instruction);
}

static const p5_privilege highest = {.mode = P5_MODE_PROTECTED};

/* Programs the monitor as the case says. */
static p5_status write_registers(p5_machine *machine, const p5_case_conditions *conditions, p5_error *error)
{
    for (size_t i = 0; i < conditions->register_count; i++) {
        const p5_case_register *r = &conditions->registers[i];
        uint64_t value;
        if (p5_pmu_rdmsr(p5_machine_pmu(machine), &highest, r->msr, &value) != P5_NO_FAULT)
            return error_set(error, P5_ERR_STATE, "%s (%Xh): %s does not have this register", r->name, r->msr,
                             conditions->model);
        if (r->written && p5_pmu_wrmsr(p5_machine_pmu(machine), &highest, r->msr, r->value) != P5_NO_FAULT)
            return error_set(error, P5_ERR_STATE, "%s (%Xh): WRMSR of %llXh faults on %s", r->name, r->msr,
                             (unsigned long long)r->value, conditions->model);
    }
    return P5_OK;
}

static void read_registers(p5_machine *machine, const p5_case_conditions *conditions, uint64_t *values)
{
    for (size_t i = 0; i < conditions->register_count; i++)
        p5_pmu_rdmsr(p5_machine_pmu(machine), &highest, conditions->registers[i].msr, &values[i]);
}

p5_status p5_case_run(const p5_case_program *program, const p5_case_conditions *conditions,
                      void (*observe)(void *context, p5_machine *machine), void *context, p5_counts *counts,
                      uint64_t *registers, p5_error *error)
{
    p5_machine_options options = {
        .size = sizeof options, .model = conditions->model, .memory_bytes = 32U << 20, .console = no_console};
    p5_machine *machine;
    p5_status status = p5_machine_open(&options, &machine, error);
    if (status != P5_OK)
        return status;
    p5_case_image image;
    p5_case_program_image(program, &image);
    image.cpl = (uint8_t)conditions->cpl;
    image.cr4 = conditions->cr4;
    status = p5_machine_load_case(machine, &image, error);
    if (status == P5_OK)
        status = write_registers(machine, conditions, error);
    if (status == P5_OK && observe != NULL)
        observe(context, machine);
    if (status == P5_OK)
        status = run_to_exit(machine, conditions, error);
    if (status == P5_OK) {
        p5_machine_settle(machine);
        p5_machine_counts(machine, counts);
        if (registers != NULL)
            read_registers(machine, conditions, registers);
    }
    p5_machine_close(machine);
    return status;
}
