/* Pointer chains straight through memory_data, as measured on the boards that the models are made after: each
 * load's address comes from the load before, so the next reference is asked for 2 clocks after the data has
 * come (1 EX, 1 address generation interlock). Figures: public memory latency dumps of P54C at 100 and 166
 * MHz and P55C at 200 MHz, in whole clocks. */
#include <stdio.h>

#include "fixture.h"

enum { BUFFER = 0x400000, LOADS = 4000 };

static double chase(const char *model, bool random, uint32_t size, uint32_t stride)
{
    FIXTURE(f, model, true, NULL);
    uint32_t count = size / stride;
    uint32_t *next = malloc(count * sizeof *next);
    assert_non_null(next);
    for (uint32_t i = 0; i < count; i++)
        next[i] = random ? i : (i + 1) % count;
    uint64_t seed = 1;
    for (uint32_t i = count - 1; random && i > 0; i--) { /* one cycle through all elements */
        uint32_t j = unit_random(&seed) % i, t = next[i];
        next[i] = next[j];
        next[j] = t;
    }
    uint32_t at = 0;
    uint64_t start = 0;
    for (uint32_t i = 0; i < count + LOADS; i++) {
        if (i == count)
            start = f.now;
        fixture_data(&f, BUFFER + at * stride, 4, 0);
        f.now += 2;
        at = next[at];
    }
    double clocks = (double)(f.now - start) / (double)LOADS;
    free(next);
    return clocks;
}

/* The dumps' whole clocks, 10 % or 1 clock either way: DRAM rows have refresh and neighbours that the model
 * has not. */
TEST(measured_chains)
{
    static const struct {
        const char *model;
        bool random;
        unsigned kilobytes, stride, clocks;
    } rows[] = {
        /* L1 */
        {"p54c-100", false, 4, 32, 2},
        {"p54c-166", true, 8, 16, 2},
        {"p55c-200", false, 16, 64, 2},
        /* L2, or on the 166 MHz board DRAM: a line for every load, or several loads in a line */
        {"p54c-100", false, 128, 32, 9},
        {"p54c-100", false, 64, 16, 7},
        {"p54c-100", false, 32, 8, 5},
        {"p54c-100", false, 32, 4, 3},
        {"p54c-100", true, 128, 32, 9},
        {"p54c-133", false, 64, 32, 12},
        {"p54c-133", false, 64, 16, 9},
        {"p54c-133", false, 64, 8, 6},
        {"p54c-133", false, 64, 4, 4},
        {"p54c-166", false, 128, 32, 20},
        {"p54c-166", false, 64, 16, 14},
        {"p54c-166", false, 32, 8, 8},
        {"p54c-166", false, 32, 4, 6},
        {"p55c-200", false, 128, 32, 15},
        {"p55c-200", false, 128, 16, 10},
        {"p55c-200", false, 64, 8, 7},
        {"p55c-200", false, 64, 4, 4},
        {"p55c-200", false, 256, 256, 15},
        {"p55c-200", false, 256, 2048, 15},
        /* all lines in one set: 4 clocks more on the P54C, not on the P55C */
        {"p54c-100", false, 256, 4096, 13},
        {"p54c-100", true, 256, 4096, 13},
        {"p54c-133", false, 256, 4096, 16},
        {"p55c-200", false, 256, 4096, 15},
        /* beyond the 64 pages of the data TLB */
        {"p54c-100", false, 512, 1024, 14},
        {"p54c-100", false, 512, 4096, 30},
        {"p54c-100", false, 1024, 2048, 20},
        {"p54c-100", true, 512, 32, 20},
        {"p54c-100", true, 1024, 64, 26},
        {"p54c-100", true, 1024, 4096, 32},
        {"p54c-166", true, 512, 32, 63},
        {"p54c-166", true, 512, 2048, 74},
        /* DRAM: open page, then other pages and TLB misses */
        {"p54c-100", false, 4096, 4, 4},
        {"p54c-100", false, 4096, 8, 6},
        {"p54c-100", false, 4096, 16, 11},
        {"p54c-100", false, 8192, 32, 15},
        {"p54c-100", false, 8192, 64, 16},
        {"p54c-100", false, 8192, 1024, 23},
        {"p54c-100", false, 8192, 4096, 42},
        {"p54c-100", true, 4096, 64, 39},
        {"p54c-100", true, 8192, 128, 41},
        {"p55c-200", false, 2048, 4, 7},
        {"p55c-200", false, 4096, 16, 24},
        {"p55c-200", false, 4096, 32, 33},
        {"p55c-200", false, 8192, 64, 33},
        {"p55c-200", false, 2048, 256, 35},
        {"p55c-200", false, 2048, 1024, 44},
        {"p55c-200", false, 2048, 2048, 55},
        {"p55c-200", false, 2048, 4096, 77},
        {"p54c-166", false, 8192, 32, 21},
        {"p54c-166", false, 8192, 64, 22},
    };
    unsigned failed = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double clocks = chase(rows[i].model, rows[i].random, rows[i].kilobytes * 1024, rows[i].stride);
        double room = rows[i].clocks > 10 ? rows[i].clocks * 0.1 : 1;
        if (clocks < rows[i].clocks - room || clocks > rows[i].clocks + room) {
            print_error("%s, %s, %u KB, stride %u: %.2f clocks a load, measured %u\n", rows[i].model,
                        rows[i].random ? "random" : "linear", rows[i].kilobytes, rows[i].stride, clocks,
                        rows[i].clocks);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* Where it follows from the bus alone: a chain through L2 lines of its own is one burst after the other. */
TEST(chains_are_bound_by_the_burst)
{
    static const char *const models[] = {"p54c-100", "p54c-133", "p55c-166", "p55c-200", "p55c-233"};
    for (unsigned i = 0; i < 5; i++) {
        p5_model *model = fixture_model(models[i]);
        double burst =
            (model->l2.first + 3 * model->l2.next + model->bus.idle_after_read) * model->half_ratio / 2.0;
        p5_model_close(model);
        double clocks = chase(models[i], false, 128 * 1024, 32);
        if (clocks < burst - 0.01 || clocks > burst + 0.01)
            fail_msg("%s: %.3f clocks a line, the burst takes %.3f", models[i], clocks, burst);
    }
}
