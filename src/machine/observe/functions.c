/* Entries into watched functions, and the exits that belong to them. */
#include "machine/observe/observe_internal.h"

#include "isa/isa.h"

enum { MOST_FRAMES = 65536 };

static bool is_cut(const observers *all, uint32_t address)
{
    return array_contains(all->cuts, all->cut_count, address);
}

static int find_address(const p5_observer *o, uint32_t address)
{
    for (size_t i = 0; i < o->options.address_count; i++)
        if (o->addresses[i] == address)
            return (int)i;
    return -1;
}

static uint32_t stack_linear(const engine *e, uint32_t esp)
{
    engine_segment stack;
    engine_get_segment(e, ENGINE_SS, &stack);
    bool wide = (stack.flags >> 22 & 1) != 0; /* the B bit */
    return stack.base + (wide ? esp : esp & 0xffff);
}

/* Control has come to `next`: if it is a watched address, remembers the frame. `skip` bytes lie on the stack
 * above the return address. */
void observe_arrive(p5_machine *machine, uint32_t next, unsigned cpl, uint32_t skip)
{
    bool cut = is_cut(machine->observers, next);
    engine *e = machine->engine;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next) {
        int number = cut ? find_address(o, next) : -1;
        o->arrived = number >= 0;
        if (!o->arrived)
            continue;
        engine_segment code;
        engine_get_segment(e, ENGINE_CS, &code);
        o->arrival =
            (frame){.number = (uint32_t)number, .esp = engine_get(e, ENGINE_ESP), .cpl = (uint8_t)cpl};
        uint32_t offset = 0;
        engine_read_linear(e, stack_linear(e, o->arrival.esp + skip), &offset, 4);
        o->arrival.return_address = code.base + offset;
    }
}

/* The first instruction of a stretch at a watched address has completed, and is not yet priced. */
void observe_enter(p5_observer *o, const p5_retired *r, uint32_t address)
{
    o->arrived = false;
    if (o->arrival.number >= o->options.address_count || o->addresses[o->arrival.number] != address)
        return;
    observe_tell(o, P5_OBSERVE_ENTRY, address, r->cpl, o->arrival.number, 0);
    bool open = o->machine != NULL; /* the callback may have closed it */
    if (open && o->frames.count < MOST_FRAMES && ARRAY_ROOM(&o->frames))
        o->frames.items[o->frames.count++] = o->arrival;
}

bool observe_may_return(unsigned branch)
{
    return branch == ISA_RET || branch == ISA_IRET || branch == ISA_FAR || branch == ISA_JMP_INDIRECT;
}

/* A return to `next` has been priced. It leaves the innermost frame that was to return there, and those
 * above it, which have been left in another way (longjmp). */
void observe_leave(p5_observer *o, uint32_t next, unsigned cpl)
{
    uint32_t esp = engine_get(o->machine->engine, ENGINE_ESP);
    size_t left = o->frames.count;
    for (;;) {
        if (left == 0)
            return;
        const frame *f = &o->frames.items[--left];
        if (f->cpl == cpl && f->esp >= esp)
            return; /* this one is still on the stack */
        if (f->return_address == next)
            break;
    }
    while (o->frames.count > left) {
        uint32_t number = o->frames.items[--o->frames.count].number;
        observe_tell(o, P5_OBSERVE_EXIT, next, cpl, number, 0);
    }
}
