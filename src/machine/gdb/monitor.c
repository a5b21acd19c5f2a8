/* `monitor` commands: what the processor's monitor and its caches hold. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "core/memory/memory_system.h"
#include "machine/gdb/gdb.h"

enum { LINES_AT_MOST = 24 };

static const p5_privilege highest = {.mode = P5_MODE_PROTECTED};

static void say(gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(gdb *g, const char *format, ...)
{
    char line[160];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        gdb_hex(g, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static uint64_t msr(const gdb *g, uint32_t number)
{
    uint64_t value = 0;
    p5_pmu_rdmsr(g->machine->pmu, &highest, number, &value);
    return value;
}

static void monitor_pmu(gdb *g)
{
    p5_counter_select select[2];
    p5_cesr_decode((uint32_t)msr(g, P5_MSR_CESR), select);
    say(g, "cesr 0x%08" PRIx64 "\n", msr(g, P5_MSR_CESR));
    for (unsigned i = 0; i < 2; i++) {
        const p5_counter_select *half = &select[i];
        const char *name = "nothing";
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            const p5_event_info *info = p5_event_describe((enum p5_event)e);
            if (info->code == half->code && (info->counters & (i == 0 ? P5_ON_CTR0 : P5_ON_CTR1)) != 0 &&
                (half->system || half->user))
                name = info->name;
        }
        say(g, "ctr%u %" PRIu64 "  %s%s%s%s\n", i, msr(g, P5_MSR_CTR0 + i), name,
            half->system ? ", CPL 0-2" : "", half->user ? ", CPL 3" : "", half->clocks ? ", clocks" : "");
    }
    say(g, "tsc  %" PRIu64 "\n", msr(g, P5_MSR_TSC));
}

static void monitor_events(gdb *g)
{
    p5_counts totals;
    p5_machine_counts(g->machine, &totals);
    say(g, "%20s %20s\n", "CPL 0-2", "CPL 3");
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
        const uint64_t *n = totals.increments[e];
        uint64_t system = p5_counts_sum(n, P5_CPL_MASK_SYSTEM);
        if (system != 0 || n[P5_CPL_USER] != 0)
            say(g, "%20" PRIu64 " %20" PRIu64 "  %s\n", system, n[P5_CPL_USER],
                p5_event_describe((enum p5_event)e)->name);
    }
    say(g, "%20" PRIu64 " %20" PRIu64 "  clocks\n", p5_counts_sum(totals.clocks, P5_CPL_MASK_SYSTEM),
        totals.clocks[P5_CPL_USER]);
}

/* Those that can be read; a test register's value is what was last written or read by a command. */
static void monitor_msr(gdb *g)
{
    for (uint32_t number = P5_MSR_MCA; number <= P5_MSR_CTR1; number++) {
        uint64_t value;
        if (p5_pmu_rdmsr(g->machine->pmu, &highest, number, &value) == P5_NO_FAULT)
            say(g, "%02" PRIX32 "h  0x%016" PRIx64 "\n", number, value);
    }
}

static void show_tlb(gdb *g, const char *name, const tlb *t)
{
    unsigned valid = 0;
    for (unsigned i = 0; i < t->sets * t->ways; i++) {
        tlb_entry entry = tlb_get(t, i);
        if (!entry.valid)
            continue;
        if (valid++ < LINES_AT_MOST)
            say(g, "%-6s %2u  %08" PRIx32 " -> %08" PRIx32 "%s%s%s\n", name, i, entry.linear, entry.physical,
                entry.large ? " 4M" : "", entry.dirty ? " dirty" : "",
                (entry.attributes & TLB_WRITABLE) != 0 ? " writable" : "");
    }
    say(g, "%s: %u of %u entries valid\n", name, valid, t->sets * t->ways);
}

static void monitor_tlb(gdb *g)
{
    const memory *m = g->machine->core->memory;
    show_tlb(g, "code", &m->code_tlb);
    show_tlb(g, "data", &m->data_tlb);
}

static void monitor_cache(gdb *g)
{
    const memory *m = g->machine->core->memory;
    unsigned states[4] = {0}, code = 0;
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        for (unsigned way = 0; way < m->data.order.ways; way++)
            states[m->data.state[set][way] & 3]++;
        for (unsigned way = 0; way < m->code.order.ways; way++)
            code += m->code.tag[set][way] != CACHE_NO_TAG;
    }
    say(g, "data: %u modified, %u exclusive, %u shared, %u invalid\n", states[MESI_MODIFIED],
        states[MESI_EXCLUSIVE], states[MESI_SHARED], states[MESI_INVALID]);
    say(g, "code: %u of %u lines valid\n", code, CACHE_SETS * m->code.order.ways);
}

void gdb_monitor(gdb *g, const char *command)
{
    static const struct {
        const char *name;
        void (*show)(gdb *g);
    } commands[] = {{"pmu", monitor_pmu},
                    {"events", monitor_events},
                    {"msr", monitor_msr},
                    {"tlb", monitor_tlb},
                    {"cache", monitor_cache}};
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            commands[i].show(g);
            return;
        }
    }
    say(g, "monitor pmu     counters and what they count\n"
           "monitor events  all events so far\n"
           "monitor msr     model-specific registers\n");
    say(g, "monitor tlb     translations\n"
           "monitor cache   states of the lines\n");
}
