/* Parses, finds and compares the states that a case, a program that is measured, expects at the end of its
 * run: the exception that ends it, values of registers, bytes in memory. */
#include "report/case/state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/isa.h"
#include "isa/processor.h"
#include "machine/machine.h"
#include "report/case/workplace.h"

enum { EFLAGS = 8, FIRST_MMX = 9 }; /* numbers of registers; 0 to 7 are the general ones */
/* Names of exceptions by vector; "" for vectors without one. NULL ends the list. */
static const char *const exceptions[] = {"#DE", "#DB", "",    "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", "",
                                         "#TS", "#NP", "#SS", "#GP", "#PF", "",    "#MF", "#AC", "#MC", NULL};

/* Returns the index of the word `name`, which has `length` characters, in a list that NULL ends; -1: it is
 * not there. The case of letters does not matter. */
static int number_in(const char *const *list, const char *name, size_t length)
{
    for (int i = 0; list[i] != NULL; i++)
        if (length > 0 && strlen(list[i]) == length && strncasecmp(list[i], name, length) == 0)
            return i;
    return -1;
}

/* Returns the number of a register, -1 if there is none of this name. */
static int register_number(const char *name, size_t length)
{
    static const char *const others[] = {"eflags", "mm0", "mm1", "mm2", "mm3",
                                         "mm4",    "mm5", "mm6", "mm7", NULL};
    const int general = number_in(isa_gpr_names, name, length), other = number_in(others, name, length);
    return general >= 0 || other < 0 ? general : EFLAGS + other;
}

/* ---- Parsing ---- */

/* Each of these functions parses the text at *place, and moves *place past what it has parsed. */

/* Moves *place to the beginning of the next word, and returns the word's length; 0 at the end of the line. */
static size_t next_word(const char **place)
{
    *place += strspn(*place, " \t");
    return strcspn(*place, " \t");
}

static p5_status missing(const char *what, p5_error *error)
{
    return error_set(error, P5_ERR_SYNTAX, "%s is missing", what);
}

/* Copies a label of `length` characters to state->name. */
static p5_status copy_label(const char *word, size_t length, p5_case_state *state, p5_error *error)
{
    if (length >= sizeof state->name)
        return error_set(error, P5_ERR_RANGE, "a label has at most %zu characters", sizeof state->name - 1);
    memcpy(state->name, word, length);
    state->name[length] = '\0';
    return P5_OK;
}

static p5_status need_end(const char **place, p5_error *error)
{
    size_t length = next_word(place);
    return length == 0 ? P5_OK
                       : error_set(error, P5_ERR_SYNTAX, "'%.*s' is too much here", (int)length, *place);
}

/* Parses "#GP(0) at LABEL". The error code, hexadecimal, and the label may be missing. */
static p5_status parse_fault(const char **place, p5_case_state *state, p5_error *error)
{
    size_t length = next_word(place);
    if (length == 0)
        return missing("an exception, as #GP(0),", error);
    const size_t name = strcspn(*place, "( \t");
    const int vector = number_in(exceptions, *place, name);
    if (vector < 0) {
        error_set(error, P5_ERR_NAME, "there is no exception '%.*s'", (int)name, *place);
        error_hint(error, "exceptions are #DE, #UD, #GP(0), #PF(2); see 'p5scope explain'");
        return P5_ERR_NAME;
    }
    state->vector = (uint8_t)vector;
    state->any_code = name == length;
    if (name < length) {
        char *end;
        state->value = strtoul(*place + name + 1, &end, 16);
        if (!isxdigit((unsigned char)(*place)[name + 1]) || end != *place + length - 1 || *end != ')')
            return error_set(error, P5_ERR_SYNTAX, "'%.*s' is not an exception with a hexadecimal error code",
                             (int)length, *place);
        if (!vector_has_error_code((unsigned)vector))
            return error_set(error, P5_ERR_SYNTAX, "%s has no error code", exceptions[vector]);
    }
    *place += length;
    length = next_word(place);
    if (length == 0)
        return P5_OK;
    if (length != 2 || strncmp(*place, "at", 2) != 0)
        return error_set(error, P5_ERR_SYNTAX, "'at LABEL' may follow the exception, not '%.*s'", (int)length,
                         *place);
    *place += length;
    length = next_word(place);
    if (length == 0)
        return missing("the label of the instruction that faults", error);
    p5_status status = copy_label(*place, length, state, error);
    *place += status == P5_OK ? length : 0;
    return status;
}

/* Parses "eax 5". */
static p5_status parse_register(const char **place, p5_case_state *state, p5_error *error)
{
    size_t length = next_word(place);
    if (length == 0)
        return missing("a register", error);
    const int number = register_number(*place, length);
    if (number < 0) {
        error_set(error, P5_ERR_NAME, "there is no register '%.*s'", (int)length, *place);
        error_hint(error, "registers are eax to edi, ebp, esp, eflags, and mm0 to mm7");
        return P5_ERR_NAME;
    }
    snprintf(state->name, sizeof state->name, "%.*s", (int)length, *place);
    *place += length;
    length = next_word(place);
    if (length == 0)
        return missing("the register's value", error);
    char word[40];
    snprintf(word, sizeof word, "%.*s", (int)length, *place);
    if (length >= sizeof word || !p5_parse_number(word, &state->value) ||
        (number < FIRST_MMX && state->value > UINT32_MAX))
        return error_set(error, P5_ERR_SYNTAX, "'%s' is not a value of %s", word, state->name);
    *place += length;
    return P5_OK;
}

/* Parses "LABEL+4 01 02 ff"; the offset may be missing. */
static p5_status parse_memory(const char **place, p5_case_state *state, p5_error *error)
{
    size_t length = next_word(place);
    if (length == 0)
        return missing("a label", error);
    const size_t name = strcspn(*place, "+ \t");
    p5_status status = copy_label(*place, name, state, error);
    if (status != P5_OK)
        return status;
    char offset[20] = "0"; /* without "LABEL+" */
    uint64_t bytes;
    if (name < length)
        snprintf(offset, sizeof offset, "%.*s", (int)(length - name - 1), *place + name + 1);
    if (name == 0 || length - name >= sizeof offset || !text_to_u64(offset, &bytes) || bytes > UINT32_MAX)
        return error_set(error, P5_ERR_SYNTAX, "'%.*s' is not a label or LABEL+BYTES", (int)length, *place);
    state->offset = (uint32_t)bytes;
    for (*place += length; (length = next_word(place)) > 0; *place += length) {
        const char *digits = *place;
        if (length != 2 || !isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
            return error_set(error, P5_ERR_SYNTAX, "'%.*s' is not a byte of two hexadecimal digits",
                             (int)length, digits);
        if (state->byte_count == sizeof state->bytes)
            return error_set(error, P5_ERR_RANGE, "more than %zu bytes", sizeof state->bytes);
        const char digit[3] = {digits[0], digits[1], '\0'};
        state->bytes[state->byte_count++] = (uint8_t)strtoul(digit, NULL, 16);
    }
    return state->byte_count > 0 ? P5_OK : missing("a byte, two hexadecimal digits,", error);
}

p5_status case_state_parse(const char **place, p5_case_state *state, p5_error *error)
{
    static p5_status (*const parse[])(const char **, p5_case_state *, p5_error *) = {
        [P5_CASE_FAULT] = parse_fault, [P5_CASE_REGISTER] = parse_register, [P5_CASE_MEMORY] = parse_memory};
    p5_status status = parse[state->kind](place, state, error);
    return status == P5_OK ? need_end(place, error) : status;
}

/* ---- The end of a run ---- */

bool case_states_expect_fault(const p5_case_conditions *conditions)
{
    for (size_t i = 0; i < conditions->state_count; i++)
        if (conditions->states[i].kind == P5_CASE_FAULT &&
            p5_case_applies(conditions->states[i].only, conditions->model))
            return true;
    return false;
}

p5_status case_states_find(p5_machine *machine, const p5_case_program *program,
                           const p5_case_conditions *conditions, p5_case_found found[P5_CASE_STATES],
                           p5_error *error)
{
    case_left left;
    machine_case_left(machine, &left);
    for (size_t i = 0; i < conditions->state_count; i++) {
        const p5_case_state *state = &conditions->states[i];
        p5_case_found *to = &found[i];
        memset(to, 0, sizeof *to);
        if (!p5_case_applies(state->only, conditions->model))
            continue;
        if (state->kind == P5_CASE_REGISTER) {
            const int number = register_number(state->name, strlen(state->name));
            to->value = number >= FIRST_MMX ? left.mmx[number - FIRST_MMX]
                        : number == EFLAGS  ? left.eflags
                                            : left.registers[number];
            continue;
        }
        uint32_t label = 0;
        if (state->name[0] != '\0' && !case_program_label(program, state->name, &label))
            return error_set(error, P5_ERR_NAME, "line %u: the code has no label '%s'", state->line,
                             state->name);
        if (state->kind == P5_CASE_FAULT) {
            *to = (p5_case_found){.faulted = left.fault.raised,
                                  .vector = left.fault.vector,
                                  .value = left.fault.error_code,
                                  .address = left.fault.address,
                                  .expected_address = label};
        } else if (!machine_case_memory(machine, label + state->offset, to->bytes,
                                        (uint32_t)state->byte_count)) {
            return error_set(error, P5_ERR_RANGE, "line %u: %s+%u is outside of the memory", state->line,
                             state->name, state->offset);
        }
    }
    return P5_OK;
}

/* ---- The comparison ---- */

/* Returns whether the end of the run was as `state` expects; `found` is what the run had there. */
static bool is_as_expected(const p5_case_state *state, const p5_case_found *found)
{
    switch (state->kind) {
    case P5_CASE_REGISTER:
        return found->value == state->value;
    case P5_CASE_MEMORY:
        return memcmp(found->bytes, state->bytes, state->byte_count) == 0;
    case P5_CASE_FAULT:
        break;
    }
    return found->faulted && found->vector == state->vector &&
           (state->any_code || found->value == state->value) &&
           (state->name[0] == '\0' || found->address == found->expected_address);
}

/* Writes an exception as "#GP(0)", or without its error code `value` unless `has_code`. */
static void write_fault(FILE *out, unsigned vector, bool has_code, uint64_t value)
{
    const bool named = vector < sizeof exceptions / sizeof exceptions[0] - 1 && exceptions[vector][0] != '\0';
    if (named)
        fputs(exceptions[vector], out);
    else
        fprintf(out, "exception %u", vector);
    if (has_code)
        fprintf(out, "(%llX)", (unsigned long long)value);
}

static void write_bytes(FILE *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %02x", bytes[i]);
}

/* Writes a line with the expected state and the one that was found. */
static void write_state(FILE *out, const p5_case_state *state, const p5_case_found *found)
{
    if (state->kind == P5_CASE_REGISTER) {
        fprintf(out, "%s: expected 0x%llx, got 0x%llx", state->name, (unsigned long long)state->value,
                (unsigned long long)found->value);
    } else if (state->kind == P5_CASE_MEMORY) {
        fprintf(out, "%s+%u: expected", state->name, state->offset);
        write_bytes(out, state->bytes, state->byte_count);
        fputs(", got", out);
        write_bytes(out, found->bytes, state->byte_count);
    } else {
        fputs("fault: expected ", out);
        write_fault(out, state->vector, !state->any_code, state->value);
        if (state->name[0] != '\0')
            fprintf(out, " at %s (%08Xh)", state->name, found->expected_address);
        fputs(", got ", out);
        if (found->faulted) {
            write_fault(out, found->vector, vector_has_error_code(found->vector), found->value);
            fprintf(out, " at %08Xh", found->address);
        } else {
            fputs("none", out);
        }
    }
    fprintf(out, " (line %u)\n", state->line);
}

unsigned p5_case_judge_states(const p5_case *c, const p5_model *model,
                              const p5_case_found found[P5_CASE_STATES], bool all, FILE *out)
{
    unsigned failed = 0;
    for (size_t i = 0; i < c->state_count; i++) {
        if (!p5_case_applies(c->states[i].only, p5_model_name(model)))
            continue;
        const bool good = is_as_expected(&c->states[i], &found[i]);
        failed += !good;
        if (!good || all)
            write_state(out, &c->states[i], &found[i]);
    }
    return failed;
}
