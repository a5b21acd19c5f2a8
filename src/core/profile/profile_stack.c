/* A shadow call stack built from the retired instructions. It follows CALL and RET and handles what programs
 * do besides: jumps into other functions (tail calls), unwinding (longjmp), interrupts and signal handlers,
 * and CALL as a way to read EIP.
 *
 * An address in a profile contains the number of its space, because programs with different page directories use
 * the same linear addresses. */
#include <string.h>

#include "core/profile/profiler.h"

enum {
    MOST_FRAMES = 1 << 20,
    MOST_CONTEXTS = 1 << 16,
    SEARCH_FRAMES = 4096 /* youngest frames that are searched for a return address or function */
};

/* Makes `context` the current one, and calls profile_options.moved. */
void profile_set_context(p5_core *core, uint32_t context)
{
    profiler *p = core->profile;
    p->context = context;
    core->used_as = PROFILE_USED_AS(context, core->cpl_class);
    if (p->options.moved)
        p->options.moved(p->options.moved_context, p->frames.count + 1, p->contexts.items[context].function,
                         core->now);
}

/* Returns true if the block ends with a far RET. */
static bool is_far_return(const p5_block *block)
{
    return block->branch_kind == ISA_FAR && block->ops[block->count - 1].far_return;
}

/* Returns how a block leaves its function: ISA_CALL for every call, ISA_RET for a near return, ISA_IRET, ISA_FAR for
 * other far transfers, or ISA_NOT_BRANCH if it does not. Of the far transfers, only CALL and RET change ESP. */
static uint8_t leaves_by(const p5_block *block)
{
    const op *last = &block->ops[block->count - 1];
    switch (block->branch_kind) {
    case ISA_CALL:
    case ISA_CALL_INDIRECT:
        return ISA_CALL;
    case ISA_FAR:
        return !is_far_return(block) && (last->def_gpr & (1 << ISA_ESP)) != 0 ? ISA_CALL : ISA_FAR;
    case ISA_RET:
    case ISA_IRET:
        return block->branch_kind;
    default:
        return ISA_NOT_BRANCH;
    }
}

/* Returns how the last block of the profile ended. */
static profile_end end_of(const profiler *p)
{
    const p5_block *block = p->block;
    if (!block)
        return p->end;
    return (profile_end){.leaves =
                             block->profile.goes_on == PROFILE_ELSEWHERE ? leaves_by(block) : ISA_NOT_BRANCH,
                         .returns = block->branch_kind == ISA_RET || is_far_return(block),
                         .last = block->branch_address,
                         .after = block->fall_through,
                         .function = profile_function(block) - 1};
}

uint32_t profile_last(const p5_core *core)
{
    return end_of(core->profile).last;
}

/* Keeps how `block` ended if it is the last one, because it is about to be freed. */
void profile_released(profiler *p, const p5_block *block)
{
    if (p->block != block)
        return;
    p->end = end_of(p);
    p->block = NULL;
}

/* Returns the number of the function at `address` as profile_end.function has it. */
static uint32_t function_at(const profiler *p, uint64_t address)
{
    size_t low = ARRAY_SEARCH(p->functions, p->options.function_count, end, address + 1ull);
    bool covered = low < p->options.function_count && p->functions[low].start <= address;
    if (covered && p->functions[low].start != 0) /* 0: code of no function (profile_range) */
        return (uint32_t)low + 1;
    return PROFILE_SPACE(address) ? PROFILE_UNKNOWN | PROFILE_SPACE(address) : 0;
}

/* Returns whether a symbol covers the function with this number. */
static bool is_known(uint32_t number)
{
    return number != 0 && (number & PROFILE_UNKNOWN) == 0;
}

/* Returns the address space of a function. */
static unsigned space_of(const profiler *p, uint32_t number)
{
    return is_known(number) ? PROFILE_SPACE(p->functions[number - 1].start) : number & (PROFILE_SPACES - 1);
}

/* Returns the first address of a function, or `otherwise` if it is unknown. */
static uint64_t start_of(const profiler *p, uint32_t number, uint64_t otherwise)
{
    return is_known(number) ? p->functions[number - 1].start : otherwise;
}

/* Returns the number of the function of a recorded block. */
static uint32_t number_of(const p5_block *block)
{
    return profile_function(block) - 1;
}

/* Returns the profile address of the instruction at `linear` of a recorded block. */
static uint64_t address_of(const profiler *p, const p5_block *block, uint32_t linear)
{
    return PROFILE_AT(space_of(p, number_of(block)), linear);
}

/* Returns the number of the space of the current page directory. If there are too many directories, the
 * remaining ones share the last space with the one that got it first. */
static unsigned space_of_directory(profiler *p)
{
    unsigned space = p->options.spaces > 0 ? p->options.spaces : 1;
    size_t i = 0;
    while (i < p->directories.count && p->directories.items[i] != p->directory)
        i++;
    if (i == p->directories.count && space + i < PROFILE_SPACES) {
        if (!ARRAY_ROOM(&p->directories)) {
            p->out_of_memory = true;
            return 0;
        }
        p->directories.items[p->directories.count++] = p->directory;
    }
    return space + i < PROFILE_SPACES ? space + (unsigned)i : PROFILE_SPACES - 1;
}

void profile_load_cr3(profiler *p, uint32_t directory)
{
    p->directory = directory;
}

/* Returns the profile address of the code. Different programs may use the same place in memory at different
 * times; their bytes distinguish them. */
static uint64_t find_address(p5_core *core, const isa_block *code)
{
    profiler *p = core->profile;
    for (size_t i = 0; i < p->options.text_count; i++) {
        const profile_text *text = &p->texts[i];
        uint32_t at = code->linear - (uint32_t)text->address;
        if (at < text->size && code->size <= text->size - at &&
            memcmp(text->bytes + at, code->bytes, code->size) == 0)
            return text->address + at;
    }
    if (core->cpl_class != P5_CPL_USER || p->directory == 0 || is_known(function_at(p, code->linear)))
        return code->linear;
    return PROFILE_AT(space_of_directory(p), code->linear);
}

/* Records the block's instructions, and fills in block->profile. */
static void record_block(p5_core *core, p5_block *block)
{
    profiler *p = core->profile;
    uint64_t begin = find_address(core, block->code);
    uint64_t function = PROFILE_IN(function_at(p, begin));
    block->profile.place = function | block->code->linear;
    block->profile.goes_on = leaves_by(block) != ISA_NOT_BRANCH ? PROFILE_ELSEWHERE : function;
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        uint64_t address = PROFILE_AT(PROFILE_SPACE(begin), o->address);
        uint32_t *index = key_find(&p->code_table, address, 0);
        if (!index || (*index == 0 && !ARRAY_ROOM(&p->code))) {
            p->code_table.used -= index != NULL;
            p->out_of_memory = true;
            return;
        }
        if (*index == 0) {
            *index = (uint32_t)++p->code.count;
            p->fresh = i == 0 ? begin : p->fresh;
        }
        profile_code *code = &p->code.items[*index - 1];
        *code = (profile_code){.address = address,
                               .target = PROFILE_AT(PROFILE_SPACE(begin), o->target),
                               .length = o->length,
                               .branch = o->branch,
                               .code32 = block->code->code32};
        uint32_t at = o->address - block->code->linear;
        if (o->length <= sizeof code->bytes && at + o->length <= block->code->size)
            memcpy(code->bytes, block->code->bytes + at, o->length);
    }
}

/* ---- contexts ------------------------------------------------------------------------------------------ */

/* Returns the context that a call at `call_site` to `function` (its first address) reaches from context `from`, and
 * counts the call. Sets p->edge. A function that is on the stack already keeps its context there. If no more contexts
 * can be stored, the callee counts as part of its caller. Context 1 is the root, above all functions. */
static uint32_t call_edge(profiler *p, uint32_t from, uint64_t call_site, uint64_t function)
{
    _Static_assert(MOST_CONTEXTS <= 1 << 16 && PROFILE_SPACES <= 1 << 8, "the fields of `where`");
    uint64_t where = (uint64_t)from << 48 | (uint64_t)PROFILE_SPACE(function) << 40 | call_site;
    uint32_t *index = key_find(&p->edge_table, where, (uint32_t)function);
    if (!index) {
        p->edge = 0;
        p->out_of_memory = true;
        return from;
    }
    if (*index != 0) {
        profile_edge *edge = &p->edges.items[*index - 1];
        edge->calls++;
        p->edge = *index;
        return edge->to;
    }
    p->edge = 0;
    if (!ARRAY_ROOM(&p->edges) || !ARRAY_ROOM(&p->contexts)) {
        p->edge_table.used--;
        p->out_of_memory = true;
        return from;
    }
    uint32_t to = from;
    while (to != 1 && p->contexts.items[to].function != function)
        to = p->contexts.items[to].parent;
    if (to == 1) { /* the function is not on the stack */
        to = from;
        if (p->contexts.count < MOST_CONTEXTS) {
            to = (uint32_t)p->contexts.count++;
            p->contexts.items[to] =
                (profile_context){.parent = from, .function = function, .call_site = call_site};
        }
    }
    p->edges.items[p->edges.count++] = (profile_edge){call_site, function, from, to, 1};
    p->edge = *index = (uint32_t)p->edges.count;
    return to;
}

/* Pushes a frame that returns to the current context. */
static void push(profiler *p, uint64_t return_address, bool interrupt)
{
    if (p->frames.count == MOST_FRAMES) { /* drops the older half, which is unlikely to be returned to soon */
        memmove(p->frames.items, p->frames.items + MOST_FRAMES / 2,
                MOST_FRAMES / 2 * sizeof *p->frames.items);
        p->frames.count = MOST_FRAMES / 2;
    }
    if (ARRAY_ROOM(&p->frames))
        p->frames.items[p->frames.count++] = (profile_frame){return_address, p->context, interrupt};
    else
        p->out_of_memory = true;
}

/* Returns from the youngest frame whose return address is `address`, and removes the younger ones. `interrupts_only`:
 * searches frames of interrupts only. Returns false if there is none. */
static bool pop_to(p5_core *core, uint64_t address, bool interrupts_only)
{
    profiler *p = core->profile;
    size_t oldest = p->frames.count > SEARCH_FRAMES ? p->frames.count - SEARCH_FRAMES : 0;
    for (size_t i = p->frames.count; i-- > oldest;) {
        const profile_frame *frame = &p->frames.items[i];
        if (frame->return_address != address || (interrupts_only && !frame->interrupt))
            continue;
        p->frames.count = i;
        profile_set_context(core, frame->context);
        return true;
    }
    return false;
}

/* Makes the function the outermost one, called by nothing. */
static void begin(p5_core *core, uint64_t function)
{
    profiler *p = core->profile;
    if (p->options.moved)
        p->options.moved(p->options.moved_context, 0, 0, core->now);
    profile_set_context(core, call_edge(p, 1, 0, function));
}

/* Handles a transfer to `to`, in the function that begins at `function` (0: none), which is no call and for which no
 * frame has the return address. A transfer into the middle of a function on the stack unwinds to it, as longjmp does.
 * While there are no frames, an IRET or far RET, or a near RET into the middle of a function, leads to a started program
 * or to a caller from before the profile began. Its function becomes the outermost one. Anything else is a tail call,
 * which will return to where its caller would have returned. */
static void transfer(p5_core *core, const profile_end *end, uint64_t to, uint64_t function)
{
    profiler *p = core->profile;
    if (function == 0 || function == p->contexts.items[p->context].function)
        return;
    if (to != function) {
        size_t oldest = p->frames.count > SEARCH_FRAMES ? p->frames.count - SEARCH_FRAMES : 0;
        for (size_t i = p->frames.count; i-- > oldest;) {
            uint32_t context = p->frames.items[i].context;
            if (p->contexts.items[context].function != function)
                continue;
            p->frames.count = i;
            profile_set_context(core, context);
            return;
        }
    }
    bool unwinds = end->leaves == ISA_IRET || (end->returns && (end->leaves == ISA_FAR || to != function));
    if (p->frames.count == 0 && unwinds)
        begin(core, function);
    else
        profile_set_context(
            core, call_edge(p, p->context, PROFILE_AT(space_of(p, end->function), end->last), function));
}

/* Handles a call or interrupt at `call_site`, which will return to `return_address`. */
static void enter_function(p5_core *core, uint64_t call_site, uint64_t return_address, uint64_t function,
                           bool interrupt)
{
    profiler *p = core->profile;
    push(p, return_address, interrupt);
    profile_set_context(core, call_edge(p, p->context, call_site, function));
}

/* Handles an exit from the kernel to a different place than the one it was entered from: a signal handler
 * replaces the end of the system call. Returns false if this is not the case. */
static bool signalled(p5_core *core, uint64_t function, unsigned cpl_class)
{
    profiler *p = core->profile;
    const profile_frame *top = p->frames.count ? &p->frames.items[p->frames.count - 1] : NULL;
    if (!top || !top->interrupt || p->cpl_class == P5_CPL_USER || cpl_class != P5_CPL_USER)
        return false;
    uint64_t interrupted = top->return_address;
    p->frames.count--;
    profile_set_context(core, top->context);
    enter_function(core, interrupted, interrupted, function, true);
    return true;
}

/* Returns whether a far transfer to `to`, which no symbol covers, enters a function, such as a started program or code in
 * another mode. The first transfer does so if the code there is newly executed, and then all others do. Otherwise a task
 * may be continuing where it was interrupted. */
static bool is_entry(profiler *p, uint64_t to)
{
    uint32_t *entered = key_find(&p->entry_table, to, 0);
    if (entered == NULL) {
        p->out_of_memory = true;
        return false;
    }
    if (*entered == 0 && p->fresh != to) {
        p->entry_table.used--;
        return false;
    }
    *entered = 1;
    return true;
}

/* Handles the step to `to`, in function `number`, from the stretch before, which ended like `end`: a call, a return or
 * another transfer, or a step into the next function. */
static void arrive(p5_core *core, const profile_end *end, uint64_t to, uint32_t number, unsigned cpl_class)
{
    profiler *p = core->profile;
    uint64_t function = start_of(p, number, to);
    if (end->leaves == ISA_CALL) {
        unsigned space = space_of(p, end->function);
        if ((uint32_t)to == end->after && number == end->function) /* CALL that reads EIP */
            return;
        enter_function(core, PROFILE_AT(space, end->last), PROFILE_AT(space, end->after), function, false);
        if (p->block)
            p->block->profile.edge = p->edge;
        return;
    }
    if (end->leaves && (pop_to(core, to, false) || signalled(core, function, cpl_class)))
        return;
    bool entered = is_known(number) ||
                   PROFILE_SPACE(to) != PROFILE_SPACE(p->contexts.items[p->context].function) ||
                   ((end->leaves == ISA_FAR || end->leaves == ISA_IRET) && is_entry(p, to));
    transfer(core, end, to, entered ? function : 0);
}

/* Sets the context of a sample that was taken just before the instruction at `next`, which comes next. */
static void close_sample(profiler *p, uint64_t next)
{
    if (!p->open_sample)
        return;
    p->open_sample = false;
    profile_sample *sample = &p->samples.items[p->samples.count - 1];
    if ((uint32_t)sample->address != (uint32_t)next)
        return;
    sample->address = next;
    sample->context = p->context;
}

/* Returns whether the last stretch ended with INT and expects to continue after it. Even if another function begins
 * there, INT is no step into it. */
static bool is_software_interrupt(const profiler *p)
{
    return p->block && p->block->branch_kind == ISA_INT && (uint32_t)p->expected == p->block->fall_through;
}

/* Enters an interrupt handler. It will return to where the last stretch led, which ended like `end`. A call or return at
 * the end of that stretch is handled first. */
static void interrupt(p5_core *core, const profile_end *end, unsigned cpl_class, uint64_t function)
{
    profiler *p = core->profile;
    const profile_frame *top = p->frames.count ? &p->frames.items[p->frames.count - 1] : NULL;
    uint64_t expected = PROFILE_AT(space_of(p, end->function), p->expected);
    if (end->leaves && top && (uint32_t)top->return_address == (uint32_t)expected)
        expected = top->return_address;
    uint32_t number = function_at(p, expected);
    bool software = is_software_interrupt(p);
    if (!software && (number != end->function || end->leaves))
        arrive(core, end, expected, number, cpl_class);
    close_sample(p, expected);
    uint64_t site = software ? PROFILE_AT(PROFILE_SPACE(expected), end->last) : expected;
    enter_function(core, site, expected, function, true);
}

/* Finds the context of the stretch at `to`, in function `number`, if it is not simply that of the stretch before, which
 * ended like `end`. An unexpected transfer is a signal or interrupt, or the return from one. */
static void find_context(p5_core *core, const profile_end *end, uint64_t to, uint32_t number)
{
    profiler *p = core->profile;
    uint64_t function = start_of(p, number, to);
    if (!p->started) {
        p->started = true;
        begin(core, function);
        return;
    }
    if ((uint32_t)to == (uint32_t)p->expected)
        arrive(core, end, to, number, core->cpl_class);
    else if (!pop_to(core, to, true) && !signalled(core, function, core->cpl_class))
        interrupt(core, end, p->cpl_class, function);
}

/* Updates the calling context before the stretch `r` is priced, and records the interval if it is over. */
void profile_follow(p5_core *core, const p5_retired *r)
{
    profiler *p = core->profile;
    if (profile_interval_over(p, core->now))
        p->interval_over(core);
    p5_block *block = r->block;
    if (block->profile.place == 0)
        record_block(core, block);
    uint64_t to = address_of(p, block, r->first == 0 ? block->code->linear : block->ops[r->first].address);
    uint32_t number = number_of(block);
    profile_end end = end_of(p);
    p->space = PROFILE_SPACE(to);
    if ((uint32_t)to != (uint32_t)p->expected || number != end.function || end.leaves)
        find_context(core, &end, to, number);
    close_sample(p, to);
    bool ends_block = r->first + r->count == block->count;
    p->block = ends_block ? block : NULL;
    p->end = (profile_end){.last = block->ops[r->first + r->count - 1].address, .function = number};
    p->expected = r->next | (ends_block ? block->profile.goes_on : PROFILE_IN(number));
    p->cpl_class = core->cpl_class;
}

/* Repeats a call by the block `last` that was made before, from the same context to the same function.
 * Returns false if there was none. */
static bool calls_again(p5_core *core, const p5_block *last, const p5_block *block)
{
    profiler *p = core->profile;
    if (last->profile.edge == 0 || (uint32_t)block->profile.place == last->fall_through ||
        p->frames.count == p->frames.capacity || p->frames.count == MOST_FRAMES)
        return false;
    profile_edge *edge = &p->edges.items[last->profile.edge - 1];
    uint64_t to = address_of(p, block, (uint32_t)block->profile.place);
    if (edge->from != p->context || edge->function != start_of(p, number_of(block), to))
        return false;
    p->frames.items[p->frames.count++] =
        (profile_frame){address_of(p, last, last->fall_through), p->context, false};
    edge->calls++;
    p->space = PROFILE_SPACE(to);
    profile_set_context(core, edge->to);
    return true;
}

/* Handles a return to `address` if that is where the youngest frame returns to. Otherwise returns false. */
static bool returns_to(p5_core *core, uint64_t address)
{
    profiler *p = core->profile;
    if (p->frames.count == 0)
        return false;
    const profile_frame *top = &p->frames.items[p->frames.count - 1];
    if (top->return_address != address)
        return false;
    p->frames.count--;
    p->space = PROFILE_SPACE(address);
    profile_set_context(core, top->context);
    return true;
}

/* Does what profile_follow does for a stretch that is all of `block`. A call that was made before and a return to the
 * youngest frame take few steps. */
void profile_follow_block(p5_core *core, p5_block *block, uint32_t next)
{
    profiler *p = core->profile;
    if (profile_interval_over(p, core->now))
        p->interval_over(core);
    p5_block *last = p->block;
    bool leaves = last && last->profile.goes_on == PROFILE_ELSEWHERE && block->profile.place != 0 &&
                  (uint32_t)block->profile.place == (uint32_t)p->expected && !p->open_sample;
    bool called = leaves && leaves_by(last) == ISA_CALL;
    if (leaves && (called ? calls_again(core, last, block)
                          : returns_to(core, address_of(p, block, (uint32_t)block->profile.place)))) {
        profile_went_on(p, block, next);
        p->cpl_class = core->cpl_class;
        return;
    }
    const p5_retired r = {.size = sizeof r, .block = block, .count = (uint16_t)block->count, .next = next};
    profile_follow(core, &r);
}

/* Enters the handler of an exception or interrupt that was delivered from this privilege class. */
void profile_delivered(p5_core *core, unsigned cpl_class, uint32_t handler)
{
    profiler *p = core->profile;
    const profile_end end = end_of(p);
    uint64_t to = PROFILE_AT(core->cpl_class == P5_CPL_USER ? p->space : 0, handler);
    uint32_t number = function_at(p, to);
    uint64_t function = start_of(p, number, to);
    if (p->started)
        interrupt(core, &end, cpl_class, function);
    else
        begin(core, function); /* what it interrupts is not known */
    p->space = PROFILE_SPACE(to);
    p->started = true;
    p->end = (profile_end){.last = end.last, .function = number};
    p->block = NULL;
    p->cpl_class = core->cpl_class;
    p->expected = handler | PROFILE_IN(number);
}
