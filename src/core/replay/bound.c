/* Bounds the clocks that a stretch (what was executed of a basic block) can take, before it is priced. The caller can
 * then stop before a clock limit. */
#include "core/bus/bus_cycle.h"
#include "core/core.h"
#include "core/replay/memo.h"
#include "core/memory/banks.h"
#include "core/memory/memory_fast.h"
#include "core/model/model.h"

/* Upper bound of the clocks from a redirection of the instruction stream until EX, with what fetching a line adds to
 * them besides its bus cycles. */
enum { FRONT = 32 };

/* ---- pending work -------------------------------------------------------------------------------------- */

/* Returns the latest of `clock` and `count` clocks of a state, which are relative to now. */
static int latest(int clock, const int16_t *clocks, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (clocks[i] > clock)
            clock = clocks[i];
    return clock;
}

/* Returns the clocks from now until all units of the pipe are ready. */
static unsigned pipe_backlog(const pipe_state *s)
{
    const int16_t single[] = {s->d1_free,    s->d2_free,        s->prefetch.clock, s->fifo.clock,
                              s->fpu.issue,  s->fpu.multiplier, s->fpu.idle,       s->fpu.status,
                              s->miss_until, s->fpu.integer,    s->refill_until};
    int clock = latest(0, single, sizeof single / sizeof *single);
    clock = latest(clock, s->prefetch.part, PREFETCH_PARTS);
    clock = latest(clock, s->prefetch.line, PREFETCH_PARTS);
    clock = latest(clock, s->prefetch.freed, PREFETCH_BUFFERS);
    clock = latest(clock, s->fifo.pull, FIFO_DEPTH);
    clock = latest(clock, s->fpu.st, FPU_REGISTERS);
    return (unsigned)latest(clock, s->mmx.ready, MMX_REGISTERS);
}

/* ---- caches and TLBs ----------------------------------------------------------------------------------- */

/* What earlier references of the stretch may have displaced. */
typedef struct displaced {
    uint64_t sets[2]; /* sets of the data cache into which lines may have been filled, one bit each */
    bool pages;       /* a page was walked for */
} displaced;

/* Returns whether a line may have been filled into the set. */
static bool is_filled(const displaced *d, unsigned set)
{
    return d->sets[set / 64] >> set % 64 & 1;
}

/* Returns whether the line at `linear` may be fetched as code, which removes it from the data cache: it is near
 * `size` bytes of code at `code`, including the line before and those that PF fetches ahead. */
static bool close_to_code(uint32_t linear, uint32_t code, uint32_t size)
{
    enum { LINES_AROUND = 4 };
    return linear - (code - P5_LINE_BYTES) < size + LINES_AROUND * P5_LINE_BYTES;
}

/* Returns whether the reference certainly hits, in one line, in a 4 KB page or without paging, whatever the
 * references before it have displaced. Otherwise records in `d` what it may displace. */
static bool hits(const struct memory *m, const p5_access *a, displaced *d)
{
    bool write = (a->flags & P5_ACCESS_WRITE) != 0;
    bool page = !d->pages && memory_has_page(m, a);
    d->pages |= !page;
    unsigned set = cache_set(a->physical);
    bool line = (a->flags & ACCESS_ON_BUS) == 0 && memory_within_line(a) &&
                memory_hit(m, a->physical, write) >= 0 && !is_filled(d, set);
    if (!line) {
        d->sets[set / 64] |= 1ull << set % 64;
        set = (set + 1) % CACHE_SETS; /* a split reference also fills the next line */
        d->sets[set / 64] |= 1ull << set % 64;
    }
    return page && line;
}

/* Returns the most clocks that a reference takes if it does not hit. */
static uint32_t most_clocks_of(const struct memory *m, const bound *b, const p5_access *a)
{
    bool in_part = (a->flags & ACCESS_ON_BUS) == 0 && (a->linear & 7) + a->size <= 8 &&
                   !bus_is_video(a->physical) && memory_has_page(m, a);
    return in_part ? b->part_clocks : b->access_clocks;
}

/* Returns whether the code crosses a page boundary. */
static bool spans_pages(const isa_block *code)
{
    return (code->linear & 0xfff) + code->size > 0x1000;
}

/* Returns how many lines of the block may have to be fetched from the bus. The line where the stream continues does
 * not count, because it is requested with the next block. */
static unsigned lines_missing(const struct memory *m, const isa_block *code)
{
    unsigned missing = 0;
    uint32_t first = cache_line(code->physical), end = code->physical + code->size;
    if (spans_pages(code))
        return (end - first) / P5_LINE_BYTES + 1; /* the second page may be anywhere */
    for (uint32_t line = first; line < end; line += P5_LINE_BYTES)
        missing += !memory_has_code(m, line);
    return missing;
}

/* Returns the most clocks of the walks for the pages of the code. */
static uint32_t code_walks(const struct memory *m, const bound *b, const isa_block *code)
{
    const unsigned first = !memory_has_code_page(m, code->linear),
                   second = memory_is_paged(m) && spans_pages(code);
    return (first + second) * b->walk_clocks;
}

/* Returns an upper bound of the clocks of the stretch without regard to what the caches contain. */
static uint64_t bound_anywhere(const bound *b, const p5_retired *r)
{
    uint64_t clocks = bound_worst(b, r->block->most_clocks, r->access_count, r->block->code->size);
    for (const p5_access *a = r->accesses; a < r->accesses + r->access_count; a++)
        clocks += (a->flags & P5_ACCESS_IO) != 0 ? b->port_clocks : 0;
    return clocks;
}

/* Returns an upper bound of the clocks until all instructions of the stretch have left EX. */
uint64_t bound_clocks(p5_core *core, const p5_retired *r)
{
    const bound *b = &core->bound;
    const p5_block *block = r->block;
    const struct memory *m = core->memory;
    /* A `fixed` block contains no port access, no LOCK, and only a fixed number of references. */
    if (!block->memo.fixed || r->unsafe_x87 || memo_is_held(core) || memo_waiting(core) || memory_frozen(m) ||
        memory_has_agent(m))
        return bound_anywhere(b, r);
    const pipe_state *state = memo_pipe_state(core);
    /* clocks of a switch between MMX and x87 at the block's first such instruction */
    uint32_t entry = state->x87_mode != block->first_switch.mode ? block->first_switch.clocks : 0;
    uint64_t clocks = block->most_clocks + entry + FRONT + pipe_backlog(state) + memory_backlog(m, core->now);
    clocks += (uint64_t)(memory_model(m)->latency.misaligned + BANK_CLOCKS) * r->access_count;
    unsigned lines = lines_missing(m, block->code);
    clocks += code_walks(m, b, block->code);
    bool uses_bus = lines > 0;
    displaced d = {{0}, false};
    for (const p5_access *a = r->accesses; a < r->accesses + r->access_count; a++) {
        bool code = close_to_code(a->linear, block->code->linear, block->code->size) ||
                    close_to_code(a->linear, r->next, 0);
        if (hits(m, a, &d) && !code)
            continue;
        clocks += d.pages ? b->access_clocks : most_clocks_of(m, b, a);
        uses_bus = true;
        if (code ||
            memory_has_code(m, a->physical)) /* it may remove lines of the block from the code cache */
            lines = block->code->size / P5_LINE_BYTES + 2;
    }
    if (uses_bus) /* which may be busy with earlier requests or a prefetch */
        clocks += (uint64_t)b->line_clocks * lines + memory_bus_backlog(m, core->now);
    return clocks;
}
