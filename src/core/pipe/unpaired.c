/* Texts of the reasons for single issue, for diagrams. */
#include "core/pipe/operation.h"

_Static_assert((int)P5_UNPAIRED_REGISTER == (int)UNPAIRED_REGISTER &&
                   (int)P5_UNPAIRED_REASONS == (int)UNPAIRED_COUNT,
               "core.h has the same numbers");

static const char *const texts[UNPAIRED_COUNT] = {
    [PAIRED] = "",
    [UNPAIRED_CLASS_U] = "cannot be first of a pair",
    [UNPAIRED_CLASS_V] = "next one cannot run in V",
    [UNPAIRED_REGISTER] = "next one needs its result",
    [UNPAIRED_LENGTH] = "too long",
    [UNPAIRED_PREFIX] = "next one has a prefix",
    [UNPAIRED_FXCH] = "x87 pairs with FXCH only",
    [UNPAIRED_MMX_UNIT] = "next one needs the same MMX unit",
    [UNPAIRED_MMX_MEMORY] = "MMX memory or integer register access",
    [UNPAIRED_MMX_MODE] = "next one is the first MMX instruction after x87",
    [UNPAIRED_END_BIT] = "first decode of this code line",
    [UNPAIRED_QUEUE] = "next one not decoded yet",
    [UNPAIRED_CONTROL] = "pairing is turned off",
    [UNPAIRED_ALONE] = "nothing followed",
};

const char *p5_unpaired_text(unsigned reason)
{
    return reason < UNPAIRED_COUNT ? texts[reason] : "unknown";
}
