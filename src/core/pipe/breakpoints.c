/* Compares executed instructions and references with the breakpoints of DR0-DR3. */
#include "core/pipe/breakpoints.h"

#include <assert.h>

/* Returns the length of breakpoint `n` in bytes. LEN encodes 1, 2, (reserved, taken as 1) and 4; the address is aligned
 * to it. */
static uint32_t bytes_of(uint32_t dr7, unsigned n)
{
    static const uint8_t bytes[4] = {1, 2, 1, 4};
    return bytes[dr7 >> (18 + 4 * n) & 3];
}

/* Sets the breakpoints from the debug registers. Returns true if there is now a code breakpoint at an address that had
 * none, because stored prices of the code there do not include its matches. */
bool breakpoints_set(breakpoints *b, const p5_debug *debug)
{
    const breakpoints before = *b;
    bool code = !b->active; /* the first call: even untouched registers are code breakpoints, at address 0 */
    b->active = true;
    b->ports = debug->extensions;
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        uint32_t bytes = bytes_of(debug->dr7, n);
        breakpoint *one = &b->all[n];
        one->address = debug->dr[n] & ~(bytes - 1);
        one->last = one->address + (bytes - 1);
        assert(one->last >= one->address);
        one->kind = debug->dr7 >> (16 + 4 * n) & 3;
        one->enabled = (debug->dr7 >> (2 * n) & 3) != 0;
        code |= one->kind == BREAKPOINT_CODE && breakpoints_code(&before, one->address, false) == 0;
    }
    return code;
}

bool breakpoints_count_only(const breakpoints *b)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (b->all[n].enabled || b->all[n].kind != BREAKPOINT_CODE)
            return false;
    return true;
}

bool breakpoints_within(const breakpoints *b, uint32_t address, uint32_t bytes)
{
    for (unsigned n = 0; n < BREAKPOINTS && b->active; n++)
        if (b->all[n].kind == BREAKPOINT_CODE && b->all[n].address - address < bytes)
            return true;
    return false;
}

unsigned breakpoints_code(const breakpoints *b, uint32_t address, bool in_v)
{
    unsigned matches = 0;
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        const breakpoint *one = &b->all[n];
        if (one->kind == BREAKPOINT_CODE && one->address == address && (one->enabled || !in_v))
            matches |= 1u << n;
    }
    return matches;
}

unsigned breakpoints_enabled(const breakpoints *b)
{
    unsigned enabled = 0;
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        enabled |= (unsigned)b->all[n].enabled << n;
    return enabled;
}

/* Returns whether breakpoint `one` is for data or port references with these flags (P5_ACCESS_*). */
static bool concerns(const breakpoints *b, const breakpoint *one, uint8_t flags)
{
    if ((flags & P5_ACCESS_IO) != 0)
        return one->kind == BREAKPOINT_PORT && b->ports;
    return one->kind == BREAKPOINT_DATA || (one->kind == BREAKPOINT_WRITE && (flags & P5_ACCESS_WRITE) != 0);
}

unsigned breakpoints_access(const breakpoints *b, const p5_access *access)
{
    assert(access->size > 0);
    unsigned matches = 0;
    uint32_t last = access->linear + access->size - 1u;
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        const breakpoint *one = &b->all[n];
        if (concerns(b, one, access->flags) && access->linear <= one->last && one->address <= last)
            matches |= 1u << n;
    }
    return matches;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const snapshot_table breakpoint_state = {SNAPSHOT(breakpoint, "breakpoint", FIELD_ANY(address, last),
                                                         FIELD_MOST(BREAKPOINT_DATA, kind),
                                                         FIELD_FLAG(enabled))};

const snapshot_table breakpoints_state = {
    SNAPSHOT(breakpoints, "breakpoints", FIELD_FLAG(active, ports), FIELD_TABLE(&breakpoint_state, all))};
