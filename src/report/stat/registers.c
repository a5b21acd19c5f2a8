/* Describes, decodes and encodes model-specific registers in words. */
#include "p5tool/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/text.h"
#include "report/row_writer.h"

/* Returns the width of the register in bits: up to the highest bit that can be read or written or is in a field. */
static unsigned register_bits(const p5_register *reg)
{
    unsigned bits = highest_bit(reg->read_mask | reg->write_mask) + 1;
    for (unsigned i = 0; i < reg->field_count; i++)
        if (reg->fields[i].high + 1U > bits)
            bits = reg->fields[i].high + 1U;
    return bits;
}

/* Returns the number of hexadecimal digits in which a value is written: 8, 10 (for the 40-bit counters, for example) or
 * 16. */
static int hex_digits(const p5_register *reg)
{
    unsigned bits = register_bits(reg);
    return bits > 40 ? 16 : bits > 32 ? 10 : 8;
}

static const char *access_text(const p5_register *reg)
{
    if (reg->read_mask == 0)
        return reg->write_mask == 0 ? "no access" : "write-only";
    return reg->write_mask == 0 ? "read-only" : "read/write";
}

/* Returns the largest value of a field, which is also its mask at bit 0. */
static uint64_t field_mask(const p5_register_field *field)
{
    unsigned width = field->high - field->low + 1U;
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Writes a register as a row, with masks in hexadecimal as in manuals. */
static void put_register(row_writer *rows, const p5_register *reg)
{
    char number[32];
    rows_begin(rows);
    rows_text(rows, "register", reg->name);
    rows_unsigned(rows, "ecx", reg->msr);
    rows_unsigned(rows, "bits", register_bits(reg));
    rows_text(rows, "access", access_text(reg));
    snprintf(number, sizeof number, "0x%0*" PRIx64, hex_digits(reg), reg->read_mask);
    rows_text(rows, "read_mask", number);
    snprintf(number, sizeof number, "0x%0*" PRIx64, hex_digits(reg), reg->write_mask);
    rows_text(rows, "write_mask", number);
    rows_text(rows, "title", reg->title);
    rows_end(rows);
}

/* Writes the register's fields as rows, with their parts of `value` (NULL: no value). */
static void put_fields(FILE *out, const p5_register *reg, p5_row_format format, const uint64_t *value)
{
    row_writer rows;
    char number[32];
    if (value != NULL)
        snprintf(number, sizeof number, "0x%0*" PRIx64, hex_digits(reg), *value);
    rows_open(&rows, out, format, "register", "register", reg->name, "title", reg->title,
              value != NULL ? "value" : NULL, number, NULL);
    for (unsigned i = 0; i < reg->field_count; i++) {
        const p5_register_field *field = &reg->fields[i];
        rows_begin(&rows);
        rows_text(&rows, "field", field->name);
        rows_unsigned(&rows, "high", field->high);
        rows_unsigned(&rows, "low", field->low);
        if (value != NULL)
            rows_unsigned(&rows, "value", *value >> field->low & field_mask(field));
        rows_text(&rows, "meaning", field->meaning);
        rows_end(&rows);
    }
}

void p5_registers_write(FILE *out, unsigned family, p5_row_format format)
{
    row_writer rows;
    if (format != P5_ROWS_TEXT) {
        rows_open(&rows, out, format, "registers", NULL);
        for (const p5_register *reg = p5_registers(family); reg->name != NULL; reg++)
            put_register(&rows, reg);
        return;
    }
    for (const p5_register *reg = p5_registers(family); reg->name != NULL; reg++)
        fprintf(out, "  %02" PRIx32 "h  %-6s %-10s %s\n", reg->msr, reg->name, access_text(reg), reg->title);
}

p5_status p5_register_find(const char *name, unsigned family, const p5_register **found, p5_error *error)
{
    uint64_t number;
    bool by_number = text_to_u64(name, &number);
    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (const p5_register *reg = p5_registers(family); reg->name != NULL; reg++) {
        if (by_number ? reg->msr == number : text_same_name(reg->name, name)) {
            *found = reg;
            return P5_OK;
        }
        text_nearest_offer(&nearest, reg->name);
    }
    error_set(error, P5_ERR_NAME, "this processor has no model-specific register '%s'", name);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}

/* Writes "7" or "7..0". */
static void bit_range(const p5_register_field *field, char *text, size_t size)
{
    if (field->high == field->low)
        snprintf(text, size, "%u", field->high);
    else
        snprintf(text, size, "%u..%u", field->high, field->low);
}

void p5_register_write_layout(FILE *out, const p5_register *reg, p5_row_format format)
{
    if (format != P5_ROWS_TEXT) {
        put_fields(out, reg, format, NULL);
        return;
    }
    int digits = hex_digits(reg);
    fprintf(out, "%s (ECX = %02" PRIx32 "h), %u bits, %s: %s\n", reg->name, reg->msr, register_bits(reg),
            access_text(reg), reg->title);
    fprintf(out, "  read mask 0x%0*" PRIx64 ", write mask 0x%0*" PRIx64 "\n", digits, reg->read_mask, digits,
            reg->write_mask);
    for (unsigned i = 0; i < reg->field_count; i++) {
        char range[16];
        bit_range(&reg->fields[i], range, sizeof range);
        fprintf(out, "  %-7s %-6s %s\n", range, reg->fields[i].name, reg->fields[i].meaning);
    }
}

/* Writes what one half of CESR makes its counter count, as one sentence. */
static void write_counter(FILE *out, unsigned counter, unsigned family, const p5_counter_select *select)
{
    fprintf(out, "  CTR%u ", counter);
    const char *cpl_text = select->system && select->user ? "at any CPL"
                           : select->system               ? "at CPL 0-2"
                           : select->user                 ? "at CPL 3"
                                                          : NULL;
    int id = p5_event_by_code(select->code, counter, family);
    const char *pin = select->overflow_pin ? "overflows" : "increments";
    if (cpl_text == NULL) {
        fprintf(out, "is stopped (event select %02xh, no privilege level)", select->code);
    } else if (id < 0) {
        fprintf(out, "counts nothing: %s has no event %02xh on this counter",
                family == P5_FAMILY_P54C ? "P54C" : "P55C", select->code);
    } else {
        const p5_event_info *event = p5_event_describe((enum p5_event)id);
        fprintf(out, "counts %s%s (%02xh, %s) %s", select->clocks ? "the clocks of " : "", event->name,
                event->code, event->title, cpl_text);
    }
    fprintf(out, "; PM%u shows %s\n", counter, pin);
}

p5_status p5_register_write_value(FILE *out, const p5_register *reg, unsigned family, uint64_t value,
                                  p5_row_format format, p5_error *error)
{
    unsigned bits = register_bits(reg);
    if (bits < 64 && value >> bits != 0)
        return error_set(error, P5_ERR_RANGE, "0x%" PRIx64 " is too large: %s has %u bits", value, reg->name,
                         bits);
    if (format != P5_ROWS_TEXT) {
        put_fields(out, reg, format, &value);
        return P5_OK;
    }
    fprintf(out, "%s (ECX = %02" PRIx32 "h) = 0x%0*" PRIx64 "\n", reg->name, reg->msr, hex_digits(reg),
            value);
    if (reg->msr == P5_MSR_CESR) {
        p5_counter_select select[2];
        p5_cesr_decode((uint32_t)value, select);
        for (unsigned counter = 0; counter < 2; counter++)
            write_counter(out, counter, family, &select[counter]);
    }
    if (reg->msr - P5_MSR_PERFEVTSEL0 < 4) { /* event select registers of later monitors */
        char text[160];
        p5_evtsel_describe((uint32_t)value, family, text, sizeof text);
        fprintf(out, "  %s\n", text);
    }
    uint64_t named = 0; /* the bits of all fields */
    for (unsigned i = 0; i < reg->field_count; i++) {
        const p5_register_field *field = &reg->fields[i];
        char range[16];
        bit_range(field, range, sizeof range);
        uint64_t part = value >> field->low & field_mask(field);
        named |= field_mask(field) << field->low;
        fprintf(out, "  %-7s %-6s 0x%-8" PRIx64 " %s\n", range, field->name, part, field->meaning);
    }
    if ((value & ~named) != 0)
        fprintf(out, "  reserved bits set: 0x%" PRIx64 "\n", value & ~named);
    /* Reserved bits fault in the registers of later monitors; those of the Pentium ignore them. */
    if (reg->write_mask != 0 && (value & ~reg->write_mask) != 0)
        fprintf(out, "  WRMSR would %s: 0x%" PRIx64 "\n", reg->msr >= P5_MSR_PMC0 ? "fault on" : "not keep",
                value & ~reg->write_mask);
    return P5_OK;
}

p5_status p5_register_set_field(const p5_register *reg, const char *assignment, uint64_t *value,
                                p5_error *error)
{
    const char *equals = strchr(assignment, '=');
    char name[64];
    if (equals == NULL || (size_t)(equals - assignment) >= sizeof name)
        return error_set(error, P5_ERR_SYNTAX, "a field is set as NAME=NUMBER, not '%s'", assignment);
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = '\0';
    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (unsigned i = 0; i < reg->field_count; i++) {
        const p5_register_field *field = &reg->fields[i];
        text_nearest_offer(&nearest, field->name);
        if (!text_same_name(field->name, name))
            continue;
        uint64_t number;
        const error_place at_number = {.column = (unsigned)(equals + 1 - assignment) + 1};
        if (!p5_parse_number(equals + 1, &number))
            return error_set_at(error, P5_ERR_SYNTAX, at_number, "'%s' is not a number", equals + 1);
        if (number > field_mask(field))
            return error_set_at(error, P5_ERR_RANGE, at_number,
                                "%s has %u bits: its largest value is 0x%" PRIx64, field->name,
                                field->high - field->low + 1U, field_mask(field));
        *value = (*value & ~(field_mask(field) << field->low)) | number << field->low;
        return P5_OK;
    }
    error_set_at(error, P5_ERR_NAME, (error_place){.column = 1}, "%s has no field '%s'", reg->name, name);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}
