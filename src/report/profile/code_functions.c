/* Finds functions in executed code without symbols, by control flow, and adds them to a profile. A function
 * begins at the target of a call, interrupt or far transfer, and at code that control cannot have reached
 * from the function before.
 *
 * Addresses are linear addresses with the number of an address space above bit 31: 0 for the guest, and others for
 * programs with symbols or a page directory of their own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "report/profile/profile_internal.h"

enum {
    GAP = 32,        /* a gap of more unexecuted bytes ends a function */
    TABLE_GAP = 4096 /* the gap in a function with an indirect jump, because its cases may be anywhere */
};

typedef struct code_reader {
    p5_profile *p;
    ARRAY_OF(uint64_t) starts;        /* targets of calls, interrupts and far transfers, ascending */
    ARRAY_OF(profile_function) found; /* by address; not yet in the profile */
    profile_function *open;           /* the last of `found`, while code may be added to it; NULL: none */
    uint64_t reach;                   /* the highest target of a direct jump in `open` */
    bool tables;                      /* `open` has an indirect jump */
} code_reader;

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return ARRAY_ORDER(*x, *y);
}

/* Collects c->starts from the profile's contexts (a context is a function together with the calls that led to
 * it), and from its edges (calls between contexts), which may lead to functions that got no context because
 * the table was full. Returns false when memory is out. */
static bool find_starts(code_reader *c)
{
    const p5_profile *p = c->p;
    for (size_t i = PROFILE_ROOT + 1; i < p->contexts.count; i++)
        if (!ARRAY_ADD(&c->starts, p->contexts.items[i].function))
            return false;
    for (size_t i = 0; i < p->edges.count; i++)
        if (!ARRAY_ADD(&c->starts, p->edges.items[i].function))
            return false;
    ARRAY_SORT(&c->starts, by_number);
    return true;
}

static bool is_start(const code_reader *c, uint64_t address)
{
    size_t at = array_search(c->starts.items, c->starts.count, sizeof address, 0, sizeof address, address);
    return at < c->starts.count && c->starts.items[at] == address;
}

/* Adds a function that begins at `start` to c->found: an empty one named sub_ADDRESS, to which add_insn adds
 * instructions. Returns false when memory is out. */
static bool begin_function(code_reader *c, uint64_t start)
{
    char name[16];
    snprintf(name, sizeof name, "sub_%" PRIx32, (uint32_t)start);
    /* The object is the path of the program in the address space. */
    profile_function f = {.start = start,
                          .end = start,
                          .symbol = arena_text(&c->p->texts, name),
                          .object = c->p->objects.items[PROFILE_SPACE(start)]};
    c->open = NULL;
    if (!f.symbol || !ARRAY_ADD(&c->found, f))
        return false;
    c->open = &c->found.items[c->found.count - 1];
    c->reach = start;
    c->tables = false;
    return true;
}

/* Returns true if the instruction at `address` belongs to the open function: no other starts here, and the
 * gap before the instruction is small or a jump of the function passes over it. */
static bool is_in_open(const code_reader *c, uint64_t address)
{
    if (!c->open || PROFILE_SPACE(c->open->start) != PROFILE_SPACE(address) || is_start(c, address))
        return false;
    return address <= c->open->end + (c->tables ? TABLE_GAP : GAP) || address <= c->reach;
}

/* Adds an instruction to the open function, or to a new one. Instructions come in the order of their
 * addresses. Returns false when memory is out. */
static bool add_insn(code_reader *c, const profile_code *code)
{
    if (!is_in_open(c, code->address) && !begin_function(c, code->address))
        return false;
    uint64_t end = code->address + code->length;
    c->open->end = end > c->open->end ? end : c->open->end;
    if ((code->branch == ISA_JCC || code->branch == ISA_JMP || code->branch == ISA_LOOP) &&
        code->target > c->reach)
        c->reach = code->target;
    c->tables |= code->branch == ISA_JMP_INDIRECT;
    return true;
}

bool profile_add_code_functions(p5_profile *p)
{
    code_reader c = {.p = p};
    bool fits = find_starts(&c);
    for (size_t i = 0; fits && i < p->insns.count; i++) {
        const profile_code *code = &p->insns.items[i].code;
        if (profile_function_at(p, code->address) == PROFILE_NO_INDEX)
            fits = add_insn(&c, code);
        else
            c.open = NULL; /* a function with a symbol lies between */
    }
    for (size_t i = 0; fits && i < c.found.count; i++)
        fits = ARRAY_ADD(&p->functions, c.found.items[i]);
    profile_finish(p);
    free(c.starts.items);
    free(c.found.items);
    return fits;
}
