/* Records which elements of caches and TLBs have wrong parity, and reports an error when such an element is read. An
 * `array` is named by its bit of TR1 (PARITY_*), the code cache's data by four (PARITY_ID). */
#include "core/planted/parity.h"

#include <string.h>

#include "core/memory/memory_system.h"

/* Returns whether TR1 makes a write to `array` generate wrong parity. If so, sets `seen`. */
static bool reversed(parity *p, uint32_t array)
{
    bool wrong = (p->reversed & array) != 0;
    p->seen |= wrong;
    return wrong;
}

/* Reports an error to the callback, if there is one. */
static void report(parity *p, uint32_t array)
{
    if (p->error != NULL)
        p->error(p->context, array);
}

void parity_write_data_line(parity *p, unsigned set, unsigned way)
{
    p->data_tag[set][way] = reversed(p, PARITY_DT);
    p->data[set][way] = reversed(p, PARITY_DD) ? UINT32_MAX : 0;
}

void parity_write_data(parity *p, unsigned set, unsigned way, uint32_t bytes)
{
    if (reversed(p, PARITY_DD))
        p->data[set][way] |= bytes;
    else
        p->data[set][way] &= ~bytes;
}

void parity_write_code_line(parity *p, unsigned set, unsigned way)
{
    p->code_tag[set][way] = reversed(p, PARITY_IT);
    /* the division moves ID0 to ID3 to bits 0 to 3 */
    p->code[set][way] = reversed(p, PARITY_ID) ? (uint8_t)((p->reversed & PARITY_ID) / PARITY_ID0) : 0;
}

/* Returns the bit of TR1 for the data or the tags of TLB `which`. */
static uint32_t tlb_array(unsigned which, bool data)
{
    if (which == PARITY_CODE_TLB)
        return data ? PARITY_ITD : PARITY_ITT;
    return data ? PARITY_DTD : PARITY_DTT;
}

void parity_write_tlb(parity *p, unsigned which, unsigned entry)
{
    p->tlb_tag[which][entry] = reversed(p, tlb_array(which, false));
    p->tlb_data[which][entry] = reversed(p, tlb_array(which, true));
}

void parity_read_data(parity *p, unsigned set, unsigned way, uint32_t bytes)
{
    if ((p->data[set][way] & bytes) != 0)
        report(p, PARITY_DD);
}

void parity_read_data_tag(parity *p, unsigned set, unsigned way)
{
    if (p->data_tag[set][way])
        report(p, PARITY_DT);
}

void parity_read_code(parity *p, unsigned set, unsigned way, unsigned parts)
{
    unsigned wrong = p->code[set][way] & parts;
    for (unsigned i = 0; i < 4; i++)
        if ((wrong >> i & 1) != 0)
            report(p, (uint32_t)PARITY_ID0 << i);
}

void parity_read_code_tag(parity *p, unsigned set, unsigned way)
{
    if (p->code_tag[set][way])
        report(p, PARITY_IT);
}

void parity_read_tlb(parity *p, unsigned which, unsigned entry)
{
    if (p->tlb_tag[which][entry])
        report(p, tlb_array(which, false));
    if (p->tlb_data[which][entry])
        report(p, tlb_array(which, true));
}

/* Returns whether any valid line of the two caches has wrong parity. */
static bool wrong_in_caches(const parity *p, const struct memory *m)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++) {
            bool data = p->data_tag[set][way] || p->data[set][way] != 0;
            bool code = p->code_tag[set][way] || p->code[set][way] != 0;
            if ((data && memory_tags(m, false, set)[way] != CACHE_NO_TAG) ||
                (code && memory_tags(m, true, set)[way] != CACHE_NO_TAG))
                return true;
        }
    return false;
}

/* Returns whether any valid entry of the TLBs has wrong parity. */
static bool wrong_in_tlbs(const parity *p, struct memory *m)
{
    const tlb *tlbs[PARITY_TLBS] = {memory_data_tlb(m, false), memory_data_tlb(m, true), memory_code_tlb(m)};
    for (unsigned which = 0; which < PARITY_TLBS; which++)
        for (unsigned entry = 0; entry < tlb_size(tlbs[which]); entry++)
            if ((p->tlb_tag[which][entry] || p->tlb_data[which][entry]) &&
                tlb_key_at(tlbs[which], entry) != 0)
                return true;
    return false;
}

void parity_forget_if_gone(parity *p, struct memory *m)
{
    if (!p->seen || (p->reversed & PARITY_ARRAYS) != 0 || wrong_in_caches(p, m) || wrong_in_tlbs(p, m))
        return;
    parity none = {.reversed = p->reversed, .error = p->error, .context = p->context};
    *p = none;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* FIELD_DERIVED names members that are not saved. */
const snapshot_table parity_state = {
    SNAPSHOT(parity, "parity", FIELD_BITS(PARITY_ARRAYS | PARITY_MC, reversed), FIELD_FLAG(seen),
             FIELD_MOST_OF([0][0], 1, data_tag), FIELD_ANY_OF([0][0], data),
             FIELD_MOST_OF([0][0], 1, code_tag), FIELD_MOST_OF([0][0], PARITY_ID / PARITY_ID0, code),
             FIELD_MOST_OF([0][0], 1, tlb_tag, tlb_data), FIELD_DERIVED(error, context))};
