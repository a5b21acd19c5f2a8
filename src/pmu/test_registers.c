/* The test registers TR1 to TR12: what writing them does (manual 26.2.1, 26.3). Their values are kept by MSR number.
 * registers.c names their bits for display. `family` is P5_FAMILY_P54C or P5_FAMILY_P55C. */
#include "pmu/test_registers.h"

/* Returns bits `high` to `low` of `value`. */
static uint32_t bits(uint32_t value, unsigned high, unsigned low)
{
    return value >> low & (UINT32_MAX >> (31 - (high - low)));
}

static bool bit(uint32_t value, unsigned at)
{
    return (value >> at & 1) != 0;
}

/* --- Caches: TR2 end bits, TR3 data, TR4 tag and status, TR5 control
 *
 *        31    28 27                8 7    5 4   3   2   1   0
 *  TR4  |    0   |        tag        |  0   |   LRU   | valid |      P54C: LRU is bit 2 alone
 *
 *        19       14  13    12   11   5 4      2 1    0
 *  TR5  |e1| 0 ..|WB |CD |entry|  set  | buffer | cntl |             P54C: no e1
 */
enum { CACHE_NORMAL, CACHE_WRITE, CACHE_READ, CACHE_FLUSH }; /* TR5.CNTL */

/* Returns a line of zeros with the cache, way, set and word that TR5 selects. */
static test_cache_line addressed_line(const test_registers *t)
{
    uint32_t tr5 = t->value[P5_MSR_TR5];
    return (test_cache_line){.data_cache = bit(tr5, 13),
                             .way = (uint8_t)(bits(tr5, 12, 12) | bits(tr5, 19, 19) << 1),
                             .set = (uint8_t)bits(tr5, 11, 5),
                             .word = (uint8_t)bits(tr5, 4, 2)};
}

/* Copies a line fill that is later than what the fill buffer has. */
static void update_fill_buffer(test_registers *t)
{
    if (t->ops.last_fill != NULL)
        t->ops.last_fill(t->ops.context, &t->filled, t->fill_buffer);
}

/* Writes the fill buffer to the cache, with TR4's tag and status. */
static void write_cache_line(test_registers *t)
{
    if (t->ops.cache_write == NULL)
        return;
    update_fill_buffer(t);
    test_cache_line line = addressed_line(t);
    uint32_t tr4 = t->value[P5_MSR_TR4];
    line.tag = bits(tr4, 27, 8);
    line.lru = (uint8_t)bits(tr4, 4, 2);
    line.valid = (uint8_t)bits(tr4, 1, 0);
    for (unsigned i = 0; i < TEST_LINE_WORDS; i++) {
        line.data[i] = t->fill_buffer[i];
        line.end_bits[i] = t->end_bits[i];
    }
    t->ops.cache_write(t->ops.context, &line);
}

/* Reads a line: TR2 and TR3 get the end bits and the four bytes that TR5.BUFFER selects, TR4 tag and status. */
static void read_cache_line(test_registers *t)
{
    if (t->ops.cache_read == NULL)
        return;
    test_cache_line line = addressed_line(t);
    t->ops.cache_read(t->ops.context, &line);
    unsigned buffer = bits(t->value[P5_MSR_TR5], 4, 2);
    t->value[P5_MSR_TR2] = line.end_bits[buffer];
    t->value[P5_MSR_TR3] = line.data[buffer];
    t->value[P5_MSR_TR4] =
        line.tag << 8 | (uint32_t)line.lru << 2 | line.valid; /* bits 31-28 come back as 0 */
}

/* Flushes the code cache, the data cache, or one line of it. */
static void flush_cache(test_registers *t)
{
    if (t->ops.cache_flush == NULL)
        return;
    /* Table 26-8: with the write-back bit, which only the data cache has, one line is flushed. */
    test_cache_line line = addressed_line(t);
    bool one_line = line.data_cache && bit(t->value[P5_MSR_TR5], 14);
    t->ops.cache_flush(t->ops.context, line.data_cache, one_line, line.set, line.way);
}

/* Performs the operation that TR5 has been set to. */
static void cache_command(test_registers *t)
{
    switch (bits(t->value[P5_MSR_TR5], 1, 0)) {
    case CACHE_NORMAL:
        break;
    case CACHE_WRITE:
        write_cache_line(t);
        break;
    case CACHE_READ:
        read_cache_line(t);
        break;
    case CACHE_FLUSH:
        flush_cache(t);
        break;
    }
}

/* --- TLBs: TR6 command and linear address, TR7 physical address
 *
 *        31          12  11  10  9   8   7  3  2   1   0
 *  TR6  | linear page   | V | D | U | W |  0  |PS |CD |Op |
 *
 *        31          12  11  10  9  7 6  5   4  3     0
 *  TR7  | physical page |PCD|PWT| LRU|e5-4 | H | entry |     P54C: entry is bits 3-2, no e5-4; P55C: no LRU
 */
/* Returns the TLB entry that TR6 and TR7 describe. */
static test_tlb_entry tlb_entry(const test_registers *t, unsigned family)
{
    uint32_t tr6 = t->value[P5_MSR_TR6];
    uint32_t tr7 = t->value[P5_MSR_TR7];
    bool p54c = family == P5_FAMILY_P54C;
    return (test_tlb_entry){
        .data_tlb = bit(tr6, 1),
        .linear = tr6 & 0xfffff000,
        .physical = tr7 & 0xfffff000,
        .valid = bit(tr6, 11),
        .dirty = bit(tr6, 10),
        .supervisor = bit(tr6, 9),
        .writeable = bit(tr6, 8),
        .large_page = bit(tr6, 2),
        .cache_disable = bit(tr7, 11),
        .write_through = bit(tr7, 10),
        .hit = bit(tr7, 4),
        .lru = (uint8_t)(p54c ? bits(tr7, 9, 7) : 0),
        .entry = (uint8_t)(p54c ? bits(tr7, 3, 2) : bits(tr7, 3, 0) | bits(tr7, 6, 5) << 4),
    };
}

/* Looks up TR6's address. TR6 and TR7 get the entry; after a miss TR7.H is 0. */
static void read_tlb(test_registers *t, unsigned family)
{
    enum { TR7_HIT = 1 << 4 };
    if (t->ops.tlb_read == NULL)
        return;
    test_tlb_entry e = tlb_entry(t, family);
    t->value[P5_MSR_TR6] &= 0xfff; /* at the end of the read the linear address is gone, hit or miss */
    if (!t->ops.tlb_read(t->ops.context, &e)) {
        t->value[P5_MSR_TR7] &= ~(uint32_t)TR7_HIT;
        return;
    }
    uint32_t tr6 = t->value[P5_MSR_TR6] & 3; /* OP and CD stay */
    tr6 |= (uint32_t)e.valid << 11 | (uint32_t)e.supervisor << 9;
    if (e.data_tlb) /* D, W and PS are the data TLB's */
        tr6 |= (uint32_t)e.dirty << 10 | (uint32_t)e.writeable << 8 | (uint32_t)e.large_page << 2;
    t->value[P5_MSR_TR6] = tr6;
    uint32_t tr7 = e.physical | (uint32_t)e.cache_disable << 11 | (uint32_t)e.write_through << 10 | TR7_HIT;
    if (family == P5_FAMILY_P54C)
        tr7 |= (uint32_t)e.lru << 7 | (uint32_t)(e.entry & 3) << 2;
    else
        tr7 |= (uint32_t)(e.entry & 15) | (uint32_t)(e.entry >> 4 & 3) << 5;
    t->value[P5_MSR_TR7] = tr7;
}

/* Performs the operation that TR6 has been set to. */
static void tlb_command(test_registers *t, unsigned family)
{
    if (bit(t->value[P5_MSR_TR6], 0)) {
        read_tlb(t, family);
    } else if (t->ops.tlb_write != NULL) {
        test_tlb_entry e = tlb_entry(t, family);
        t->ops.tlb_write(t->ops.context, &e);
    }
}

/* --- Branch target buffer: TR9 tag, TR10 target, TR11 command
 *
 *              31        12 11      6 5  4 3   2 1    0
 *  TR11 P54C  |      0     |   set   | 0  | way | cntl |
 *
 *              31 26 25  24 23 13  12   11  8 7    6 5  4 3   2 1    0
 *  TR11 P55C  |  0  | type |  0  |cntl2| set | bank | 0  | way | cntl |
 */
enum { BTB_NORMAL, BTB_WRITE, BTB_READ, BTB_FLUSH, BTB_READ_TAG = 5 }; /* TR11.CNTL, and CNTL2 as bit 2 */

/* Returns the entry of the branch target buffer that TR9 to TR11 describe. */
static test_btb_entry btb_entry(const test_registers *t, unsigned family)
{
    uint32_t tr11 = t->value[P5_MSR_TR11];
    bool p54c = family == P5_FAMILY_P54C;
    return (test_btb_entry){.set = (uint8_t)(p54c ? bits(tr11, 11, 6) : bits(tr11, 11, 8)),
                            .way = (uint8_t)bits(tr11, 3, 2),
                            .bank = (uint8_t)(p54c ? 0 : bits(tr11, 7, 6)),
                            .tag = t->value[P5_MSR_TR9],
                            .target = t->value[P5_MSR_TR10],
                            .type = (uint8_t)bits(tr11, 25, 24)};
}

/* Reads an entry into TR9 to TR11. */
static void read_btb(test_registers *t, unsigned family, bool tag_only)
{
    /* P55C: tag and valid bit come with one read cycle, the rest of TR9 and the target with the other, and
     * each keeps what the other brought (26.2.1.3). The P54C reads all in one. */
    const uint32_t tr9_tag = 0xffffff20; /* TAG and VALID of the P55C's TR9 */
    if (t->ops.btb_read == NULL)
        return;
    test_btb_entry e = btb_entry(t, family);
    t->ops.btb_read(t->ops.context, &e, tag_only);
    uint32_t kept = family == P5_FAMILY_P54C ? 0 : tag_only ? ~tr9_tag : tr9_tag;
    t->value[P5_MSR_TR9] = (t->value[P5_MSR_TR9] & kept) | (e.tag & ~kept);
    if (tag_only)
        return;
    t->value[P5_MSR_TR10] = e.target;
    if (family != P5_FAMILY_P54C)
        t->value[P5_MSR_TR11] = (t->value[P5_MSR_TR11] & ~(UINT32_C(3) << 24)) | (uint32_t)(e.type & 3) << 24;
}

/* Performs the operation that TR11 has been set to. */
static void btb_command(test_registers *t, unsigned family)
{
    uint32_t tr11 = t->value[P5_MSR_TR11];
    switch (bits(tr11, 1, 0) | bits(tr11, 12, 12) << 2) {
    case BTB_WRITE:
        if (t->ops.btb_write != NULL) {
            test_btb_entry e = btb_entry(t, family);
            t->ops.btb_write(t->ops.context, &e);
        }
        break;
    case BTB_READ:
        read_btb(t, family, false);
        break;
    case BTB_READ_TAG:
        read_btb(t, family, true);
        break;
    case BTB_FLUSH:
        if (t->ops.btb_flush != NULL)
            t->ops.btb_flush(t->ops.context);
        break;
    default: /* BTB_NORMAL; other combinations are reserved */
        break;
    }
}

uint32_t test_register_read(const test_registers *t, const p5_register *r)
{
    return t->value[r->msr] & (uint32_t)r->read_mask;
}

void test_register_write(test_registers *t, const p5_register *r, unsigned family, uint32_t value)
{
    t->value[r->msr] = value & (uint32_t)r->write_mask;
    switch (r->msr) {
    case P5_MSR_TR1:
        if (t->ops.parity != NULL)
            t->ops.parity(t->ops.context, t->value[P5_MSR_TR1]);
        break;
    case P5_MSR_TR2:
        t->end_bits[bits(t->value[P5_MSR_TR5], 4, 2)] = (uint8_t)t->value[P5_MSR_TR2];
        break;
    case P5_MSR_TR3:
        update_fill_buffer(t);
        t->fill_buffer[bits(t->value[P5_MSR_TR5], 4, 2)] = t->value[P5_MSR_TR3];
        break;
    case P5_MSR_TR5:
        cache_command(t);
        break;
    case P5_MSR_TR6:
        tlb_command(t, family);
        break;
    case P5_MSR_TR11:
        btb_command(t, family);
        break;
    default:
        break;
    }
}

bool test_registers_parity_error(test_registers *t)
{
    enum { PES = 1, NS = 2 }; /* of TR1: parity error seen, no shutdown */
    t->value[P5_MSR_TR1] |= PES;
    return (t->value[P5_MSR_TR1] & NS) == 0;
}

void test_registers_control(const test_registers *t, p5_control *control)
{
    /* Table 26-21; 19 and 20 are never set on a P54C. ITR (9) is kept and means nothing without SMM. */
    uint32_t tr12 = t->value[P5_MSR_TR12];
    control->no_branch_allocation = bit(tr12, 0);
    control->branch_trace = bit(tr12, 1);
    control->fast_branch_trace = bit(tr12, 8);
    control->single_pipe = bit(tr12, 2);
    control->code_cache_inhibit = bit(tr12, 3) || bit(tr12, 19);
    control->data_cache_inhibit = bit(tr12, 3) || bit(tr12, 20);
}
