/* Prices code on a processor some of whose parts are perfect. The pipe asks caches, TLBs and predictor through the
 * callbacks in core->resolver (pipe_resolver in pipe.h); this file replaces some of them. The pipe itself does the rest
 * (pipe_control.ideal). */
#include "core/exact/price.h"
#include "p5tool/core.h"

/* Answers that a data reference hits without waiting, unless it is locked or goes to a port. */
static uint64_t hit_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                         data_answer *answer)
{
    if (traits < TRAIT_LOCK && (access->flags & P5_ACCESS_IO) == 0)
        return DATA_USUAL;
    return price_data(context, access, asked, traits, answer);
}

/* Answers that the instruction's end is known, as if its cache line had been decoded before (P54C). */
static bool end_is_known(void *context, const op *o)
{
    (void)context, (void)o;
    return true;
}

/* Answers that the BTB and the return stack predicted the branch right. */
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
    price_open(core); /* sets the callbacks of the real parts */
    core->ideal = parts;
    if (parts & P5_IDEAL_HITS) {
        core->resolver.data = hit_data;
        core->resolver.string = NULL; /* the references of REP strings are looked up one by one, by `data` */
    }
    if (parts & P5_IDEAL_BRANCHES) {
        core->resolver.branch = predict_right;
        core->resolver.passed = NULL; /* no group without a branch is predicted to be one (P54C) */
    }
    if (parts & P5_IDEAL_FETCH)
        core->resolver.end_known = end_is_known; /* the pipe makes the other changes to fetching */
    p5_core_set_memo(core, parts == 0);          /* the memo's results are those of the real parts */
}
