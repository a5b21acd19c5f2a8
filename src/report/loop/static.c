/* Lists code, executed or not, as a cold pipe takes it: each basic block by itself on a processor whose caches
 * hit, whose branches are predicted right, and whose D1 always has the next instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "p5tool/loop.h"
#include "report/loop/code.h"

/* Limits: instructions of a block, and the average of their references. A block that makes as many references as
 * both allow, or more, is fed without any. */
enum { MOST_BLOCK = 256, MOST_ACCESSES = 16 };

typedef struct listing {
    FILE *out;
    const p5_model *model;
    const loop_code *code;
    p5_error *error;
    uint32_t from, to;             /* addresses: lists [from, to) */
    p5_access *accesses;           /* MOST_BLOCK * MOST_ACCESSES references, all alike */
    ARRAY_OF(p5_trace_insn) trace; /* of the current block's instructions */
    unsigned instructions, pairs;  /* in sum over all blocks, as `clocks` */
    uint64_t clocks;
    bool out_of_memory;
} listing;

static void note(void *context, const p5_trace_insn *insn)
{
    listing *l = context;
    l->out_of_memory |= !ARRAY_ADD(&l->trace, *insn);
}

/* Feeds a block to a new core and collects the trace in l->trace. All references are to the same address, because
 * on this core every reference hits. */
static p5_status price_block(listing *l, const uint8_t *bytes, size_t size, uint32_t address, unsigned count)
{
    p5_core *core;
    p5_status status = p5_core_open(l->model, NULL, &core, l->error);
    if (status != P5_OK)
        return status;
    l->trace.count = 0;
    p5_core_set_ideal(core, P5_IDEAL_HITS | P5_IDEAL_BRANCHES | P5_IDEAL_FETCH);
    p5_core_set_trace(core, note, l);
    p5_block *block = p5_block_make(
        core,
        &(p5_code){.bytes = bytes, .size = size, .linear = address, .physical = address, .code32 = true},
        count);
    unsigned references = 0;
    for (unsigned i = 0; block != NULL && i < p5_block_count(block); i++)
        references += p5_block_accesses(block, i);
    if (block != NULL) {
        const p5_retired r = {.size = sizeof r,
                              .block = block,
                              .count = (uint16_t)p5_block_count(block),
                              .access_count = references < MOST_BLOCK * MOST_ACCESSES ? references : 0,
                              .accesses = l->accesses,
                              .next = address + (uint32_t)size,
                              .cpl = 3,
                              .cpl_after = 3,
                              .mode = P5_MODE_PROTECTED};
        p5_core_retire(core, &r);
        p5_core_settle(core);
        p5_block_release(core, block);
    }
    p5_core_close(core);
    return block != NULL && !l->out_of_memory ? P5_OK
                                              : error_set(l->error, P5_ERR_MEMORY, "no memory for a listing");
}

/* Writes an instruction's line. Its clocks and its latency begin when it starts to work in EX, which may be later
 * than its entry to EX. */
static void write_insn(listing *l, const p5_trace_insn *t)
{
    const p5_case_image *image = &l->code->image;
    const size_t offset = t->address - image->text_address;
    char text[80];
    isa_insn insn;
    isa_decode(l->code->decoder, image->text + offset, image->text_size - offset, t->address, true, &insn);
    isa_disassemble(l->code->decoder,
                    &(isa_code){image->text + offset, image->text_size - offset, t->address, true}, text,
                    sizeof text);
    fprintf(l->out, "%08" PRIx32 "  %-4s %6" PRIu64 " %7" PRIu64 "  %-40s", t->address,
            t->pipe == 0 ? "U" : " V", t->end - t->begin, t->ready - t->begin, text);
    const char *gap = " ";
    const bool ends = t == &l->trace.items[l->trace.count - 1];
    const char *why = t->pipe != 0 || t->unpaired == 0 ? ""
                      : ends                           ? "the block ends"
                                                       : p5_unpaired_text(t->unpaired);
    if (why[0] != '\0') {
        fprintf(l->out, "%salone: %s", gap, why);
        gap = "; ";
    }
    if (t->stall_clocks > 0 && t->ex > l->trace.items[0].ex) { /* the first ones wait for the pipe to fill */
        fprintf(l->out, "%sstall %s %u", gap, p5_stall_name((p5_stall)t->stall), t->stall_clocks);
        gap = "; ";
    }
    if (insn.prefixes > 0)
        fprintf(l->out, "%s%u prefix%s to decode", gap, insn.prefixes, insn.prefixes == 1 ? "" : "es");
    fputc('\n', l->out);
}

static void write_block(listing *l, uint32_t address, bool leader)
{
    if (l->trace.count == 0)
        return;
    const p5_trace_insn *first = &l->trace.items[0], *last = &l->trace.items[l->trace.count - 1];
    unsigned pairs = 0;
    for (size_t i = 0; i < l->trace.count; i++)
        pairs += l->trace.items[i].pipe;
    fprintf(l->out, "\n%08" PRIx32 ":%s %zu instructions, %u pairs, %" PRIu64 " clocks\n", address,
            leader ? " (branch target)" : "", l->trace.count, pairs, last->end - first->ex);
    for (size_t i = 0; i < l->trace.count; i++)
        write_insn(l, &l->trace.items[i]);
    l->instructions += (unsigned)l->trace.count;
    l->pairs += pairs;
    l->clocks += last->end - first->ex;
}

static bool is_leader(const loop_code *code, uint32_t address)
{
    const size_t at = code_find(code, address);
    return at < code->count && code->items[at].leader;
}

/* Lists the block at `address`. The block ends before a leader, the end of the listing, or bytes that are no
 * instruction; after a branch or MOST_BLOCK instructions; and after an instruction with a variable number of
 * references, which p5_retired allows only as the last of a block. Returns the address after the block, l->to if no
 * instruction begins at `address`, or 0 after an error. */
static uint32_t list_block(listing *l, uint32_t address)
{
    const p5_case_image *image = &l->code->image;
    const uint8_t *bytes = image->text + (address - image->text_address);
    uint32_t end = address;
    unsigned count = 0;
    isa_insn insn = {0};
    do {
        if (!isa_decode(l->code->decoder, bytes + (end - address), l->to - end, end, true, &insn))
            break;
        end += insn.length;
        count++;
    } while (end < l->to && count < MOST_BLOCK && isa_forms[insn.form].branch == ISA_NOT_BRANCH &&
             !(insn.flags & ISA_VARIABLE_ACCESSES) && !is_leader(l->code, end));
    if (count == 0)
        return l->to;
    if (price_block(l, bytes, end - address, address, count) != P5_OK)
        return 0;
    write_block(l, address, is_leader(l->code, address));
    return end;
}

/* Finds the function that the loop in the harness calls: from its first instruction to the last that control
 * reaches from there. */
static void find_function(listing *l)
{
    const loop_code *code = l->code;
    for (size_t i = 0; i < code->count && code->items[i].fixed; i++)
        if (isa_forms[code->items[i].insn.form].branch == ISA_CALL)
            l->from = code->items[i].insn.target;
    uint32_t end = l->from + 1, before = 0;
    while (end != before) {
        before = end;
        for (size_t i = 0; i < code->count; i++) {
            const isa_insn *insn = &code->items[i].insn;
            const unsigned branch = isa_forms[insn->form].branch;
            if (insn->address < l->from || insn->address >= end)
                continue;
            uint32_t reached = insn->address + insn->length;
            if (branch != ISA_RET && branch != ISA_JMP && branch != ISA_JMP_INDIRECT)
                reached++; /* the first byte of the next instruction */
            if ((branch == ISA_JCC || branch == ISA_JMP || branch == ISA_LOOP) && insn->target >= reached &&
                insn->target < l->to)
                reached = insn->target + 1;
            end = reached > end ? reached : end;
        }
    }
    l->to = end < l->to ? end : l->to;
}

static void find_range(listing *l, bool function)
{
    const p5_case_image *image = &l->code->image;
    l->from = image->text_address;
    l->to = image->exit_address;
    if (function) {
        l->to = image->text_address + (uint32_t)image->text_size;
        find_function(l);
    }
}

p5_status p5_static_write(FILE *out, const p5_case_program *program, bool function, const char *model_name,
                          p5_error *error)
{
    loop_code code;
    p5_model *model = NULL;
    const p5_window nothing = {0};
    listing l = {.out = out, .code = &code, .error = error};
    p5_status status = p5_model_open(model_name, &model, error);
    l.model = model;
    if (status == P5_OK && !code_open(&code, program, &nothing, 0))
        status = error_set(error, P5_ERR_STATE, "two instructions of this code overlap");
    l.accesses = calloc(MOST_BLOCK * MOST_ACCESSES, sizeof *l.accesses);
    for (unsigned i = 0; l.accesses != NULL && i < MOST_BLOCK * MOST_ACCESSES; i++)
        l.accesses[i] = (p5_access){.linear = 0x1000, .physical = 0x1000, .size = 4};
    if (status == P5_OK && l.accesses == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for a listing");
    if (status == P5_OK) {
        find_range(&l, function);
        fprintf(out,
                "%s, each block from a cold pipe; clocks in EX, and until the result can be used\n\n%-9s "
                "%-4s %7s %7s  %s\n",
                model_name, "address", "pipe", "clocks", "latency", "instruction");
        for (uint32_t at = l.from; at < l.to && status == P5_OK;)
            if ((at = list_block(&l, at)) == 0)
                status = error->status;
        fprintf(out,
                "\n%u instructions, %u pairs; %" PRIu64
                " clocks if each is executed once and nothing misses\n",
                l.instructions, l.pairs, l.clocks);
    }
    if (model != NULL) /* code_open was called */
        code_close(&code);
    free(l.accesses);
    free(l.trace.items);
    p5_model_close(model);
    return status == P5_OK ? error_unless_written(error, out, "the listing") : status;
}
