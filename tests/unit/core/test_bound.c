/* Bounds of the clocks of a stretch. (The property test compares them with the clocks that stretches take.) */
#include "one_core.h"

#include "core/core.h"
#include "core/internal.h"
#include "core/block.h"

/* NOT EAX twice at the end of a page, the second one in the next page. */
static const uint8_t across[] = {0xf7, 0xd0, 0xf7, 0xd0};

/* With paging, a block in two pages may need a walk for the second one, even if the first is in the TLB. */
TEST(a_walk_for_the_second_page)
{
    MODEL(model, "p55c-200");
    const p5_core_hooks hooks = {.size = sizeof hooks, .walk = fixture_walk};
    CORE(core, model, &hooks);
    for (uint32_t at = 0x3ffc; at <= 0x3ffe; at += 2) {
        p5_block *block = block_at(core, across, sizeof across, at);
        const p5_retired retired = whole_block(block, at);
        p5_control control = {.size = sizeof control, .paging = true};
        p5_core_set_control(core, &control);
        p5_core_retire(core, &retired);
        const uint64_t paged = bound_clocks(core, &retired);
        control.paging = false;
        p5_core_set_control(core, &control);
        assert_int_equal(paged - bound_clocks(core, &retired), at == 0x3ffe ? core->bound.walk_clocks : 0);
        p5_block_release(core, block);
    }
}

/* A reference that hits adds as much at the end of its line as before: it is in the line as a whole. */
TEST(a_hit_at_the_end_of_a_line)
{
    static const uint8_t load[] = {0x8b, 0x06, 0xf7, 0xd0}; /* mov eax,[esi]; not eax */
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_block *block = block_at(core, load, sizeof load, 0x3000);
    p5_access access = fixture_access(0x8018, 4, 0);
    p5_retired retired = whole_block(block, 0x3000);
    retired.access_count = 1;
    retired.accesses = &access;
    p5_core_retire(core, &retired);
    const uint64_t before_the_end = bound_clocks(core, &retired);
    access = fixture_access(0x801c, 4, 0);
    assert_int_equal(bound_clocks(core, &retired), before_the_end);
    access = fixture_access(0x8020, 4, 0); /* the next line is not in the cache */
    assert_true(bound_clocks(core, &retired) > before_the_end);
}
