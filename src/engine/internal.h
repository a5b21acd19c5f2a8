/* The engine's state. Each folder has its part, and only that folder touches it; a folder's headers have
 * functions for the others. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <stdatomic.h>
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

/* Bits of engine_run_state.requested. engine_request_attention sets both. */
enum { REQUEST_BLOCK = 1, REQUEST_ITERATION = 2 };

/* What ends or interrupts a run. */
typedef struct engine_run_state {
    atomic_uint requested; /* attention() at the next boundary: REQUEST_* */
    bool running;
    bool
        redirected; /* a callback changed EIP or a segment: the block that was about to start is not the next */
    bool stopping;
    engine_stop stop;
    char failure[200];
} engine_run_state;

struct engine {
    stretch_state stretch; /* first, because the start of every block uses it */
    engine_run_state run;
    uc_env *env;
    engine_callbacks callbacks;
    memory_state memory;
    x87_state x87;
    segment_state segment;
    stream_state stream;
    engine_options options;
    uc_engine *uc;
    isa_decoder *decoder;
};

static inline engine *engine_of(const uc_env *env)
{
    return env->owner;
}
static inline uc_cpu *engine_cpu(const engine *e)
{
    return uc_cpu_of(e->env);
}
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

/* --- What ends or interrupts a run (leave.c) --- */

/* Stops the engine with ENGINE_FAILED at the next boundary. The first failure is the cause; later ones are
 * ignored. */
void engine_fail(engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void engine_fail_memory(engine *e);
static inline bool engine_failed(const engine *e)
{
    return e->run.failure[0] != '\0';
}
/* Leaves uc_emu_start with `stop`; the state's EIP must be current. May only be called from within a run. */
_Noreturn void engine_leave(engine *e, engine_stop stop);
/* Makes Unicorn's loop, which is about to end, the end of the run. */
void engine_stops(engine *e, engine_stop stop);
/* Continues at the state's EIP. May only be called from within a run. */
_Noreturn void engine_resume(engine *e);
/* Raises `vector` at the state's EIP. May only be called from within a run. */
_Noreturn void engine_raise(engine *e, int vector, uint32_t error_code);

static inline bool engine_running(const engine *e)
{
    return e->run.running;
}

/* Record that the block about to start is not the next one; engine_redirected says so, and engine_not_redirected
 * forgets it before a callback. */
static inline void engine_redirect(engine *e)
{
    e->run.redirected = true;
}
static inline bool engine_redirected(const engine *e)
{
    return e->run.redirected;
}
static inline void engine_not_redirected(engine *e)
{
    e->run.redirected = false;
}

/* Returns the pending requests. They are checked where a batch ends; a request in the middle of a block
 * therefore calls stretch_no_batch, too. */
static inline unsigned engine_requests(const engine *e)
{
    return atomic_load_explicit(&e->run.requested, memory_order_relaxed);
}
static inline void engine_requests_done(engine *e)
{
    atomic_store_explicit(&e->run.requested, 0, memory_order_relaxed);
}

#endif
