/* How a guest ends, and the disassembly of the instruction at which it stopped. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/base/end.h"
#include "machine/state.h"

void machine_end(p5_machine *machine, p5_end end, int status)
{
    if (machine->ended)
        return;
    machine->ended = true;
    machine->result.end = end;
    machine->result.status = status;
    machine->attention_wanted = true;
    engine_request_attention(machine->engine);
}

/* The bytes of an instruction that a message shows. */
typedef struct shown_insn {
    uint32_t linear; /* its address */
    bool code32;     /* the D bit of CS */
    uint8_t bytes[15];
    size_t available; /* how many of the bytes could be read */
} shown_insn;

/* Reads the instruction at CS:`eip` and opens the decoder. Returns false if not a single byte can be read, or if
 * memory for the decoder runs out. The decoder includes other processors' instructions, which stop guests most often. */
static bool read_insn(p5_machine *machine, uint32_t eip, shown_insn *insn)
{
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    *insn = (shown_insn){.linear = code.base + eip, .code32 = (code.flags >> 22 & 1) != 0};
    while (insn->available < sizeof insn->bytes &&
           engine_read_linear(machine->engine, insn->linear + (uint32_t)insn->available,
                              &insn->bytes[insn->available], 1))
        insn->available++;
    if (machine->decoder == NULL)
        machine->decoder = isa_decoder_open(ISA_P54C | ISA_P55C | ISA_P6);
    return machine->decoder != NULL && insn->available > 0;
}

/* Writes the instruction as text, or its first bytes if it is none. */
static void write_insn(p5_machine *machine, const shown_insn *insn, char *text, size_t size)
{
    const isa_code code = {insn->bytes, insn->available, insn->linear, insn->code32};
    if (isa_disassemble(machine->decoder, &code, text, size) == 0)
        snprintf(text, size, "(bytes %02x %02x ...)", insn->bytes[0],
                 insn->available > 1 ? insn->bytes[1] : 0);
}

void machine_end_at(p5_machine *machine, uint32_t eip)
{
    p5_run_result *result = &machine->result;
    shown_insn insn;
    bool shown = read_insn(machine, eip, &insn);
    result->address = insn.linear;
    result->instruction[0] = '\0';
    if (shown)
        write_insn(machine, &insn, result->instruction, sizeof result->instruction);
}

void machine_disassemble(p5_machine *machine, uint32_t linear, char *text, size_t size)
{
    engine_segment code;
    shown_insn insn;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    if (read_insn(machine, linear - code.base, &insn))
        write_insn(machine, &insn, text, size);
    else
        snprintf(text, size, "(not readable)");
}

/* Returns true for an instruction that p5scope does not execute at all, but that has a name because other processors have
 * it, such as FXSAVE and most of SSE. Only opcodes that begin with 0Fh are considered. UD2 and its like are undefined
 * everywhere, as is most of what begins with LOCK or names a control or debug register (0F20h to 0F23h). */
static bool has_foreign_name(p5_machine *machine, const shown_insn *insn, unsigned prefixes)
{
    char text[96];
    const uint8_t *opcode = insn->bytes + prefixes;
    if (prefixes + 2 > insn->available || opcode[0] != 0x0f || (opcode[1] & 0xfc) == 0x20 ||
        memchr(insn->bytes, 0xf0, prefixes) != NULL)
        return false;
    write_insn(machine, insn, text, sizeof text);
    return text[0] != '(' && strncmp(text, "ud", 2) != 0;
}

const machine_elsewhere *machine_lacks(p5_machine *machine, uint32_t eip)
{
    static const machine_elsewhere later = {"of later processors", "--isa=permissive lets it run"},
                                   mmx = {"of the Pentium MMX", "--model p55c-200 has it"},
                                   other = {"of other processors", "p5scope does not execute it"};
    shown_insn insn;
    isa_insn decoded;
    if (!read_insn(machine, eip, &insn) ||
        !isa_decode(machine->decoder, insn.bytes, insn.available, insn.linear, insn.code32, &decoded))
        return NULL;
    if (decoded.flags & ISA_UNDEFINED)
        return has_foreign_name(machine, &insn, decoded.prefixes) ? &other : NULL;
    const unsigned models = isa_forms[decoded.form].models;
    if (models == ISA_P6)
        return &later;
    return models == ISA_P55C && p5_model_family(machine->model) == P5_FAMILY_P54C ? &mmx : NULL;
}

bool machine_is_rdpmc(p5_machine *machine, uint32_t eip)
{
    shown_insn insn;
    return read_insn(machine, eip, &insn) && insn.available >= 2 && insn.bytes[0] == 0x0f &&
           insn.bytes[1] == 0x33;
}

void machine_end_message(p5_machine *machine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine->result.message, sizeof machine->result.message, format, arguments);
    va_end(arguments);
}
