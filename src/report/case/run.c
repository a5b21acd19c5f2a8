/* Runs a case on a machine fresh from reset. A case is a program (p5_case_program) whose loop makes a given
 * number of trips; two runs with different trip counts measure the cost of a trip. */
#include "p5tool/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "isa/isa.h"
#include "isa/processor.h"
#include "machine/machine.h"
#include "p5scope/observe.h"
#include "report/case/state.h"
#include "report/case/workplace.h"

/* Discards text output, which is irrelevant to a case. */
static void no_console(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

/* Returns a set of general registers, with bit n for register n: those from which the instruction at
 * `address` computes the address of its operand, and unless `of_address` also those whose values it reads. 0
 * if it cannot be decoded. */
static unsigned used_registers(const p5_machine *machine, uint32_t address, bool of_address)
{
    uint8_t bytes[ISA_LONGEST];
    bool code32 = true;
    isa_insn insn = {0};
    isa_decoder *decoder = isa_decoder_open(ISA_P54C | ISA_P55C);
    const size_t size = p5_machine_read_code(machine, address, bytes, sizeof bytes, &code32);
    if (decoder != NULL && !isa_decode(decoder, bytes, size, address, code32, &insn))
        insn = (isa_insn){0};
    isa_decoder_close(decoder);
    return of_address ? insn.address_gpr : insn.address_gpr | insn.read_gpr;
}

/* Appends to the error's message the values of the registers that the faulting instruction uses. If an access
 * to memory has faulted, only the registers of its address matter. */
static void add_operands(const p5_machine *machine, const case_left *left, p5_error *error)
{
    const bool of_memory =
        left->fault.vector == VECTOR_PF || left->fault.vector == VECTOR_AC || left->fault.vector == VECTOR_SS;
    if (error == NULL || !left->fault.raised)
        return;
    const unsigned used = used_registers(machine, left->fault.address, of_memory);
    const char *before = " (";
    size_t length = strlen(error->message);
    for (unsigned i = 0; i < 8; i++)
        if (used >> i & 1) {
            snprintf(error->message + length, sizeof error->message - length, "%s%s = %08" PRIX32 "h", before,
                     isa_gpr_names[i], left->registers[i]);
            length = strlen(error->message);
            before = ", ";
        }
    if (used != 0)
        snprintf(error->message + length, sizeof error->message - length, ")");
}

/* Makes an error with a hint for a run that ended before its exit. */
static p5_status ended_early(const p5_case_program *program, const p5_case_conditions *conditions,
                             const p5_run_result *result, p5_error *error)
{
    const char *undefined = case_program_undefined(program, result->address);
    if (undefined != NULL) {
        error_set(error, P5_ERR_STATE, "'%s' is called, which is not in the file", undefined);
        error_hint(error, "only what is in the file can be measured; 'ld -r -m elf_i386' joins objects");
        return P5_ERR_STATE;
    }
    if (result->end == P5_END_TIMEOUT) {
        error_set(error, P5_ERR_STATE, "did not end within %g seconds: at %08Xh %s",
                  conditions->timeout_seconds, result->address, result->instruction);
        error_hint(error, "does it loop for ever? Fewer trips are --n 1,2 of bench, and #! n 1 2 in a case");
        return P5_ERR_STATE;
    }
    const char *reason = result->message[0] != '\0'       ? result->message
                         : result->end == P5_END_HALT     ? "the processor halted for good"
                         : result->end == P5_END_SHUTDOWN ? "the processor shut down"
                         : result->end == P5_END_CLOCKS   ? "it took more clocks than allowed"
                                                          : "the run was stopped";
    error_set(error, P5_ERR_STATE, "the code did not run off its end: %s, at %08Xh%s%s", reason,
              result->address, result->instruction[0] != '\0' ? " " : "", result->instruction);
    unsigned vector;
    const char *exception = strstr(reason, "(exception ");
    if (conditions->function != NULL && strncmp(reason, "invalid opcode", 14) == 0)
        error_hint(error, "compile for the processor: -march=pentium, or -march=pentium-mmx");
    else if (strncmp(result->instruction, "rdpmc", 5) == 0)
        error_hint(error, "RDPMC faults at CPL 3 while CR4.PCE is clear: --cpl 0 of bench, '#! cpl 0' or '#! "
                          "cr4 0x100' in a case");
    else if (conditions->function != NULL && strncmp(reason, "stack fault", 11) == 0)
        error_hint(error, "it has more arguments than --arg gives (%zu), or uses other memory of its caller",
                   conditions->function->argument_count);
    else if (exception != NULL && sscanf(exception, "(exception %u)", &vector) == 1)
        error_hint(error, "'p5scope explain %u' says what it is and how to avoid it", vector);
    return P5_ERR_STATE;
}

/* Runs the loaded case to its exit. Ending by an exception is an error unless the case expects one on this
 * model (`#! expect-fault`); p5_case_judge_states compares it later. */
static p5_status run_to_exit(p5_machine *machine, const p5_case_program *program,
                             const p5_case_conditions *conditions, p5_error *error)
{
    /* p5_limits.max_clocks ends a run that has reached it, but this many clocks are allowed. */
    const p5_limits limits = {.size = sizeof limits,
                              .max_clocks = conditions->max_clocks != 0 ? conditions->max_clocks + 1 : 0,
                              .timeout_seconds = conditions->timeout_seconds};
    p5_run_result result = {.size = sizeof result};
    p5_status status = p5_machine_run(machine, &limits, &result, error);
    if (status != P5_OK || result.end == P5_END_EXIT)
        return status;
    case_left left;
    machine_case_left(machine, &left);
    if (left.fault.raised && case_states_expect_fault(conditions))
        return P5_OK;
    status = ended_early(program, conditions, &result, error);
    if (result.instruction[0] != '\0' && result.end != P5_END_TIMEOUT)
        add_operands(machine, &left, error);
    return status;
}

/* CPL 0, which RDMSR and WRMSR need. */
static const p5_privilege highest = {.mode = P5_MODE_PROTECTED};

/* Programs the performance monitor with the values of the case. Checks that the model has the registers that
 * are only read afterwards, too. */
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

/* Reads the registers of the conditions into values[], in their order. */
static void read_registers(p5_machine *machine, const p5_case_conditions *conditions, uint64_t *values)
{
    for (size_t i = 0; i < conditions->register_count; i++)
        p5_pmu_rdmsr(p5_machine_pmu(machine), &highest, conditions->registers[i].msr, &values[i]);
}

/* A run's observer and its results. */
typedef struct case_run {
    const p5_case_observer *observer; /* NULL: none */
    p5_counts *counts;                /* all counts of the run */
    uint64_t *registers;              /* values of the conditions' MSRs at the end; NULL: not wanted */
    case_left left;                   /* registers at the end, and the exception that ended the run, if any */
    p5_case_found *found; /* what the end of the run has in place of conditions->states; NULL: not wanted */
} case_run;

/* Opens a machine, runs the program on it, gets the results into `run`, and closes the machine. */
static p5_status run_case(const p5_case_program *program, const p5_case_conditions *conditions, case_run *run,
                          p5_error *error)
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
    if (conditions->function != NULL)
        image.stack_end = case_function_stack_end(conditions->function);
    status = p5_machine_load_case(machine, &image, error);
    if (status == P5_OK)
        status = write_registers(machine, conditions, error);
    if (status == P5_OK && run->observer != NULL)
        run->observer->loaded(run->observer->context, machine);
    if (status == P5_OK)
        status = run_to_exit(machine, program, conditions, error);
    if (status == P5_OK) {
        p5_machine_settle(machine); /* prices the last instruction, which waited for a partner to pair with */
        p5_machine_counts(machine, run->counts);
        machine_case_left(machine, &run->left);
        if (run->registers != NULL)
            read_registers(machine, conditions, run->registers);
        if (run->found != NULL)
            status = case_states_find(machine, program, conditions, run->found, error);
    }
    p5_machine_close(machine);
    return status;
}

p5_status p5_case_run(const p5_case_program *program, const p5_case_conditions *conditions,
                      const p5_case_observer *observer, p5_counts *counts, p5_error *error)
{
    case_run run = {.observer = observer, .counts = counts};
    return run_case(program, conditions, &run, error);
}

/* Sets `remark` if the x87 register stack has overflowed or underflowed in the run with more trips, which
 * `left` describes. Even a single fault matters, because from then on a register holds a NaN. This remark
 * replaces one about ESP, which is only a hint; p5_case_measured.remark describes the status of both. */
static void remark_x87(const case_left *left, const p5_case_measured *out,
                       const p5_case_conditions *conditions, p5_error *remark)
{
    const p5_case_function *f = conditions->function;
    const uint64_t *mmx = out->counts[1].increments[P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_U_PIPE];
    const bool over = left->x87_overflows > left->x87_underflows;
    if (!over && left->x87_underflows == 0)
        return;
    error_set(remark, P5_ERR_STATE,
              over ? "the x87 register stack overflows: more is pushed than popped"
                   : "the x87 register stack underflows: an empty register is read or popped");
    if (over && p5_counts_sum(mmx, P5_CPL_MASK_ALL) > 0)
        error_hint(remark, "MMX code has to end with EMMS before x87 code follows");
    else if (f != NULL && over && !f->x87_result)
        error_hint(remark, "a function that returns float or double needs --x87, which pops its result");
    else if (f != NULL && !over && f->x87_result)
        error_hint(remark, "if %s returns neither float nor double, remove --x87", f->name);
    else if (f != NULL)
        error_hint(remark, "a function has to leave the x87 stack empty but for its result");
    else
        error_hint(remark, "%s",
                   over ? "pop in each trip what it pushes, as by FSTP ST(0)"
                        : "push what the code reads before the loop, as by --setup fld1");
}

/* Runs both programs, and warns if a trip changes ESP or the x87 stack overflows or underflows. */
p5_status p5_case_measure(p5_case_program *const programs[2], const unsigned trips[2],
                          const p5_case_conditions *conditions, p5_case_measured *out, p5_error *error)
{
    case_left left[2];
    out->remark = (p5_error){0};
    for (unsigned i = 0; i < 2; i++) {
        case_run run = {
            .counts = &out->counts[i], .registers = out->registers[i], .found = i == 1 ? out->found : NULL};
        p5_status status = run_case(programs[i], conditions, &run, error);
        if (status != P5_OK)
            return status;
        left[i] = run.left;
    }
    const int32_t moved = (int32_t)(left[1].registers[ISA_ESP] - left[0].registers[ISA_ESP]);
    if (moved != 0)
        error_set(
            &out->remark, P5_OK,
            "ESP moves by %+g bytes per trip: each trip uses other stack memory, whose cache misses are "
            "part of the figures",
            (double)moved / ((double)trips[1] - (double)trips[0]));
    remark_x87(&left[1], out, conditions, &out->remark);
    return P5_OK;
}
