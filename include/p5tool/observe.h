/* Observation: what the tool needs in addition to p5scope/observe.h. */
#ifndef P5TOOL_OBSERVE_H
#define P5TOOL_OBSERVE_H

#include "p5scope/observe.h"

/* Returns "interval", "point", "entry", ...; never NULL for values below P5_OBSERVE_KINDS. */
const char *p5_observation_name(p5_observation_kind kind);

#endif
