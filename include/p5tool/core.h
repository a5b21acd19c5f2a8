/* The core model: what the tool needs in addition to p5scope/core.h. */
#ifndef P5TOOL_CORE_H
#define P5TOOL_CORE_H

#include "p5scope/core.h"

/* Physical addresses at which the board has video memory: the VGA's window and a linear frame buffer. The
 * model file gives the times of their bus, and says whether they are cacheable ([bus] uncacheable). */
#define P5_VIDEO_WINDOW       0xa0000u
#define P5_VIDEO_WINDOW_BYTES 0x20000u
#define P5_VIDEO_LINEAR       0xe0000000u
#define P5_VIDEO_LINEAR_BYTES 0x400000u

/* A branch trace message: a special cycle on the bus. While TR12.TR is set, the processor sends messages for
 * every taken branch and every delivery of an exception or interrupt (manual, table 26-21). They come in
 * pairs, of which TR12.FTR suppresses the second. The first has the address of the branch: for a delivery, that of
 * INT n itself or of the instruction before which it occurs. The second has the address of the target. Messages
 * pass through the write buffers, and the processor waits when these are full. */
typedef struct p5_branch_message {
    uint64_t clock;   /* core clock at which the special cycle ends */
    uint32_t address; /* linear */
    bool target;      /* this is the second message, with the target's address */
} p5_branch_message;

/* Totals since the core was opened, by event and privilege class (P5_CPL_*: CPL 0, CPL 3, CPL 1-2). */
struct p5_counts {
    uint64_t clocks[P5_CPL_CLASSES];
    uint64_t increments[P5_EVENT_COUNT][P5_CPL_CLASSES]; /* occurrences, or clocks of a duration event */
    uint64_t asserted[P5_EVENT_COUNT][P5_CPL_CLASSES];   /* clocks in which the event's signal was on */
    uint64_t stalls[P5_STALL_COUNT][P5_CPL_CLASSES];     /* clocks by stall cause, P5_STALL_ISSUE included;
                                                            in each class they add up to `clocks` */
    /* Bytes that the processor's bus cycles have read [0] and written [1]: lines, single transfers, ports. */
    uint64_t bus_bytes[2][P5_CPL_CLASSES];
};

/* Returns the sum of a row over the privilege classes of `cpl_mask` (P5_CPL_MASK_*). */
uint64_t p5_counts_sum(const uint64_t row[P5_CPL_CLASSES], unsigned cpl_mask);

/* Returns the clock at which the last instruction left EX. A pending instruction is not included and stays pending.
 * This is cheap, for deadlines. p5_core_clock is later: it includes the pending instruction, and the clocks that the
 * next one still needs to reach EX. */
uint64_t p5_core_clock_estimate(const p5_core *core);

/* Returns one event's total for the privilege classes of `cpl_mask` (P5_CPL_MASK_*), as increments or as
 * asserted clocks. Like p5_core_counts, it excludes a pending instruction and changes nothing. */
uint64_t p5_core_event_total(p5_core *core, enum p5_event event, unsigned cpl_mask, bool asserted);

/* Calls `message` for every branch trace message. NULL: no callback. The bus cycles run either way. */
void p5_core_on_branch_message(p5_core *core,
                               void (*message)(void *context, const p5_branch_message *message),
                               void *context);

/* Flag in p5_bus_use.to: a bus master other than the processor uses the bus. */
#define P5_BUS_OTHER (UINT64_C(1) << 63)

/* A period in which the bus is in use: core clocks [from, to). */
typedef struct p5_bus_use {
    uint64_t from, to;
} p5_bus_use;

/* Calls `uses` for every use of the bus from now on, many at once, in order of time and without overlap. A
 * call may come before or after the core has reached the clocks that it reports. The array belongs to the
 * core and is valid during the call. NULL ends the calls. A callback that is replaced first gets what is still
 * pending. */
void p5_core_on_bus(p5_core *core, void (*uses)(void *context, const p5_bus_use *uses, size_t count),
                    void *context);

/* Calls the callback now for all uses that it has not been told of. Must not be called from within the callback. */
void p5_core_report_bus(p5_core *core);

/* Returns true while test registers have left something in caches or TLBs that the core must check with every
 * instruction: lines that differ from memory, entries that translate differently from the page tables, wrong
 * parity. The caller must then feed single instructions, because what a guest sees can change after each. Sets
 * `*refetch` to whether the bytes or addresses of code have changed since the last call. */
bool p5_core_watching(p5_core *core, bool *refetch);

/* Turns the memo on or off. The memo is the fast path: it remembers how code was priced and reuses that in the same
 * situation. Without it every block takes the slow path, with the same results. For debugging and tests. */
void p5_core_set_memo(p5_core *core, bool on);

/* Parts of the processor that p5_core_set_ideal makes perfect, to price what they cost. */
enum {
    P5_IDEAL_HITS = 1, /* data references hit, are aligned, have no bank conflict; ports and LOCK excepted */
    P5_IDEAL_BRANCHES = 2, /* near branches are predicted right */
    P5_IDEAL_PAIRS = 4, /* neighbours pair unless the second needs the first's result; x87 in V: only FXCH */
    P5_IDEAL_FETCH = 8, /* D1 always has the next instructions; prefixes take no clocks */
    P5_IDEAL_RESULTS = 16, /* no waits for addresses, MMX and x87 results; the pairing rules stay */
    P5_IDEAL_PARTS = 5     /* number of parts */
};
/* Makes the parts (P5_IDEAL_*) perfect; 0: none. It must be called before anything is priced. It also turns the memo
 * off, because that holds prices of the real parts, or on if `parts` is 0. */
void p5_core_set_ideal(p5_core *core, unsigned parts);

/* Checks the memo: a second core without a memo is fed the same from now on, and clocks and totals of the two
 * are compared after every stretch (p5_retired), delivery, HLT, WBINVD and INVD. This is many times slower. It does not
 * change this core's results. Returns P5_ERR_STATE if a block has been made already or the memo is off, P5_ERR_MEMORY
 * if memory is out. */
p5_status p5_core_check_memo(p5_core *core, p5_error *error);

/* Gets the number of stretches that agreed before the first difference, and a text about that, which belongs to the
 * core; NULL: there was none. Returns false, with 0 and NULL, if p5_core_check_memo was not called. */
bool p5_core_memo_checked(const p5_core *core, uint64_t *stretches, const char **difference);

#endif
