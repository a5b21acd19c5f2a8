/* Entries into watched functions, and the matching exits. A frame is a call of a watched function that has not been
 * left. All addresses are linear. */
#include "machine/observe/observe_internal.h"

#include <assert.h>

#include "isa/isa.h"

enum {
    MOST_FRAMES = 65536,  /* of one observer; exits of deeper calls are not reported */
    MOST_STACK = 8 << 20, /* bytes; addresses further apart are on different stacks */
};

/* Returns whether any observer watches the address. The engine begins a stretch at each such address (a cut). */
static bool is_cut(const observers *all, uint32_t address)
{
    return array_contains(all->cuts, all->cut_count, address);
}

/* Returns the number of the function among the observer's addresses; -1: it does not watch the address. */
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

/* Returns the linear address to which the return address at linear address `at` leads. 16-bit code has a 16-bit
 * offset there. In real mode a far return address also has the segment, which gives the code's base. */
static uint32_t return_address(engine *e, uint32_t at, bool far)
{
    engine_segment code;
    uint32_t word[2] = {0, 0};
    engine_get_segment(e, ENGINE_CS, &code);
    unsigned size = (code.flags >> 22 & 1) != 0 ? 4 : 2; /* the D bit */
    engine_read_linear(e, at, &word[0], size);
    bool real = (engine_get(e, ENGINE_CR0) & 1) == 0;
    if (far && real && engine_read_linear(e, at + size, &word[1], 2))
        code.base = word[1] << 4;
    return code.base + word[0];
}

/* Saves a frame for each observer that watches `next`, to which control has gone. The frame becomes an entry when the
 * first instruction there completes (observe_enter), because an exception may come first. `skip` is the number of bytes
 * between the top of the stack and the return address. */
void observe_arrive(p5_machine *machine, uint32_t next, unsigned cpl, uint32_t skip, bool far)
{
    bool cut = is_cut(machine->observers, next);
    engine *e = machine->engine;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next) {
        int number = cut ? find_address(o, next) : -1;
        o->arrived = number >= 0;
        if (!o->arrived)
            continue;
        o->arrival = (frame){.number = (uint32_t)number,
                             .esp = engine_get(e, ENGINE_ESP),
                             .directory = engine_get(e, ENGINE_CR3),
                             .cpl = (uint8_t)cpl};
        o->arrival.return_address = return_address(e, stack_linear(e, o->arrival.esp + skip), far);
    }
}

void observe_enter(p5_observer *o, const p5_retired *r, uint32_t address)
{
    o->arrived = false;
    assert(o->arrival.number < o->options.address_count);
    if (o->addresses[o->arrival.number] != address)
        return; /* the host has changed EIP since */
    observe_notify(o, P5_OBSERVE_ENTRY, address, r->cpl, o->arrival.number, 0);
    bool open = o->machine != NULL; /* false if the callback has closed the observer */
    if (open && o->frames.count < MOST_FRAMES && ARRAY_ROOM(&o->frames))
        o->frames.items[o->frames.count++] = o->arrival;
}

/* Returns whether a branch of this kind can leave a function. A jump can, after the code has popped the return address or
 * has set ESP as longjmp does. */
bool observe_may_return(unsigned branch)
{
    return branch == ISA_RET || branch == ISA_IRET || branch == ISA_FAR || branch == ISA_JMP ||
           branch == ISA_JMP_INDIRECT;
}

/* Returns true if the stack of the code at `cpl` grows down from one place, so that `esp` above a return address means
 * that the call is over. Below CPL 3 it can mean that a kernel has switched to another task's stack, and a 16-bit stack can
 * be in another segment. */
static bool stack_is_single(const engine *e, unsigned cpl)
{
    engine_segment stack;
    engine_get_segment(e, ENGINE_SS, &stack);
    return cpl == 3 && (stack.flags >> 22 & 1) != 0; /* the B bit */
}

/* Reports the exits of a transfer to `next`, which has been priced. It leaves the innermost frame with that return
 * address, and those of its tail calls, which share the return address on the stack. It also leaves the frames inside
 * these, and frames whose return address is no longer on the stack: longjmp or a C++ exception has left them. */
void observe_leave(p5_observer *o, uint32_t next, unsigned cpl)
{
    const engine *e = o->machine->engine;
    uint32_t esp = engine_get(e, ENGINE_ESP), directory = engine_get(e, ENGINE_CR3);
    bool single = stack_is_single(e, cpl);
    size_t left = o->frames.count;
    const frame *returned = NULL;
    for (size_t i = o->frames.count; i-- > 0;) {
        const frame *f = &o->frames.items[i];
        if (f->cpl == cpl && f->esp >= esp)
            break; /* its return address is still on the stack, as are those of the frames outside it */
        if (f->return_address == next && (returned == NULL || returned->esp == f->esp)) {
            returned = f;
            left = i;
        } else if (single && f->cpl == cpl && f->directory == directory && esp - f->esp <= MOST_STACK) {
            left = i;
        }
    }
    while (o->frames.count > left) {
        uint32_t number = o->frames.items[--o->frames.count].number;
        observe_notify(o, P5_OBSERVE_EXIT, next, cpl, number, 0);
    }
}
