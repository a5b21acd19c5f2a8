/* The engine's state. Each folder has a part of it, which only that folder accesses. Other folders call the functions
 * in its headers. Names that begin with uc_ or UC_ belong to Unicorn or describe its structures (unicorn/). */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <string.h>

#include "engine/block.h"
#include "engine/engine.h"
#include "engine/memory/state.h"
#include "engine/segment/state.h"
#include "engine/stream/state.h"
#include "engine/stretch/state.h"
#include "engine/unicorn/inside.h"
#include "engine/x87/state.h"
#include "isa/isa.h"
#include "isa/processor.h"

struct engine {
    stretch_state stretch; /* first, because the start of every block uses it */
    uc_env *env;           /* Unicorn's processor state, a part of `uc` */
    engine_callbacks callbacks;
    memory_state memory;
    x87_state x87;
    segment_state segment;
    stream_state stream;
    engine_options options;
    uc_engine *uc;
    isa_decoder *decoder;
};

/* Returns the engine to which a processor state belongs. */
static inline engine *engine_of(const uc_env *env)
{
    return env->owner;
}
static inline uc_cpu *engine_cpu(const engine *e)
{
    return uc_cpu_of(e->env);
}
/* Returns the linear address of CS:EIP. The state's EIP must be current: translated code does not update it at every
 * instruction. */
static inline uint32_t engine_linear_eip(const engine *e)
{
    return (uint32_t)(e->env->segs[ENGINE_CS].base + e->env->eip);
}
/* Returns a linear address as an offset in CS. */
static inline uint32_t engine_code_offset(const engine *e, uint32_t linear)
{
    return linear - (uint32_t)e->env->segs[ENGINE_CS].base;
}
static inline bool engine_at_user_level(const uc_env *env)
{
    return (env->hflags & UC_HF_CPL) == 3;
}

#endif
