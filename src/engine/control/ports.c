/* Port I/O: checks the right to use the port, records the access, and calls the engine's owner, which
 * implements the ports. Unicorn itself allows every port and implements none. */
#include <assert.h>

#include "engine/control/callback.h"
#include "engine/control/ports.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"

/* Returns whether the TSS's bitmap must have zero bits for all of the port's bytes: in protected mode with
 * CPL above IOPL, and in V86 mode at any IOPL. Manual: I/O permission bit map; the processor always reads two
 * bytes of it. */
static bool needs_bitmap(const uc_env *env)
{
    unsigned iopl = env->eflags >> 12 & 3, cpl = env->hflags & UC_HF_CPL;
    return env->hflags & UC_HF_PE && (cpl > iopl || env->eflags & EFLAGS_VM);
}

/* Returns whether TR holds a 32-bit TSS that reaches as far as the field with the bitmap's offset. */
bool ports_have_bitmap(const uc_env *env)
{
    unsigned type = env->tr.flags >> 8 & 15;
    return (type & ~(unsigned)SYSTEM_TSS_BUSY) == SYSTEM_TSS32 && env->tr.limit >= TSS_BITMAP_FIELD + 1;
}

/* Reads two bytes of the TSS by a reference of the guest, which is recorded and may raise a fault. With `unseen`,
 * nothing is recorded, and the function returns false instead of raising a fault. */
static bool read_word(engine *e, uint32_t linear, bool unseen, uint32_t *word)
{
    uint8_t bytes[2];
    if (unseen && !engine_read_linear(e, linear, bytes, sizeof bytes))
        return false;
    *word = unseen ? bytes[0] | (uint32_t)bytes[1] << 8 : access_load_system(e, linear, 2, 0);
    return true;
}

/* Returns whether the access is refused. `unseen`: for a check before the instruction begins, which must neither make
 * references nor fault; it refuses nothing that would fault. */
bool ports_refused(engine *e, uint16_t port, unsigned size, bool unseen)
{
    assert(size == 1 || size == 2 || size == 4);
    const uc_env *env = e->env;
    if (!needs_bitmap(env))
        return false;
    if (!ports_have_bitmap(env))
        return true;
    uint32_t base = (uint32_t)env->tr.base, offset, bits;
    if (!read_word(e, base + TSS_BITMAP_FIELD, unseen, &offset))
        return false;
    offset += port / 8u;
    if (offset + 1 > env->tr.limit)
        return true;
    return read_word(e, base + offset, unseen, &bits) && bits >> (port & 7) & ((1u << size) - 1);
}

/* Records the access for the model, and the I/O breakpoints that it matches for a trap after the instruction. */
static void record_port_access(engine *e, uint16_t port, unsigned size, bool write)
{
    unsigned flags = P5_ACCESS_IO | (write ? P5_ACCESS_WRITE : 0u);
    p5_access access = {.linear = port, .size = (uint8_t)size, .flags = (uint8_t)flags};
    access_record(e, port, port, ACCESS_KIND(size, flags));
    guard_port_access(e, &access);
}

/* Execute a read or write of a port by IN, OUT, INS or OUTS. */
static uint32_t in(uc_env *env, uint16_t port, unsigned size)
{
    engine *e = engine_of(env);
    stretch_set_eip(e);
    /* For INS, Unicorn stores before it reads the port, so that the store's faults come first, and stores again
     * afterwards. The processor stores only once, after the read, so the first store's record is dropped. */
    stretch_drop_store(e);
    if (ports_refused(e, port, size, false))
        engine_raise(e, VECTOR_GP, 0);
    record_port_access(e, port, size, false);
    engine_before_callback(e);
    return e->callbacks.port_read(e->callbacks.context, port, size);
}

static void out(uc_env *env, uint16_t port, unsigned size, uint32_t value)
{
    engine *e = engine_of(env);
    stretch_set_eip(e);
    if (ports_refused(e, port, size, false))
        engine_raise(e, VECTOR_GP, 0);
    record_port_access(e, port, size, true);
    engine_before_callback(e);
    e->callbacks.port_write(e->callbacks.context, port, size, value);
}

/* Define the replacements of Unicorn's helper functions for ports. */
#define IN(name, size, mask)                                                                                 \
    uint64_t WRAP(name)(uc_env * env, uint32_t port)                                                         \
    {                                                                                                        \
        return in(env, (uint16_t)port, size) & mask;                                                         \
    }
#define OUT(name, size, mask)                                                                                \
    void WRAP(name)(uc_env * env, uint32_t port, uint32_t value)                                             \
    {                                                                                                        \
        out(env, (uint16_t)port, size, value &mask);                                                         \
    }
IN(helper_inb, 1, 0xffu)
IN(helper_inw, 2, 0xffffu)
IN(helper_inl, 4, 0xffffffffu)
OUT(helper_outb, 1, 0xffu)
OUT(helper_outw, 2, 0xffffu)
OUT(helper_outl, 4, 0xffffffffu)
