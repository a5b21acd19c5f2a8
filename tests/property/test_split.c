/* Law: a stretch run in pieces, cut anywhere, is the same stretch: every stage of every instruction, every
 * event, every owner of a clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/core/model_timing.h"
#include "random_model.h"
#include "pipe_runner.h"

static bool same_insn(const p5_trace_insn *a, const p5_trace_insn *b)
{
    /* D1 and D2 clocks from before a long stall are only kept in order, not to the clock. */
    enum { DISTANT = 100 };
    bool distant = a->ex - a->d1 > DISTANT;
    return a->address == b->address && (distant || (a->d1 == b->d1 && a->d2 == b->d2)) && a->ex == b->ex &&
           a->end == b->end && a->pipe == b->pipe && a->unpaired == b->unpaired && a->stall == b->stall &&
           a->stall_clocks == b->stall_clocks;
}

static bool same(const pipe_record *a, const pipe_record *b)
{
    if (a->count != b->count || a->clocks != b->clocks ||
        memcmp(&a->deltas, &b->deltas, sizeof a->deltas) != 0)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (!same_insn(&a->insns[i], &b->insns[i]))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    static pipe_record whole, pieces;
    unsigned long insns = 0;
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        timing of_model = *timing_of(family);
        const timing *const t = &of_model;
        isa_decoder *decoder = isa_decoder_open(family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C);
        if (!decoder)
            return 1;
        for (unsigned long seed = first; seed - first < programs; seed++) {
            if (seed == first || seed % 8 == 0) /* most programs have the figures of random models */
                of_model = seed / 8 % 8 == 0 ? *timing_of(family) : random_timing(family, seed / 8);
            of_model.gap_clocks = 100; /* shorter than many waits, so that gaps are shortened often */
            random_source r = {seed * 2 + family}, cuts = {seed};
            program p;
            program_make(&p, &r, t, decoder, (unsigned)(seed % 3 * 10));
            pipe_runner(&p, t, &cuts, 0, &whole);
            pipe_runner(&p, t, &cuts, 30, &pieces);
            if (!same(&whole, &pieces)) {
                printf("program %lu, family %u: whole %llu clocks, in pieces %llu\n", seed, family,
                       (unsigned long long)whole.clocks, (unsigned long long)pieces.clocks);
                for (unsigned i = 0; i < whole.count || i < pieces.count; i++)
                    printf("%c %x/%x d1 %llu/%llu d2 %llu/%llu ex %llu/%llu end %llu/%llu\n",
                           same_insn(&whole.insns[i], &pieces.insns[i]) ? ' ' : '*', whole.insns[i].address,
                           pieces.insns[i].address, (unsigned long long)whole.insns[i].d1,
                           (unsigned long long)pieces.insns[i].d1, (unsigned long long)whole.insns[i].d2,
                           (unsigned long long)pieces.insns[i].d2, (unsigned long long)whole.insns[i].ex,
                           (unsigned long long)pieces.insns[i].ex, (unsigned long long)whole.insns[i].end,
                           (unsigned long long)pieces.insns[i].end);
                for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
                    if (whole.deltas.of[e].increments != pieces.deltas.of[e].increments)
                        printf("  %s: %llu, in pieces %llu\n", p5_event_describe((enum p5_event)e)->name,
                               (unsigned long long)whole.deltas.of[e].increments,
                               (unsigned long long)pieces.deltas.of[e].increments);
                for (unsigned c = 0; c < P5_STALL_COUNT; c++)
                    if (deltas_stall(&whole.deltas, (p5_stall)c) != deltas_stall(&pieces.deltas, (p5_stall)c))
                        printf("  clocks of %s: %llu, in pieces %llu\n", p5_stall_name((p5_stall)c),
                               (unsigned long long)deltas_stall(&whole.deltas, (p5_stall)c),
                               (unsigned long long)deltas_stall(&pieces.deltas, (p5_stall)c));
                return 1;
            }
            uint64_t owned = 0;
            for (unsigned s = 0; s < P5_STALL_COUNT; s++)
                owned += deltas_stall(&whole.deltas, (p5_stall)s);
            if (owned != whole.clocks || whole.deltas.clocks != whole.clocks) {
                printf("program %lu, family %u: %llu clocks, counted %llu, owned %llu\n", seed, family,
                       (unsigned long long)whole.clocks, (unsigned long long)whole.deltas.clocks,
                       (unsigned long long)owned);
                return 1;
            }
            insns += whole.count;
            program_free(&p);
        }
        isa_decoder_close(decoder);
    }
    printf("%lu instructions, whole and in pieces\n", insns);
    return 0;
}
