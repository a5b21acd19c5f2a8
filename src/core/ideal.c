/* Prices code on a processor some of whose parts are perfect: other answers replace those of the structures. The
 * pipe does the rest (pipe_control.ideal). */
#include "core/exact/price.h"
#include "p5tool/core.h"

static uint64_t hit_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                         data_answer *answer)
{
    if (traits < TRAIT_LOCK && (access->flags & P5_ACCESS_IO) == 0)
        return DATA_USUAL;
    return price_data(context, access, asked, traits, answer);
}

/* The P54C's instruction boundaries are known as soon as code is there. */
static bool end_is_known(void *context, const op *o)
{
    (void)context, (void)o;
    return true;
}

static void predict_right(void *context, const branch_query *query, branch_answer *answer)
{
    (void)context;
    *answer = (branch_answer){.hit = true,
                              .right = true,
                              .predicted_taken = query->taken,
                              .return_predicted = true,
                              .return_right = true};
}

void p5_core_set_ideal(p5_core *core, unsigned parts)
{
    price_open(core);
    core->ideal = parts;
    if (parts & P5_IDEAL_HITS) {
        core->resolver.data = hit_data;
        core->resolver.string = NULL;
    }
    if (parts & P5_IDEAL_BRANCHES) {
        core->resolver.branch = predict_right;
        core->resolver.passed = NULL;
    }
    if (parts & P5_IDEAL_FETCH)
        core->resolver.end_known = end_is_known;
    p5_core_set_memo(core, parts == 0);
}
