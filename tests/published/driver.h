/* What the programs of this folder share: bare-metal guests at CPL 0 that call routines and say what each
 * call takes. */
#ifndef PUBLISHED_DRIVER_H
#define PUBLISHED_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* A routine, called with two sizes. Its figure is the difference of the clocks by that of the units; `small`
 * 0: the clocks of one call of `large`. */
typedef struct routine {
    const char *figure;       /* first column of figures.tsv */
    void (*call)(unsigned n); /* one call; n: small or large */
    unsigned small, large;
    unsigned units; /* between the two sizes; 0: large - small */
    bool mmx;       /* left out where the processor has no MMX */
} routine;

/* Each program's own; the last one has no name. */
extern const routine routines[];
/* Fills in what the routines read. Called once. */
void prepare(void);

/* Memory of the calls. Each area begins in another part of the data cache than the others: 2 KB of each are
 * in L1 at once. */
enum { AREA = 2048, AREAS = 4 };
extern uint8_t area[AREAS][AREA];

/* The same sequence of numbers in each run. */
uint32_t draw(void);

#endif
