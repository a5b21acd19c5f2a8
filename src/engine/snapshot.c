/* The engine's state in snapshots: the processor as its registers say it, physical memory, and what stands
 * beside both. What Unicorn keeps of the registers is made from them; translated code is not among it, and
 * nothing that can be seen depends on it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/room.h"
#include "engine/control/registers.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/x87/x87.h"

/* ---- registers ----------------------------------------------------------------------------------------- */

enum { SEGMENTS = 6 };

typedef struct segment_registers {
    uint16_t selector[SEGMENTS + 2]; /* ES CS SS DS FS GS, LDTR, TR */
    uint32_t base[SEGMENTS + 2], limit[SEGMENTS + 2];
    uint32_t flags[SEGMENTS + 2]; /* the descriptor's high dword */
} segment_registers;

typedef struct x87_registers {
    uint8_t top;
    uint16_t status, control; /* without TOP */
    uint8_t empty[8];         /* by physical register */
    uint64_t mantissa[8];
    uint16_t exponent[8]; /* with the sign in bit 15 */
    uint16_t opcode, fcs, fds;
    uint32_t fip, fdp;
} x87_registers;

typedef struct processor {
    uint32_t gpr[8], eip, eflags;
    uint8_t cpl;
    bool shadow; /* of STI or of a load of SS: no interrupts */
    uint32_t cr0, cr2, cr3, cr4, dr[8];
    segment_registers segments;
    uint32_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    x87_registers x87;
} processor;

static const snapshot_table segment_state = {
    SNAPSHOT(segment_registers, "segments", FIELD_ANY_OF([0], selector, base, limit, flags))};

static const snapshot_table x87_state = {
    SNAPSHOT(x87_registers, "x87", FIELD_MOST(7, top), FIELD_BITS(0xc7ff, status), FIELD_ANY(control),
             FIELD_MOST_OF([0], 1, empty), FIELD_ANY_OF([0], mantissa, exponent),
             FIELD_ANY(opcode, fcs, fds, fip, fdp))};

/* What no instruction can bring about. */
static void check_processor(const void *row, snapshot *s)
{
    const processor *p = row;
    bool protected_mode = p->cr0 & CR0_PE, v86 = p->eflags & EFLAGS_VM;
    if (p->cr0 & CR0_PG && !protected_mode)
        snapshot_refuse(s, "processor.cr0: %08Xh has PG without PE", p->cr0);
    if (v86 && !protected_mode)
        snapshot_refuse(s, "processor.eflags: %08Xh has VM in real mode", p->eflags);
    if ((!protected_mode && p->cpl != 0) || (v86 && p->cpl != 3))
        snapshot_refuse(s, "processor.cpl: %u is not that of %s mode", (unsigned)p->cpl,
                        v86 ? "V86" : "real");
}

static const snapshot_table processor_state = {
    SNAPSHOT(processor, "processor", FIELD_ANY_OF([0], gpr), FIELD_ANY(eip),
             FIELD_BITS(EFLAGS_ALL | EFLAGS_FIXED, eflags), FIELD_MOST(3, cpl), FIELD_FLAG(shadow),
             FIELD_BITS(CR0_ALL, cr0), FIELD_ANY(cr2, cr3), FIELD_BITS(0x15f, cr4), FIELD_ANY_OF([0], dr),
             FIELD_TABLE(&segment_state, segments), FIELD_ANY(gdt_base, idt_base, gdt_limit, idt_limit),
             FIELD_TABLE(&x87_state, x87)),
    .check = check_processor};

static uc_segment *segment_at(uc_env *env, unsigned i)
{
    return i < SEGMENTS ? &env->segs[i] : i == SEGMENTS ? &env->ldt : &env->tr;
}

static void read_x87(const uc_env *env, x87_registers *x)
{
    *x = (x87_registers){.top = (uint8_t)env->fpstt,
                         .status = env->fpus & 0xc7ff,
                         .control = env->fpuc,
                         .opcode = env->fpop,
                         .fcs = env->fpcs,
                         .fds = env->fpds,
                         .fip = (uint32_t)env->fpip,
                         .fdp = (uint32_t)env->fpdp};
    for (unsigned i = 0; i < 8; i++) {
        x->empty[i] = env->fptags[i] != 0;
        x->mantissa[i] = env->fpregs[i].mantissa;
        x->exponent[i] = env->fpregs[i].exponent;
    }
}

static void write_x87(uc_env *env, const x87_registers *x)
{
    env->fpstt = x->top;
    env->fpus = x->status;
    env->fpuc = x->control;
    env->fpop = x->opcode;
    env->fpcs = x->fcs;
    env->fpds = x->fds;
    env->fpip = x->fip;
    env->fpdp = x->fdp;
    for (unsigned i = 0; i < 8; i++) {
        env->fptags[i] = x->empty[i];
        env->fpregs[i].mantissa = x->mantissa[i];
        env->fpregs[i].exponent = x->exponent[i];
    }
}

static void read_processor(const engine *e, processor *p)
{
    uc_env *env = e->env;
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < 8; i++) {
        p->gpr[i] = (uint32_t)env->regs[i];
        p->dr[i] = (uint32_t)env->dr[i];
    }
    p->eip = (uint32_t)env->eip;
    p->eflags = engine_get(e, ENGINE_EFLAGS);
    p->cpl = env->hflags & UC_HF_CPL;
    p->shadow = (env->hflags & UC_HF_INHIBIT_IRQ) != 0;
    p->cr0 = (uint32_t)env->cr[0];
    p->cr2 = (uint32_t)env->cr[2];
    p->cr3 = (uint32_t)env->cr[3];
    p->cr4 = (uint32_t)env->cr[4];
    for (unsigned i = 0; i < SEGMENTS + 2; i++) {
        const uc_segment *from = segment_at(env, i);
        p->segments.selector[i] = (uint16_t)from->selector;
        p->segments.base[i] = (uint32_t)from->base;
        p->segments.limit[i] = from->limit;
        p->segments.flags[i] = from->flags;
    }
    p->gdt_base = (uint32_t)env->gdt.base;
    p->gdt_limit = (uint16_t)env->gdt.limit;
    p->idt_base = (uint32_t)env->idt.base;
    p->idt_limit = (uint16_t)env->idt.limit;
    read_x87(env, &p->x87);
}

/* What Unicorn derives from the registers is what it makes of them here. */
static void write_processor(engine *e, const processor *p)
{
    uc_env *env = e->env;
    for (unsigned i = 0; i < 8; i++) {
        env->regs[i] = p->gpr[i];
        env->dr[i] = p->dr[i];
    }
    env->eip = p->eip;
    registers_set_eflags(e, p->eflags);
    UC_INTERNAL(cpu_x86_update_cr0)(env, p->cr0);
    UC_INTERNAL(cpu_x86_update_cr4)(env, p->cr4);
    env->cr[2] = p->cr2;
    env->cr[3] = p->cr3;
    for (unsigned i = 0; i < SEGMENTS + 2; i++)
        *segment_at(env, i) = (uc_segment){p->segments.selector[i], 0, p->segments.base[i],
                                           p->segments.limit[i], p->segments.flags[i]};
    env->gdt = (uc_segment){.base = p->gdt_base, .limit = p->gdt_limit};
    env->idt = (uc_segment){.base = p->idt_base, .limit = p->idt_limit};
    env->hflags = (env->hflags & ~(uint32_t)(UC_HF_CPL | UC_HF_INHIBIT_IRQ | UC_HF_STEP)) | p->cpl |
                  (p->shadow ? UC_HF_INHIBIT_IRQ : 0); /* guard.c sets UC_HF_STEP when it is to step */
    registers_update_hidden(e);
    write_x87(env, &p->x87);
    engine_flush_translations(e);
    guard_debug_written(e);
}

static void transfer_processor(engine *e, snapshot *s)
{
    processor p;
    x87_settle(e);
    read_processor(e, &p);
    snapshot_state(s, &processor_state, &p);
    if (s->loading && s->status == P5_OK)
        write_processor(e, &p);
}

/* ---- what decides what happens at the boundary where the engine stands --------------------------------- */

static const snapshot_table page_set_state = {
    SNAPSHOT(page_set, "page_set", FIELD_ANY(linear), FIELD_FLAG(large),
             FIELD_BITS(P5_PAGE_DIRECTORY_ACCESSED | P5_PAGE_ACCESSED | P5_PAGE_DIRTY, bits))};

static void check_engine(const void *row, snapshot *s)
{
    const engine *e = row;
    if (e->address_mask != UINT32_MAX && e->address_mask != ~(1u << 20))
        snapshot_refuse(s, "engine.address_mask: %Xh has more than A20 off", e->address_mask);
}

static const snapshot_table engine_state = {
    SNAPSHOT(engine, "engine", FIELD_RANGE(~(1u << 20), UINT32_MAX, address_mask),
             FIELD_TABLE(&page_set_state, page_sets), FIELD_MOST(PAGE_SETS - 1, next_page_set),
             FIELD_FLAG(x87.ignored, injected), FIELD_ANY(injected_vector),
             FIELD_MOST(P5_TRANSFER_NMI, injected_kind), FIELD_MOST(1, external), FIELD_FLAG(nmi_blocked),
             FIELD_MOST(2, resume), FIELD_ANY(resume_at), FIELD_FLAG(guard.shadow),
             FIELD_BITS(0xe00f, guard.hits), FIELD_ANY(later_count)),
    .partial = true, .check = check_engine};

/* ---- translations -------------------------------------------------------------------------------------- */

static const snapshot_field page_fields[] = {
    SNAPSHOT_FIELDS(page_entry, FIELD_BITS(~(uint32_t)ENGINE_PAGE_MASK, read_tag, write_tag, physical),
                    FIELD_BITS(ACCESS_KIND(0, UINT8_MAX), kind), FIELD_DERIVED(host))};
static const snapshot_table page_state = {SNAPSHOT_TABLE(page_entry, "translation", page_fields)};
static const snapshot_table fetched_state = {SNAPSHOT_TABLE(page_entry, "fetched", page_fields), .since = 1};

/* Accesses that come to entry `index` may lie in the page of `tag`. */
static bool is_found(uint32_t tag, unsigned index)
{
    return tag / ENGINE_PAGE_BYTES % PAGE_ENTRIES == index % PAGE_ENTRIES;
}

/* An entry of RAM whose tags let no access out of it: what is written, if anything, is the page that is read.
 */
static bool stays_in_ram(const engine *e, const page_entry *page, unsigned index)
{
    return page->physical < e->ram_bytes && !mmu_is_window(e, page->physical) &&
           (page->write_tag == page->read_tag || !is_found(page->write_tag, index));
}

/* Translations that are held although the page tables may have changed since. Host addresses are made anew;
 * what is no RAM is looked up again. */
static void transfer_pages(engine *e, snapshot *s)
{
    page_entry *all = &e->pages[0][0];
    snapshot_states(s, &page_state, all, PAGE_REFERENCES);
    snapshot_states(s, &fetched_state, all + PAGE_REFERENCES, PAGE_ALL - PAGE_REFERENCES);
    for (unsigned i = 0; s->loading && i < PAGE_ALL; i++) {
        bool ram = s->status == P5_OK && stays_in_ram(e, &all[i], i);
        if (!ram)
            all[i].read_tag = all[i].write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
        uint32_t own = all[i].read_tag ^ (is_found(all[i].read_tag, i) ? 0u : PAGE_GUARDED);
        uint32_t tag = own ^ (e->guard.data ? PAGE_GUARDED : 0u); /* as guard_update goes on from */
        if (is_found(own, i)) {
            all[i].write_tag = all[i].write_tag == all[i].read_tag ? tag : all[i].write_tag;
            all[i].read_tag = tag;
        }
        all[i].host = ram ? e->ram + all[i].physical : NULL;
    }
    if (s->loading)
        memset(e->pages_filled, 0xff, sizeof e->pages_filled);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

typedef struct page_number {
    uint32_t page;
} page_number;
static const snapshot_table number_state = {
    SNAPSHOT(page_number, "page", FIELD_MOST(UINT32_MAX / ENGINE_PAGE_BYTES, page))};

typedef struct page_numbers {
    ARRAY_OF(page_number) pages;
} page_numbers;

/* The pages that differ from `base` (NULL: from zeros), of those that are `wanted` (NULL: of all). */
static bool list_pages(const engine *e, const uint8_t *from, const uint8_t *base, const uint8_t *wanted,
                       page_numbers *list)
{
    for (uint32_t page = 0; page < e->ram_bytes / ENGINE_PAGE_BYTES; page++) {
        size_t at = (size_t)page * ENGINE_PAGE_BYTES;
        if (wanted != NULL && !wanted[page])
            continue;
        if (base != NULL ? memcmp(from + at, base + at, ENGINE_PAGE_BYTES) == 0
                         : room_is_zero(from + at, ENGINE_PAGE_BYTES))
            continue;
        if (!ARRAY_ROOM(&list->pages))
            return false;
        list->pages.items[list->pages.count++].page = page;
    }
    return true;
}

static void check_pages(const engine *e, const page_numbers *list, snapshot *s)
{
    uint32_t end = e->ram_bytes / ENGINE_PAGE_BYTES;
    for (size_t i = 0; i < list->pages.count; i++)
        if (list->pages.items[i].page >= end ||
            (i > 0 && list->pages.items[i].page <= list->pages.items[i - 1].page))
            snapshot_refuse(s, "page.page[%zu]: %u does not ascend, or is not 0..%u", i,
                            list->pages.items[i].page, end - 1);
}

/* Pages that were walked for translations. */
static void transfer_table_pages(engine *e, snapshot *s)
{
    page_numbers list = {0};
    uint32_t end = e->ram_bytes / ENGINE_PAGE_BYTES;
    for (uint32_t page = 0; !s->loading && page < end; page++)
        if (e->table_pages[page]) {
            if (!ARRAY_ROOM(&list.pages)) {
                snapshot_no_memory(s);
                break;
            }
            list.pages.items[list.pages.count++].page = page;
        }
    snapshot_list(s, &number_state, &list.pages.items, &list.pages.count, &list.pages.capacity, end);
    if (s->loading && s->status == P5_OK)
        check_pages(e, &list, s);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.pages.count; i++)
        e->table_pages[list.pages.items[i].page] = 1;
    free(list.pages.items);
}

/* Their numbers, then what stands in them. */
static void transfer_ram(engine *e, snapshot *s, uint8_t *memory, const uint8_t *base, const uint8_t *wanted)
{
    page_numbers list = {0};
    if (!s->loading && !list_pages(e, memory, base, wanted, &list))
        snapshot_no_memory(s);
    snapshot_list(s, &number_state, &list.pages.items, &list.pages.count, &list.pages.capacity,
                  e->ram_bytes / ENGINE_PAGE_BYTES);
    if (s->loading && s->status == P5_OK)
        check_pages(e, &list, s);
    for (size_t i = 0; i < list.pages.count && s->status == P5_OK; i++)
        snapshot_raw(s, "page_bytes", memory + (size_t)list.pages.items[i].page * ENGINE_PAGE_BYTES,
                     ENGINE_PAGE_BYTES);
    free(list.pages.items);
}

/* ---- memory behind the caches -------------------------------------------------------------------------- */

typedef struct kept_page {
    uint8_t kept;
} kept_page;
static const snapshot_table kept_state = {SNAPSHOT(kept_page, "behind_kept", FIELD_MOST(1, kept))};

static const snapshot_table line_state = {SNAPSHOT(behind_line, "code_line", FIELD_DERIVED(used),
                                                   FIELD_BITS(~(uint32_t)(P5_LINE_BYTES - 1), line),
                                                   FIELD_ANY_OF([0], bytes))};

static const snapshot_table pin_state = {
    SNAPSHOT(p5_translation, "pin", FIELD_BITS(~(uint32_t)ENGINE_PAGE_MASK, linear, physical),
             FIELD_FLAG(valid, code, large, supervisor, writable, dirty, cache_disable, write_through))};

static const snapshot_table behind_state = {SNAPSHOT(behind, "behind", FIELD_FLAG(invd),
                                                     FIELD_TABLE(&pin_state, pins),
                                                     FIELD_MOST(BEHIND_PINS, pin_count)),
                                            .partial = true};

static void transfer_code_lines(engine *e, snapshot *s)
{
    behind *b = &e->behind;
    enum { LINES = BEHIND_SETS * BEHIND_WAYS };
    ARRAY_OF(behind_line) list = {0};
    for (unsigned i = 0; !s->loading && b->code_count > 0 && i < LINES; i++)
        if (b->code[i / BEHIND_WAYS][i % BEHIND_WAYS].used) {
            if (ARRAY_ROOM(&list))
                list.items[list.count++] = b->code[i / BEHIND_WAYS][i % BEHIND_WAYS];
            else
                snapshot_no_memory(s);
        }
    snapshot_list(s, &line_state, &list.items, &list.count, &list.capacity, LINES);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.count; i++)
        if (!engine_set_code_line(e, list.items[i].line, list.items[i].bytes))
            snapshot_refuse(s, "code_line.line[%zu]: the code cache does not have so many in a set", i);
    free(list.items);
}

/* Memory behind modified lines, the code lines and the pinned entries: behind.h. */
static void transfer_behind(engine *e, snapshot *s)
{
    behind *b = &e->behind;
    bool kept = snapshot_number(s, "behind_memory", b->memory != NULL, 1) != 0;
    if (s->loading && kept && s->status == P5_OK && !engine_keep_memory(e))
        snapshot_no_memory(s);
    if (kept && s->status == P5_OK) {
        uint32_t pages = e->ram_bytes / ENGINE_PAGE_BYTES;
        snapshot_states(s, &kept_state, b->kept, pages);
        for (uint32_t page = 0; s->loading && page < pages; page++) {
            size_t at = (size_t)page * ENGINE_PAGE_BYTES;
            if (b->kept[page])
                memcpy(b->memory + at, e->ram + at, ENGINE_PAGE_BYTES);
        }
        transfer_ram(e, s, b->memory, e->ram, b->kept);
    }
    transfer_code_lines(e, s);
    snapshot_state(s, &behind_state, b);
}

const snapshot_table *const engine_tables[] = {&processor_state, &engine_state,  &number_state,
                                               &kept_state,      &line_state,    &behind_state,
                                               &page_state,      &fetched_state, NULL};

void engine_transfer(engine *e, snapshot *s)
{
    e->next_page_set %= PAGE_SETS;
    transfer_processor(e, s);
    snapshot_state(s, &engine_state, e); /* guard_debug_written, which comes before, forgets RF */
    transfer_ram(e, s, e->ram, NULL, NULL);
    transfer_behind(e, s);
    transfer_pages(e, s);
    transfer_table_pages(e, s);
}
