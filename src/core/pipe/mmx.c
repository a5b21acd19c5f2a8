/* When MMX instructions may enter EX because of their sources. */
#include "core/pipe/mmx.h"

#include "core/event/clock.h"

/* Stores and moves to integer registers take their source one clock early. */
static bool mmx_reads_early(const op *o)
{
    return o->unit == ISA_MMX_STORE || (o->unit == ISA_MMX_INT && o->write_mm == 0);
}

int64_t mmx_sources_ready(const mmx_unit *m, const op *o, int64_t clock)
{
    for (unsigned i = 0, mask = o->read_mm; mask; i++, mask >>= 1)
        if (mask & 1)
            clock = clock_later(clock, m->ready[i]);
    return clock;
}

int64_t mmx_ready(const mmx_unit *m, const op *o, int64_t clock, int64_t *multiply)
{
    *multiply = mmx_sources_ready(m, o, clock);
    return mmx_reads_early(o) ? mmx_sources_ready(m, o, clock - 1) + 1 : *multiply;
}

bool mmx_product_awaited(const mmx_unit *m, int64_t clock)
{
    for (unsigned i = 0; i < MMX_REGISTERS; i++)
        if (m->ready[i] > clock)
            return true;
    return false;
}

void mmx_issue(mmx_unit *m, const op *o, int64_t end)
{
    int64_t ready = end + (o->unit == ISA_MMX_MUL ? MMX_MULTIPLY_EXTRA : 0);
    for (unsigned i = 0, mask = o->write_mm; mask; i++, mask >>= 1)
        if (mask & 1)
            m->ready[i] = ready;
}
