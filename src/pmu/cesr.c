/* Packs and unpacks the two halves of CESR. Layout: cesr.h. */
#include <assert.h>

#include "pmu/cesr.h"

void p5_cesr_decode(uint32_t cesr, p5_counter_select select[2])
{
    for (unsigned counter = 0; counter < 2; counter++) {
        uint32_t half = cesr >> (counter * CESR_HALF_BITS);
        select[counter] = (p5_counter_select){
            .code = (uint8_t)(half & CESR_ES_MASK),
            .system = (half & CESR_CC_SYSTEM) != 0,
            .user = (half & CESR_CC_USER) != 0,
            .clocks = (half & CESR_CC_CLOCKS) != 0,
            .overflow_pin = (half & CESR_PC) != 0,
        };
    }
}

uint32_t p5_cesr_encode(const p5_counter_select select[2])
{
    uint32_t cesr = 0;
    for (unsigned counter = 0; counter < 2; counter++) {
        const p5_counter_select *s = &select[counter];
        assert(cesr <= CESR_HALF_MASK);
        uint32_t half = s->code & CESR_ES_MASK;
        half |= s->system ? CESR_CC_SYSTEM : 0;
        half |= s->user ? CESR_CC_USER : 0;
        half |= s->clocks ? CESR_CC_CLOCKS : 0;
        half |= s->overflow_pin ? CESR_PC : 0;
        assert((half & ~(uint32_t)CESR_HALF_MASK) == 0);
        cesr |= half << (counter * CESR_HALF_BITS);
    }
    return cesr;
}
