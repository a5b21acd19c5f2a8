/* pipe.c against the clock-by-clock reference: the same clocks in every stage, the same pipes, the same
 * owners of lost clocks. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/core/model_timing.h"
#include "random_model.h"
#include "reference.h"

static pipe_record fast;
static reference_record slow;

static uint64_t in_ex(const pipe_deltas *d)
{
    return deltas_stall(d, P5_STALL_EXECUTE) + deltas_stall(d, P5_STALL_DATA_READ) +
           deltas_stall(d, P5_STALL_MISALIGNED) + deltas_stall(d, P5_STALL_BANK_CONFLICT);
}

static bool same_insn(const p5_trace_insn *a, const reference_insn *b)
{
    enum { START = 1000 };
    return a->d1 == (uint64_t)(b->d1 + START) && a->d2 == (uint64_t)(b->d2 + START) &&
           a->ex == (uint64_t)(b->ex + START) && a->end == (uint64_t)(b->end + START) && a->pipe == b->in_v;
}

static bool same(void)
{
    static const p5_stall compared[] = {P5_STALL_ISSUE,        P5_STALL_BRANCH,    P5_STALL_CODE_FETCH,
                                        P5_STALL_DECODE,       P5_STALL_AGI,       P5_STALL_FPU,
                                        P5_STALL_MMX_MULTIPLY, P5_STALL_MMX_STORE, P5_STALL_MMX_FP_SWITCH};
    if (fast.count != slow.count || fast.clocks != (uint64_t)slow.clocks)
        return false;
    for (unsigned i = 0; i < fast.count; i++)
        if (!same_insn(&fast.insns[i], &slow.insns[i]))
            return false;
    for (unsigned i = 0; i < sizeof compared / sizeof compared[0]; i++)
        if (deltas_stall(&fast.deltas, compared[i]) != slow.stalls[compared[i]])
            return false;
    return in_ex(&fast.deltas) == slow.stalls[P5_STALL_EXECUTE];
}

static void explain(unsigned long seed, unsigned family, isa_decoder *decoder, const program *p)
{
    printf("program %lu, family %u: pipe %llu clocks, reference %d\n", seed, family,
           (unsigned long long)fast.clocks, slow.clocks);
    printf("address: pipe d1 d2 ex end | reference\n");
    unsigned i = 0;
    for (unsigned b = 0; b < p->count; b++) {
        const isa_block *code = p->blocks[b].block->code;
        const uint8_t *bytes = code->bytes;
        for (unsigned j = 0; j < code->count; j++, i++) {
            const p5_trace_insn *f = &fast.insns[i];
            const reference_insn *s = &slow.insns[i];
            char text[100] = "";
            isa_disassemble(decoder, &(isa_code){bytes, code->insns[j].length, code->insns[j].address, true},
                            text, sizeof text);
            bytes += code->insns[j].length;
            printf("%c%5x: %c %3d %3d %3d %3d | %c %3d %3d %3d %3d  %s%s\n", same_insn(f, s) ? ' ' : '*',
                   f->address, "UV"[f->pipe], (int)f -> d1 - 1000, (int)f -> d2 - 1000, (int)f -> ex - 1000,
                   (int)f -> end - 1000, "UV"[s->in_v], s -> d1, s -> d2, s -> ex, s -> end, text,
                   j + 1 == code -> count && !p -> blocks[b].right ? "  (wrong)" : "");
        }
    }
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        if (deltas_stall(&fast.deltas, (p5_stall)s) || slow.stalls[s])
            printf("%s: %llu | %u\n", p5_stall_name((p5_stall)s),
                   (unsigned long long)deltas_stall(&fast.deltas, (p5_stall)s), slow.stalls[s]);
}

int main(int argc, char **argv)
{
    unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
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
            of_model.gap_clocks = TIMING_GAP_MOST; /* the waits are those of a slow board */
            random_source r = {seed * 2 + family};
            program p;
            program_make(&p, &r, t, decoder, (unsigned)(seed % 3 * 10));
            pipe_runner(&p, t, &r, 0, &fast);
            reference_run(&p, t, &slow);
            if (!same()) {
                explain(seed, family, decoder, &p);
                return 1;
            }
            insns += fast.count;
            program_free(&p);
        }
        isa_decoder_close(decoder);
    }
    printf("%lu instructions compared\n", insns);
    return 0;
}
