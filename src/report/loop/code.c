/* Finds the reachable instructions of a program and what is live after each, and replaces instructions. */
#include "report/loop/code.h"

#include <stdlib.h>
#include <string.h>

#include "report/case/workplace.h"

/* The generated loop around the calls of a function (the harness, report/case/function.c) has the first page
 * of the code to itself. */
enum { HARNESS_BYTES = 4096 };

/* ---- What an instruction reads and writes -------------------------------------------------------------- */

/* Returns the flags that a condition, the low four bits of the opcode of Jcc, tests. B and AE (2, 3) test CF,
 * BE and A (6, 7) CF and ZF, all others no CF. */
static unsigned condition_flags(unsigned condition)
{
    return condition >> 1 == 1 ? CODE_CARRY : condition >> 1 == 3 ? CODE_CARRY | CODE_FLAGS : CODE_FLAGS;
}

unsigned code_reads(const isa_insn *insn)
{
    const unsigned branch = isa_forms[insn->form].branch;
    unsigned reads = insn->read_gpr | insn->address_gpr;
    if (insn->flags & ISA_READS_CARRY)
        reads |= CODE_CARRY;
    if (insn->flags &
        ISA_READS_FLAGS) /* Jcc, SETcc and LOOPcc have a condition; PUSHF, LAHF and INTO have none */
        reads |= branch == ISA_JCC || branch == ISA_LOOP || insn->escape_0f ? condition_flags(insn->condition)
                                                                            : CODE_CARRY | CODE_FLAGS;
    return reads;
}

unsigned code_writes(const isa_insn *insn)
{
    /* MOV moffs,EAX has EAX among its writes for pairing only */
    const bool store = insn->flags & ISA_MOFFS && isa_forms[insn->form].unit == ISA_STORE;
    unsigned writes = store ? 0 : insn->write_gpr;
    if (insn->flags & ISA_WRITES_FLAGS)
        writes |= CODE_FLAGS | (insn->flags & ISA_KEEPS_CARRY ? 0 : CODE_CARRY);
    return writes;
}

/* An instruction overwrites a register completely if it has 32-bit operands and no condition (CMOVcc). One
 * that keeps the register's old value in some cases, as BSF, also reads it, which makes it live all the
 * same. */
unsigned code_kills(const isa_insn *insn)
{
    const bool whole = insn->operand_bytes == 4 && !(insn->flags & ISA_READS_FLAGS);
    unsigned kills = whole ? code_writes(insn) & CODE_REGISTERS : 0;
    if (insn->flags & ISA_SETS_FLAGS)
        kills |= CODE_FLAGS | CODE_CARRY;
    else if (insn->flags & ISA_KEEPS_CARRY)
        kills |= CODE_FLAGS;
    return kills;
}

/* ---- Reachable code ------------------------------------------------------------------------------------ */

/* Returns the kind of a branch, an isa_branch. */
static unsigned branch_of(const isa_insn *insn)
{
    return isa_forms[insn->form].branch;
}

bool code_is_direct(const isa_insn *insn)
{
    const unsigned branch = branch_of(insn);
    return branch == ISA_JCC || branch == ISA_JMP || branch == ISA_CALL || branch == ISA_LOOP;
}

/* Returns true if control can continue after the instruction; after a call it does when the call returns. */
static bool falls_through(const isa_insn *insn)
{
    const unsigned branch = branch_of(insn);
    return branch == ISA_NOT_BRANCH || branch == ISA_JCC || branch == ISA_LOOP || branch == ISA_CALL ||
           branch == ISA_CALL_INDIRECT;
}

/* The search for reachable code. */
typedef struct search {
    const loop_code *code;
    uint8_t *length; /* of the instruction at each offset in the code; 0: none was reached */
    uint32_t *todo;  /* addresses still to be decoded; room for one per byte of the code */
    size_t todo_count;
} search;

/* Adds an address to `todo`, unless it is outside the code, at the program's end, or decoded already. */
static void reach(search *s, uint32_t address)
{
    const p5_case_image *image = &s->code->image;
    const size_t offset = address - image->text_address;
    if (offset < image->text_size && address != image->exit_address && s->length[offset] == 0 &&
        s->todo_count < image->text_size)
        s->todo[s->todo_count++] = address;
}

/* Decodes the instructions at the addresses in `todo`, and all that control can reach from there by falling through and
 * by direct branches. */
static void follow(search *s)
{
    const p5_case_image *image = &s->code->image;
    while (s->todo_count > 0) {
        const uint32_t address = s->todo[--s->todo_count];
        const size_t offset = address - image->text_address;
        isa_insn insn;
        if (s->length[offset] != 0 || !isa_decode(s->code->decoder, image->text + offset,
                                                  image->text_size - offset, address, true, &insn))
            continue;
        s->length[offset] = insn.length;
        if (code_is_direct(&insn))
            reach(s, insn.target);
        if (falls_through(&insn))
            reach(s, address + insn.length);
    }
}

/* Makes code->items of the instructions that were reached. Returns false if memory is out or instructions overlap. */
static bool collect(loop_code *code, const search *s)
{
    const p5_case_image *image = &code->image;
    /* A program without a harness ends at an instruction that was appended to its code. */
    code->has_harness = image->exit_address + ISA_LONGEST + 1 < image->text_address + image->text_size;
    uint32_t end = image->text_address;
    for (size_t offset = 0; offset < image->text_size; offset++)
        code->count += s->length[offset] != 0;
    code->items = calloc(code->count + 1, sizeof *code->items);
    if (code->items == NULL)
        return false;
    code_insn *item = code->items;
    for (size_t offset = 0; offset < image->text_size; offset++) {
        if (s->length[offset] == 0)
            continue;
        const uint32_t address = image->text_address + (uint32_t)offset;
        isa_decode(code->decoder, image->text + offset, image->text_size - offset, address, true,
                   &item->insn);
        if (address < end) {
            code->count = 0;
            return false;
        }
        end = address + item->insn.length;
        memcpy(item->bytes, image->text + offset, item->insn.length);
        item->fixed = code->has_harness && address < image->text_address + HARNESS_BYTES;
        code->sets_direction |= item->bytes[0] == 0xfd; /* STD */
        item++;
    }
    return true;
}

/* Finds code->items. Returns false if memory is out or instructions overlap. */
static bool find_reachable(loop_code *code)
{
    search s = {.code = code,
                .length = calloc(code->image.text_size + 1, 1),
                .todo = calloc(code->image.text_size + 1, sizeof(uint32_t))};
    bool good = s.length != NULL && s.todo != NULL;
    if (good) {
        reach(&s, code->image.entry);
        follow(&s);
        good = collect(code, &s);
    }
    free(s.length);
    free(s.todo);
    return good;
}

size_t code_find(const loop_code *code, uint32_t address)
{
    for (size_t i = 0; i < code->count; i++)
        if (code->items[i].insn.address == address)
            return i;
    return code->count;
}

/* ---- Liveness ------------------------------------------------------------------------------------------ */

/* Returns what is live before item `i`, given what is live after it; with i = code->count: at the end of the
 * program. */
static unsigned live_before(const loop_code *code, size_t i)
{
    /* Code after the end of the program may read registers, but not flags. */
    if (i >= code->count)
        return CODE_REGISTERS & ~code->free_registers;
    const code_insn *item = &code->items[i];
    const unsigned branch = branch_of(&item->insn);
    if (branch == ISA_RET)
        return code->live_after_return;
    if (branch == ISA_CALL || branch == ISA_CALL_INDIRECT)
        return CODE_REGISTERS | item->live; /* `live` has the flags */
    if (branch != ISA_NOT_BRANCH && !code_is_direct(&item->insn))
        return CODE_REGISTERS | CODE_CARRY | CODE_FLAGS;
    return (item->live & ~code_kills(&item->insn)) | code_reads(&item->insn);
}

/* Returns what is live before the instruction that follows item `i` in memory. An instruction that is not in
 * code->items counts as the program's end. */
static unsigned live_before_next(const loop_code *code, size_t i)
{
    const isa_insn *insn = &code->items[i].insn;
    const bool next = i + 1 < code->count && code->items[i + 1].insn.address == insn->address + insn->length;
    return live_before(code, next ? i + 1 : code->count);
}

/* Returns what is live before the possible successors of item `i`. */
static unsigned live_after(const loop_code *code, size_t i)
{
    const isa_insn *insn = &code->items[i].insn;
    unsigned live = 0;
    if (falls_through(insn))
        live |= live_before_next(code, i);
    if (code_is_direct(insn))
        live |= live_before(code, code_find(code, insn->target));
    return live;
}

/* Sets `live` of all items, and code->live_after_return: repeats until nothing changes, because branches go
 * backwards, too. */
static void find_live(loop_code *code)
{
    /* A function is called by the convention cdecl: its caller expects nothing in ECX, and EDX may be the high
     * half of a result. A loop by itself has no caller, and RET may be any jump. */
    code->live_after_return =
        CODE_REGISTERS & ~code->free_registers & ~(code->has_harness ? 1U << ISA_ECX : 0U);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = code->count; i-- > 0;) {
            const unsigned branch = branch_of(&code->items[i].insn), live = live_after(code, i);
            unsigned returned = code->live_after_return;
            if (branch == ISA_CALL || branch == ISA_CALL_INDIRECT)
                returned |= live_before_next(code, i);
            changed |= live != code->items[i].live || returned != code->live_after_return;
            code->items[i].live = live;
            code->live_after_return = returned;
        }
    }
}

/* ---- Opening ----------------------------------------------------------------------------------------- */

/* Returns the highest number at any offset of the bytes that could be an address of code, as in jump tables;
 * 0: there is none. */
static uint32_t highest_address(const p5_case_image *image, const uint8_t *bytes, size_t size)
{
    uint32_t highest = 0;
    for (size_t i = 0; i + 4 <= size; i++) {
        uint32_t value;
        memcpy(&value, bytes + i, sizeof value);
        if (value >= image->text_address && value < image->text_address + image->text_size && value > highest)
            highest = value;
    }
    return highest;
}

/* Sets `leader` and `executed` of the items, and code->unused. */
static void mark(loop_code *code, const p5_window *window)
{
    code->unused = CODE_REGISTERS & ~(1 << ISA_ESP);
    for (size_t i = 0; i < code->count; i++) {
        const isa_insn *insn = &code->items[i].insn;
        code->unused &= ~(code_reads(insn) | code_writes(insn));
        const size_t target = code_is_direct(insn) ? code_find(code, insn->target) : code->count;
        if (target < code->count)
            code->items[target].leader = true;
    }
    for (size_t n = 0; n < window->count; n++) {
        const size_t at = code_find(code, window->items[n].trace.address);
        if (at < code->count)
            code->items[at].executed = true;
    }
}

bool code_open(loop_code *code, const p5_case_program *program, const p5_window *window,
               unsigned free_registers)
{
    *code = (loop_code){.program = program,
                        .free_registers = free_registers,
                        .decoder = isa_decoder_open(ISA_P54C | ISA_P55C)};
    p5_case_program_image(program, &code->image);
    if (code->decoder == NULL || !find_reachable(code))
        return false;
    mark(code, window);
    find_live(code);
    const uint32_t of_text = highest_address(&code->image, code->image.text, code->image.text_size);
    const uint32_t of_data = highest_address(&code->image, code->image.data, code->image.data_size);
    code->addressed = of_text > of_data ? of_text : of_data;
    return true;
}

void code_close(loop_code *code)
{
    isa_decoder_close(code->decoder);
    free(code->items);
}

/* ---- Edits --------------------------------------------------------------------------------------------- */

/* How an edit moves code: it replaces the addresses [from, to), and [to, end), the rest of the code, moves by
 * `delta` bytes. */
typedef struct moved {
    uint32_t from, to, end;
    int32_t delta;
} moved;

/* Returns where the instruction at `address` is after the edit. */
static uint32_t moved_address(const moved *m, uint32_t address)
{
    return address >= m->to && address < m->end ? address + (uint32_t)m->delta : address;
}

/* Changes the displacement of the direct branch `insn`, which is at `at` in the new code, so that it goes to
 * the same instruction as before. Returns false if its displacement has one byte and the target is too far
 * away. */
static bool redirect(const moved *m, const isa_insn *insn, uint8_t *at)
{
    const uint32_t end = moved_address(m, insn->address) + insn->length;
    const int32_t distance = (int32_t)(moved_address(m, insn->target) - end);
    const uint8_t opcode = at[insn->prefixes];
    /* Jcc, JMP, LOOPcc and JCXZ with a displacement of one byte */
    const bool small = (opcode & 0xf0) == 0x70 || opcode == 0xeb || (opcode & 0xfc) == 0xe0;
    if (small) {
        at[insn->length - 1] = (uint8_t)distance;
        return distance >= INT8_MIN && distance <= INT8_MAX;
    }
    memcpy(at + insn->length - 4, &distance, sizeof distance);
    return true;
}

/* Redirects the direct branches that are not replaced. Returns false if one does not reach its target, or has
 * it within the replaced code. */
static bool redirect_all(const loop_code *code, const code_edit *edit, const moved *m, uint8_t *text)
{
    for (size_t i = 0; i < code->count; i++) {
        const isa_insn *insn = &code->items[i].insn;
        if (!code_is_direct(insn) || (i >= edit->first && i < edit->first + edit->count))
            continue;
        if (insn->target > m->from && insn->target < m->to)
            return false;
        if (!redirect(m, insn, text + (moved_address(m, insn->address) - code->image.text_address)))
            return false;
    }
    return true;
}

/* Fills in the displacement of the branch that the edit contains, if there is one. Returns false if it does
 * not reach its target. */
static bool direct_own(const code_edit *edit, const moved *m, uint8_t *bytes)
{
    const int32_t distance =
        (int32_t)(moved_address(m, edit->jump_target) - (m->from + (uint32_t)edit->jump_at + 1));
    if (edit->jump_at != 0)
        bytes[edit->jump_at] = (uint8_t)distance;
    return edit->jump_at == 0 || (distance >= INT8_MIN && distance <= INT8_MAX);
}

p5_case_program *code_edited(const loop_code *code, const p5_case_program *program, const code_edit *edit)
{
    p5_case_image image;
    p5_case_program_image(program, &image);
    const isa_insn *first = &code->items[edit->first].insn,
                   *last = &code->items[edit->first + edit->count - 1].insn;
    moved m = {.from = first->address,
               .to = last->address + last->length,
               .end = image.text_address + (uint32_t)image.text_size};
    m.delta = (int32_t)edit->size - (int32_t)(m.to - m.from);
    const size_t size = image.text_size + (size_t)(ptrdiff_t)m.delta, before = m.from - image.text_address;
    /* Code to which addresses in code or data refer must not move, and the code must not grow into the data's
     * pages. */
    if (m.delta != 0 &&
        (code->addressed > m.from ||
         (image.data_size + image.bss_size > 0 && m.delta > 0 &&
          image.text_address + size > (image.text_address + image.text_size + 4095) / 4096 * 4096)))
        return NULL;
    uint8_t *text = malloc(size + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, image.text, before);
    memcpy(text + before, edit->bytes, edit->size);
    memcpy(text + before + edit->size, image.text + (m.to - image.text_address), m.end - m.to);
    if (!direct_own(edit, &m, text + before) || !redirect_all(code, edit, &m, text)) {
        free(text);
        return NULL;
    }
    p5_case_program *made =
        case_program_with_text(program, text, size, moved_address(&m, image.exit_address));
    if (made == NULL)
        free(text);
    return made;
}
