/* Lists the code of a program without running it (`p5scope bench --static`). Each basic block is priced by
 * itself, from an empty pipe, on a processor whose caches hit, whose branches are predicted right, and whose
 * decode stage D1 never waits for instructions. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "isa/isa.h"
#include "p5tool/loop.h"
#include "report/case/object.h"
#include "report/case/workplace.h"
#include "report/loop/code.h"
#include "report/row_writer.h"

enum { MOST_BLOCK = 256 };    /* most instructions of a block */
#define LOOP_LABEL "p5scope_" /* begins the labels that `p5scope bench` generates */

/* Code to list: the addresses [from, to) of a function, or of code without a name (NULL). */
typedef struct part {
    const char *name;
    uint32_t from, to;
} part;

/* Sums over the instructions of a block or a part. */
typedef struct sums {
    unsigned instructions, pairs;
    uint64_t clocks;
} sums;

typedef struct listing {
    FILE *out;
    row_writer *rows; /* NULL: text */
    const char *model_name;
    const p5_model *model;
    const p5_case_program *program;
    p5_case_image image;
    isa_decoder *decoder;
    p5_error *error;
    part part;                     /* the one that is being listed */
    sums sums;                     /* of the current part */
    uint8_t *target;               /* by offset in the code: 1 if a direct branch goes there */
    ARRAY_OF(p5_access) accesses;  /* references, all alike, as many as the largest block so far has */
    ARRAY_OF(p5_trace_insn) trace; /* of the current block's instructions */
    bool out_of_memory;
} listing;

/* Called by the core for each instruction in program order. */
static void add_to_trace(void *context, const p5_trace_insn *insn)
{
    listing *l = context;
    l->out_of_memory |= !ARRAY_ADD(&l->trace, *insn);
}

/* Makes l->accesses at least as large as the references of `block`. Returns their number. */
static unsigned make_references(listing *l, const p5_block *block)
{
    unsigned references = 0;
    for (unsigned i = 0; i < p5_block_count(block); i++)
        references += p5_block_accesses(block, i);
    while (l->accesses.count < references && !l->out_of_memory)
        l->out_of_memory =
            !ARRAY_ADD(&l->accesses, (p5_access){.linear = 0x1000, .physical = 0x1000, .size = 4});
    return references;
}

/* Prices the block of `count` instructions at `address` (`size` bytes) on a new core. l->trace gets, for each
 * instruction, its pipe, stages and stalls. The addresses of its references do not matter, because on this core
 * every reference hits and there are no bank conflicts. */
static p5_status price_block(listing *l, const uint8_t *bytes, size_t size, uint32_t address, unsigned count)
{
    p5_core *core;
    p5_status status = p5_core_open(l->model, NULL, &core, l->error);
    if (status != P5_OK)
        return status;
    l->trace.count = 0;
    p5_core_set_ideal(core, P5_IDEAL_HITS | P5_IDEAL_BRANCHES | P5_IDEAL_FETCH);
    p5_core_set_trace(core, add_to_trace, l);
    p5_block *block = p5_block_make(
        core,
        &(p5_code){.bytes = bytes, .size = size, .linear = address, .physical = address, .code32 = true},
        count);
    const unsigned references = block != NULL ? make_references(l, block) : 0;
    if (block != NULL && !l->out_of_memory) {
        const p5_retired r = {.size = sizeof r,
                              .block = block,
                              .count = (uint16_t)p5_block_count(block),
                              .access_count = references,
                              .accesses = l->accesses.items,
                              .next = address + (uint32_t)size,
                              .cpl = 3,
                              .cpl_after = 3,
                              .mode = P5_MODE_PROTECTED};
        status = p5_core_retire(core, &r);
        assert(status == P5_OK);
        p5_core_settle(core);
    }
    p5_core_close(core);
    return block != NULL && !l->out_of_memory ? P5_OK
                                              : error_set(l->error, P5_ERR_MEMORY, "no memory for a listing");
}

/* ---- Instructions and blocks ---- */

/* Decodes the instruction at `address`. Returns false if there is no valid instruction that ends at or before `end`. */
static bool decode(const listing *l, uint32_t address, uint32_t end, isa_insn *insn)
{
    return address < end && isa_decode(l->decoder, l->image.text + (address - l->image.text_address),
                                       end - address, address, true, insn);
}

/* Returns the label at `address`, or the name of the undefined symbol that has this address; NULL: there is
 * none. */
static const char *name_of(const listing *l, uint32_t address)
{
    for (size_t i = 0; i < l->program->label_count; i++)
        if (l->program->labels[i].address == address &&
            strncmp(l->program->labels[i].name, LOOP_LABEL, sizeof LOOP_LABEL - 1) != 0)
            return l->program->labels[i].name;
    return case_program_undefined(l->program, address);
}

/* Disassembles an instruction, with the name of a direct branch's target after its address. */
static void disassemble(const listing *l, const isa_insn *insn, char *text, size_t size)
{
    const size_t offset = insn->address - l->image.text_address;
    isa_disassemble(l->decoder,
                    &(isa_code){l->image.text + offset, l->image.text_size - offset, insn->address, true},
                    text, size);
    const char *name = code_is_direct(insn) ? name_of(l, insn->target) : NULL;
    const size_t used = strlen(text);
    if (name != NULL)
        snprintf(text + used, size - used, " <%s>", name);
}

/* What the listing says about an instruction. */
typedef struct remark {
    const char *alone;     /* why it is not one of a pair; "": it is */
    const char *stall;     /* the cause that delayed its entry to EX longest; NULL: none */
    unsigned stall_clocks; /* of that cause */
    unsigned prefixes;     /* their number */
    char text[120];        /* disassembly */
} remark;

/* Makes the remark on an instruction of the current block. */
static remark remark_of(const listing *l, const p5_trace_insn *t)
{
    const bool stalled =
        t->stall_clocks > 0 && t->ex > l->trace.items[0].ex; /* the first pair waits for the pipe to fill */
    isa_insn insn = {0};
    decode(l, t->address, l->part.to, &insn);
    remark r = {.alone = p5_unpaired_text(t->unpaired),
                .stall = stalled ? p5_stall_name((p5_stall)t->stall) : NULL,
                .stall_clocks = stalled ? t->stall_clocks : 0,
                .prefixes = insn.prefixes};
    disassemble(l, &insn, r.text, sizeof r.text);
    return r;
}

/* Writes an instruction as text. Its clocks and its latency begin when it starts to work in EX. It may have entered EX
 * earlier; the clocks of a block include such waits. */
static void write_insn_text(listing *l, const p5_trace_insn *t)
{
    const remark r = remark_of(l, t);
    fprintf(l->out, "%08" PRIx32 "  %-4s %6" PRIu64 " %7" PRIu64 "  %-40s", t->address,
            t->pipe == 0 ? "U" : " V", t->end - t->begin, t->ready - t->begin, r.text);
    const char *gap = " ";
    if (r.alone[0] != '\0') {
        fprintf(l->out, "%salone: %s", gap, r.alone);
        gap = "; ";
    }
    if (r.stall != NULL) {
        fprintf(l->out, "%sstall %s %u", gap, r.stall, r.stall_clocks);
        gap = "; ";
    }
    if (r.prefixes > 0)
        fprintf(l->out, "%s%u prefix%s to decode", gap, r.prefixes, r.prefixes == 1 ? "" : "es");
    fputc('\n', l->out);
}

/* Begins a row for programs: `what` is "instruction", "block" or "function". */
static void begin_row(listing *l, const char *what, uint32_t address)
{
    char text[16];
    snprintf(text, sizeof text, "%08" PRIx32, address);
    rows_begin(l->rows);
    rows_text(l->rows, "what", what);
    rows_text(l->rows, "function", l->part.name != NULL ? l->part.name : "");
    rows_text(l->rows, "address", text);
}

static void end_row(listing *l, const sums *s)
{
    rows_unsigned(l->rows, "instructions", s->instructions);
    rows_unsigned(l->rows, "pairs", s->pairs);
    rows_unsigned(l->rows, "clocks", s->clocks);
    rows_end(l->rows);
}

/* Writes an instruction as a row for programs, with the same clocks and latency as write_insn_text. */
static void write_insn_row(listing *l, const p5_trace_insn *t)
{
    const remark r = remark_of(l, t);
    begin_row(l, "instruction", t->address);
    rows_text(l->rows, "text", r.text);
    rows_text(l->rows, "pipe", t->pipe == 0 ? "U" : "V");
    rows_unsigned(l->rows, "clocks", t->end - t->begin);
    rows_unsigned(l->rows, "latency", t->ready - t->begin);
    rows_text(l->rows, "alone", r.alone);
    rows_text(l->rows, "stall", r.stall);
    rows_unsigned(l->rows, "stall_clocks", r.stall_clocks);
    rows_unsigned(l->rows, "prefixes", r.prefixes);
    rows_end(l->rows);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool is_target(const listing *l, uint32_t address)
{
    return l->target[address - l->image.text_address] != 0;
}

/* Writes the block at `address`, whose instructions are in l->trace, and adds it to l->sums. */
static void write_block(listing *l, uint32_t address)
{
    if (l->trace.count == 0)
        return;
    const p5_trace_insn *first = &l->trace.items[0], *last = &l->trace.items[l->trace.count - 1];
    sums block = {.instructions = (unsigned)l->trace.count, .clocks = last->end - first->ex};
    for (size_t i = 0; i < l->trace.count; i++)
        block.pairs += l->trace.items[i].pipe; /* 1 in V: each pair has one such instruction */
    if (l->rows != NULL) {
        begin_row(l, "block", address);
        rows_bool(l->rows, "target", is_target(l, address));
        end_row(l, &block);
    } else {
        fprintf(l->out, "\n%08" PRIx32 ":%s %u instruction%s, %u pair%s, %" PRIu64 " clock%s\n", address,
                is_target(l, address) ? " (branch target)" : "", block.instructions,
                plural(block.instructions), block.pairs, plural(block.pairs), block.clocks,
                plural(block.clocks));
    }
    for (size_t i = 0; i < l->trace.count; i++)
        if (l->rows != NULL)
            write_insn_row(l, &l->trace.items[i]);
        else
            write_insn_text(l, &l->trace.items[i]);
    l->sums.instructions += block.instructions;
    l->sums.pairs += block.pairs;
    l->sums.clocks += block.clocks;
}

/* Lists the block at `address`. The block ends before the target of a branch, the end of the part, or bytes
 * that are no instruction; after a branch or MOST_BLOCK instructions; and after an instruction with a
 * variable number of references, which p5_retired allows only as the last of a block. *next gets the address
 * after the block. If no instruction begins at `address`, it gets the end of the part, whose rest is not listed. */
static p5_status list_block(listing *l, uint32_t address, uint32_t *next)
{
    uint32_t end = address;
    unsigned count = 0;
    isa_insn insn = {0};
    do {
        if (!decode(l, end, l->part.to, &insn))
            break;
        end += insn.length;
        count++;
    } while (end < l->part.to && count < MOST_BLOCK && isa_forms[insn.form].branch == ISA_NOT_BRANCH &&
             !(insn.flags & ISA_VARIABLE_ACCESSES) && !is_target(l, end));
    *next = count == 0 ? l->part.to : end;
    if (count == 0)
        return P5_OK;
    p5_status status =
        price_block(l, l->image.text + (address - l->image.text_address), end - address, address, count);
    if (status == P5_OK)
        write_block(l, address);
    return status;
}

/* ---- Parts ---- */

/* Returns the end of a function of unknown size, at most `limit`: after the first return or jump after which no branch
 * of the function so far, itself included, has its target. */
static uint32_t function_end(const listing *l, uint32_t from, uint32_t limit)
{
    uint32_t at = from, passed = from; /* passed: the highest target of a branch so far */
    isa_insn insn;
    while (decode(l, at, limit, &insn)) {
        const unsigned branch = isa_forms[insn.form].branch;
        at += insn.length;
        if ((branch == ISA_JCC || branch == ISA_JMP || branch == ISA_LOOP) && insn.target < limit &&
            insn.target > passed)
            passed = insn.target;
        if ((branch == ISA_RET || branch == ISA_JMP || branch == ISA_JMP_INDIRECT) && at > passed)
            break;
    }
    return at;
}

static void mark_targets(listing *l, const part *p)
{
    isa_insn insn;
    for (uint32_t at = p->from; decode(l, at, p->to, &insn); at += insn.length)
        if (code_is_direct(&insn) && insn.target - l->image.text_address < l->image.text_size)
            l->target[insn.target - l->image.text_address] = 1;
}

/* Lists a part block by block, with its sums at the end. `first`: it is the first part of the listing. */
static p5_status list_part(listing *l, const part *p, bool first)
{
    static const char columns[] = "address   pipe clocks latency  instruction\n";
    l->part = *p;
    l->sums = (sums){0};
    if (l->rows == NULL && first)
        fprintf(l->out, "%s, each block from a cold pipe; clocks in EX, and until the result can be used\n",
                l->model_name);
    if (l->rows == NULL && p->name != NULL)
        fprintf(l->out, "\n%s:\n%s", p->name, columns);
    else if (l->rows == NULL)
        fprintf(l->out, "\n%s", columns);
    p5_status status = P5_OK;
    for (uint32_t at = p->from; at < p->to && status == P5_OK;)
        status = list_block(l, at, &at);
    if (status == P5_OK && l->rows != NULL) {
        begin_row(l, "function", p->from);
        end_row(l, &l->sums);
    } else if (status == P5_OK) {
        fprintf(l->out,
                "\n%u instruction%s, %u pair%s; %" PRIu64
                " clock%s if each is executed once and nothing misses\n",
                l->sums.instructions, plural(l->sums.instructions), l->sums.pairs, plural(l->sums.pairs),
                l->sums.clocks, plural(l->sums.clocks));
    }
    return status;
}

/* Compares parts by address, for qsort. */
static int by_address(const void *a, const void *b)
{
    const part *x = a, *y = b;
    /* Code without a name comes first: it ends where the function begins. Of several names of a function, the one with
     * the largest size comes first. */
    return ARRAY_ORDER(x->from, y->from) ?: (x->name != NULL) - (y->name != NULL) ?: ARRAY_ORDER(y->to, x->to);
}

/* Fills in the functions of the program, sorted by address, and the code before the first one, if there is any.
 * Returns the number of parts. A function of unknown size ends where the next begins. */
static size_t find_functions(const listing *l, part *parts)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < l->program->label_count; i++) {
        const case_label *label = &l->program->labels[i];
        if (label->function)
            parts[count++] = (part){label->name, label->address, label->address + label->size};
    }
    parts[count++] = (part){NULL, l->image.text_address, l->image.text_address};
    qsort(parts, count, sizeof *parts, by_address);
    for (size_t i = 0; i < count; i++) {
        const uint32_t next = i + 1 < count ? parts[i + 1].from : l->image.exit_address;
        if (kept > 0 && parts[kept - 1].from == parts[i].from) /* another name of the same function */
            continue;
        if (parts[i].to == parts[i].from)
            parts[i].to = next;
        if (parts[i].to > parts[i].from) /* else it is empty: the next one begins at the same address */
            parts[kept++] = parts[i];
    }
    return kept;
}

/* Fills in the parts to list: the code of the loop, if bench has generated one; the function that the program was made
 * for (p5_case_program.function), if there is one; otherwise all functions. Returns the number of parts. Marks the targets
 * of the direct branches of that loop or of all functions. */
static size_t find_parts(listing *l, part *parts)
{
    const uint32_t function = l->program->function;
    uint32_t from, to;
    if (case_program_label(l->program, P5_STATIC_FIRST, &from) &&
        case_program_label(l->program, P5_STATIC_END, &to)) {
        parts[0] = (part){NULL, from, to};
        mark_targets(l, &parts[0]);
        return 1;
    }
    const size_t count = find_functions(l, parts);
    for (size_t i = 0; i < count; i++)
        mark_targets(l, &parts[i]);
    if (function == 0)
        return count;
    uint32_t limit = l->image.exit_address; /* or where the next function begins */
    for (size_t i = 0; i < count; i++) {
        if (parts[i].from == function) {
            parts[0] = parts[i];
            return 1;
        }
        if (parts[i].from > function && parts[i].from < limit)
            limit = parts[i].from;
    }
    parts[0] = (part){name_of(l, function), function, function_end(l, function, limit)};
    mark_targets(l, &parts[0]);
    return 1;
}

/* Lists all parts of the program. l->decoder, l->model and l->image must be set. */
static p5_status list_all(listing *l)
{
    const size_t labels = l->program->label_count;
    part *parts = calloc(labels + 1, sizeof *parts);
    l->target = calloc(l->image.text_size + 1, 1);
    p5_status status = P5_OK;
    if (parts == NULL || l->target == NULL) {
        status = error_set(l->error, P5_ERR_MEMORY, "no memory for a listing");
    } else {
        const size_t count = find_parts(l, parts);
        if (count == 0)
            status = error_set(l->error, P5_ERR_FORMAT, "there is no code to list");
        for (size_t i = 0; i < count && status == P5_OK; i++)
            status = list_part(l, &parts[i], i == 0);
    }
    free(parts);
    free(l->target);
    free(l->accesses.items);
    free(l->trace.items);
    return status;
}

p5_status p5_static_write(FILE *out, p5_row_format format, const char *name, const p5_case_program *program,
                          const char *model_name, p5_error *error)
{
    row_writer rows;
    p5_model *model = NULL;
    listing l = {.out = out, .model_name = model_name, .program = program, .error = error};
    p5_status status = p5_model_open(model_name, &model, error);
    if (status != P5_OK)
        return status;
    l.model = model;
    l.decoder = isa_decoder_open(ISA_P54C | ISA_P55C);
    p5_case_program_image(program, &l.image);
    if (format != P5_ROWS_TEXT) {
        rows_open(&rows, out, format, "bench-static", "name", name, "model", model_name, NULL);
        l.rows = &rows;
    }
    status = l.decoder != NULL ? list_all(&l) : error_set(error, P5_ERR_MEMORY, "no memory for a listing");
    isa_decoder_close(l.decoder);
    p5_model_close(model);
    return status == P5_OK ? error_unless_written(error, out, "the listing") : status;
}
