/* `monitor` commands: show performance counters, registers, TLBs, caches and the pipeline. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "machine/base/end.h"
#include "machine/gdb/gdb.h"

enum { TLB_LINES_AT_MOST = 24 };

/* Appends text to the reply in hexadecimal, as the protocol wants it. At most 159 characters are shown. */
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

/* Prints counter CTR0 or CTR1 and the selection in its half of CESR. */
static void say_selected(gdb *g, unsigned counter, const p5_counter_select *half, uint64_t value)
{
    const char *name = "nothing";
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)e);
        if (info->code == half->code && (info->counters & (counter == 0 ? P5_ON_CTR0 : P5_ON_CTR1)) != 0 &&
            (half->system || half->user))
            name = info->name;
    }
    say(g, "ctr%u %" PRIu64 "  %s%s%s%s\n", counter, value, name, half->system ? ", CPL 0-2" : "",
        half->user ? ", CPL 3" : "", half->clocks ? ", clocks" : "");
}

/* Prints the registers of the model's performance monitor, with decoded selections. A Pentium's monitor has CESR,
 * CTR0 and CTR1; a model with a later processor's monitor has the PERFEVTSELn and counters of that one instead. */
static void monitor_pmu(gdb *g)
{
    p5_pmu *pmu = g->machine->pmu;
    unsigned family = p5_model_family(g->machine->model) | p5_model_monitor(g->machine->model);
    size_t count;
    p5_counter_select select[2]; /* set at CESR, which comes before its counters */
    const p5_register *registers = p5_pmu_monitor_registers(pmu, &count);
    for (size_t i = 0; i < count; i++) {
        const p5_register *r = &registers[i];
        uint64_t value = p5_pmu_peek(pmu, r->msr);
        if (r->msr == P5_MSR_CESR) {
            p5_cesr_decode((uint32_t)value, select);
            say(g, "cesr 0x%08" PRIx64 "\n", value);
        } else if (r->msr == P5_MSR_CTR0 || r->msr == P5_MSR_CTR1) {
            say_selected(g, r->msr - P5_MSR_CTR0, &select[r->msr - P5_MSR_CTR0], value);
        } else if (p5_register_counts(r)) {
            say(g, "%-14s %" PRIu64 "\n", r->name, value);
        } else {
            char text[120] = "";
            if (value != 0 && r->msr - P5_MSR_PERFEVTSEL0 < 4)
                p5_evtsel_describe((uint32_t)value, family, text, sizeof text);
            say(g, "%-14s 0x%08" PRIx64 "%s%s\n", r->name, value, text[0] != '\0' ? "  " : "", text);
        }
    }
    say(g, "tsc  %" PRIu64 "\n", p5_pmu_peek(pmu, P5_MSR_TSC));
}

/* Prints the total of every event that has occurred, by privilege level, and the clocks. */
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

/* Prints all readable MSRs. For the cache, TLB and BTB test registers, that is the value last written, or the one
 * that a test read command has put there. */
static void monitor_msr(gdb *g)
{
    unsigned family = p5_model_family(g->machine->model) | p5_model_monitor(g->machine->model);
    for (const p5_register *r = p5_registers(family); r->name != NULL; r++) {
        if (r->read_mask != 0)
            say(g, "%02" PRIX32 "h  0x%016" PRIx64 "  %s\n", r->msr, p5_pmu_peek(g->machine->pmu, r->msr),
                r->name);
    }
}

static void show_tlb(gdb *g, const char *name, bool code)
{
    p5_translation entries[CORE_TRANSLATIONS];
    unsigned count = core_translations(g->machine->core, code, entries), valid = 0;
    for (unsigned i = 0; i < count; i++) {
        const p5_translation *e = &entries[i];
        if (!e->valid)
            continue;
        if (valid++ < TLB_LINES_AT_MOST)
            say(g, "%-6s %2u  %08" PRIx32 " -> %08" PRIx32 "%s%s%s\n", name, i, e->linear, e->physical,
                e->large ? " 4M" : "", e->dirty ? " dirty" : "", e->writable ? " writable" : "");
    }
    say(g, "%s: %u of %u entries valid\n", name, valid, count);
}

static void monitor_tlb(gdb *g)
{
    show_tlb(g, "code", true);
    show_tlb(g, "data", false);
}

static void monitor_cache(gdb *g)
{
    const core_lines lines = core_count_lines(g->machine->core);
    say(g, "data: %u modified, %u exclusive, %u shared, %u invalid\n", lines.modified, lines.exclusive,
        lines.shared, lines.invalid);
    say(g, "code: %u of %u lines valid\n", lines.code, lines.code_lines);
}

/* Prints the clocks by what they were spent on (p5_stall: issue, or a cause of stalls), largest first, as the CPI
 * stack of `p5scope stat`. */
static void monitor_stat(gdb *g)
{
    p5_counts totals;
    uint64_t left[P5_STALL_COUNT], clocks, instructions;
    p5_machine_counts(g->machine, &totals);
    clocks = p5_counts_sum(totals.clocks, P5_CPL_MASK_ALL);
    instructions = p5_counts_sum(totals.increments[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL);
    say(g, "%20" PRIu64 "  clocks\n%20" PRIu64 "  instructions, %.3f clocks each\n", clocks, instructions,
        instructions != 0 ? (double)clocks / (double)instructions : 0);
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        left[s] = p5_counts_sum(totals.stalls[s], P5_CPL_MASK_ALL);
    for (;;) {
        unsigned most = 0;
        for (unsigned s = 1; s < P5_STALL_COUNT; s++)
            most = left[s] > left[most] ? s : most;
        if (left[most] == 0)
            return;
        say(g, "%20" PRIu64 "  %-16s %5.1f %%\n", left[most], p5_stall_name((p5_stall)most),
            100 * (double)left[most] / (double)clocks);
        left[most] = 0;
    }
}

static void record_recent(void *context, const p5_trace_insn *insn)
{
    gdb *g = context;
    g->recent[g->recent_count++ % GDB_RECENT] = *insn;
}

void gdb_monitor_follow(gdb *g, bool continues)
{
    if (g->records_recent)
        p5_core_set_trace(g->machine->core, record_recent, g);
    if (!continues)
        g->recent_count = 0;
}

void gdb_monitor_close(gdb *g)
{
    if (g->records_recent)
        p5_core_set_trace(g->machine->core, NULL, NULL);
}

/* Prints the latest instructions with the clock at which each entered EX, its pipe, the stall that delayed its entry
 * to EX, and the one that kept it there. Recording needs the slow path, so it begins with the first use of the
 * command. */
static void monitor_pipeline(gdb *g)
{
    if (!g->records_recent) {
        g->records_recent = true;
        gdb_monitor_follow(g, false);
        say(g, "recording instructions from here on\n");
        return;
    }
    size_t shown = g->recent_count < GDB_RECENT ? g->recent_count : GDB_RECENT;
    for (size_t i = g->recent_count - shown; i < g->recent_count; i++) {
        const p5_trace_insn *insn = &g->recent[i % GDB_RECENT];
        char text[80], stall[40] = "", hold[40] = "";
        machine_disassemble(g->machine, insn->address, text, sizeof text);
        if (insn->stall != P5_STALL_ISSUE) /* P5_STALL_ISSUE: no stall */
            snprintf(stall, sizeof stall, "  stall %s %u", p5_stall_name((p5_stall)insn->stall),
                     insn->stall_clocks);
        if (insn->hold != P5_STALL_ISSUE)
            snprintf(hold, sizeof hold, "  stall %s %u", p5_stall_name((p5_stall)insn->hold),
                     insn->hold_clocks);
        say(g, "%12" PRIu64 "  %c  %08" PRIx32 "  %-*s%s%s\n", insn->ex, insn->pipe == 0 ? 'U' : 'V',
            insn->address, stall[0] != '\0' || hold[0] != '\0' ? 36 : 0, text, stall, hold);
    }
}

void gdb_monitor(gdb *g, const char *command)
{
    static const struct {
        const char *name;
        void (*show)(gdb *g);
    } commands[] = {{"pmu", monitor_pmu},       {"stat", monitor_stat}, {"pipeline", monitor_pipeline},
                    {"events", monitor_events}, {"msr", monitor_msr},   {"tlb", monitor_tlb},
                    {"cache", monitor_cache}};
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            commands[i].show(g);
            return;
        }
    }
    if (command[0] != '\0' && strcmp(command, "help") != 0)
        say(g, "There is no command 'monitor %.40s'.\n", command);
    say(g, "monitor stat      clocks by cause\n"
           "monitor pipeline  the latest instructions in U and V\n");
    say(g, "monitor pmu       performance counters and their selections\n"
           "monitor events    counts of all events\n"
           "monitor msr       model-specific registers\n");
    say(g, "monitor tlb       TLB entries\n"
           "monitor cache     cache lines by state\n");
}
