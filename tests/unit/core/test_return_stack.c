/* The return stack: last in first out, four deep, the oldest lost. */
#include "fixture.h"

#include "core/branch/return_stack.h"

TEST(nested_calls_return_in_order)
{
    for (uint32_t depth = 1; depth <= 8; depth++) {
        return_stack stack;
        return_stack_init(&stack, 4);
        unsigned lost = 0;
        for (uint32_t n = 0; n < depth; n++)
            lost += return_stack_push(&stack, 100 + n);
        assert_int_equal(lost, depth > 4 ? depth - 4 : 0);
        for (uint32_t n = depth; n-- > 0;) {
            uint32_t address = return_stack_pop(&stack);
            if (depth - n <= 4)
                assert_int_equal(address, 100 + n);
            else
                assert_int_not_equal(address,
                                     100 + n); /* overwritten: the ring comes round to younger ones */
        }
    }
}

TEST(a_full_ring_wraps)
{
    return_stack stack;
    return_stack_init(&stack, 4);
    for (uint32_t n = 0; n < 4; n++)
        assert_false(return_stack_push(&stack, n));
    assert_int_equal(return_stack_pop(&stack), 3);
    assert_false(return_stack_push(&stack, 30)); /* there is room again */
    assert_true(return_stack_push(&stack, 40));
    assert_int_equal(return_stack_pop(&stack), 40);
    assert_int_equal(return_stack_pop(&stack), 30);
    assert_int_equal(return_stack_pop(&stack), 2);
    assert_int_equal(return_stack_pop(&stack), 1);
    assert_int_equal(return_stack_pop(&stack), 40); /* empty: what is left in the ring */
}

TEST(no_stack)
{
    return_stack stack;
    return_stack_init(&stack, 0);
    assert_false(return_stack_push(&stack, 5));
    assert_int_equal(return_stack_pop(&stack), 0);
}
