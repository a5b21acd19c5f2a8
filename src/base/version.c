#include "p5scope/version.h"

const char *p5_version(void)
{
    return P5SCOPE_VERSION;
}
