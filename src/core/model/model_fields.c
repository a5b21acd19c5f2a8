/* The table of all keys of a model file, and macros for its rows. `min` and `max` are inclusive. The last argument is
 * the key's explanation, which p5_model_fields shows to users; "inferred" marks a value that no source gives. For
 * CHOICE, `first` is the number of the first choice. */
#include "core/model/model.h"

#include <stddef.h>

#define AT(member) (unsigned)offsetof(p5_model, member)
#define NUMBER(section, key, member, min, max, why)                                                          \
    {                                                                                                        \
        section, key, MODEL_NUMBER, min, max, false, NULL, AT(member), why                                   \
    }
#define POWER(section, key, member, min, max, why)                                                           \
    {                                                                                                        \
        section, key, MODEL_NUMBER, min, max, true, NULL, AT(member), why                                    \
    }
#define FLAG(section, key, member, why)                                                                      \
    {                                                                                                        \
        section, key, MODEL_FLAG, 0, 1, false, NULL, AT(member), why                                         \
    }
#define CHOICE(section, key, member, first, choices, why)                                                    \
    {                                                                                                        \
        section, key, MODEL_CHOICE, first, 0, false, choices, AT(member), why                                \
    }

#define PIN_WIRES                                                                                            \
    "none nmi irq0 irq1 irq2 irq3 irq4 irq5 irq6 irq7 irq8 irq9 irq10 irq11 irq12 irq13 irq14 irq15"

/* Every key of a model file, in the order in which p5_model_fields shows them. */
const model_field model_fields[] = {
    {"model", "title", MODEL_STRING, 0, 0, false, NULL, AT(title), "what this machine is, in words"},

    CHOICE("processor", "family", family, P5_FAMILY_P54C, "p54c p55c",
           "p54c: Pentium; p55c: Pentium with MMX. Decides instruction set, pipe and registers"),
    {"processor", "signature", MODEL_HEX, 0x500, 0x3fff, false, NULL, AT(signature),
     "CPUID leaf 1 EAX: type, family, model, stepping"},
    {"processor", "clock_mhz", MODEL_REAL, 1, 1000, false, NULL, AT(clock_mhz), "core clock"},
    {"processor", "bus_ratio", MODEL_RATIO, 3, 7, false, NULL, AT(half_ratio),
     "core clocks per bus clock: 3/2, 2/1, 5/2, 3/1 or 7/2"},
    FLAG("processor", "errata", errata,
         "on: as silicon: the monitor counts by errata 44, 75 and 76, erratum 81 hangs; off: as the manual "
         "says"),
    CHOICE("processor", "cc_clocks", cc_clocks, CC_CLOCKS_ASSERTED, "asserted free_running",
           "CESR's \"count clocks\": clocks in which the event is asserted, or all clocks"),
    CHOICE(
        "processor", "monitor", monitor, MONITOR_P5, "p5 p6 arch3",
        "registers over the counters: p5: CESR; p6: Pentium Pro's PERFEVTSEL; arch3: architectural perfmon, "
        "version 3 (the last two: a processor that was never made)"),
    NUMBER("processor", "counter_bits", counter_bits, 40, 48,
           "width of the counters: 40, and with arch3 48, too"),

    NUMBER("pipe", "fetch_blocks", timing.fetch_blocks, 1, 2, "16-byte blocks that PF delivers in one clock"),
    NUMBER("pipe", "pair_length_u", timing.pair_length_u, 1, 15,
           "longest instruction, prefixes not counted, that may be the first of a pair"),
    NUMBER("pipe", "pair_length_v", timing.pair_length_v, 1, 15,
           "longest instruction, prefixes not counted, that may be the second of a pair"),
    NUMBER("pipe", "push_length", timing.push_length, 1, 15,
           "p55c: F pushes two instructions into the FIFO in a clock if neither is longer"),

    NUMBER("branch", "refill", timing.depth, 1, 15,
           "core clocks from the resolution of a mispredicted branch to the EX of its target"),
    NUMBER(
        "branch", "direct_early", timing.direct_early, 0, 3,
        "core clocks before the end of EX at which a direct JMP or CALL that was not predicted is resolved "
        "(inferred: its target comes out of D2's adder)"),

    NUMBER("x87", "after_mmx", timing.x87_after_mmx, 0, 200,
           "core clocks of the switch from MMX to x87, before the instruction"),
    NUMBER(
        "x87", "divide_small_gain", timing.divide_small_gain, 0, 10,
        "FDIV at extended precision: core clocks that a divisor below 1 saves (inferred from four divisors)"),
    {"x87", "trig_small", MODEL_REAL, 0, 0.78, false, NULL, AT(timing.trig_small),
     "FSIN, FCOS and others: largest argument, in radians, of the short time (inferred)"},
    {"x87", "trig_middle", MODEL_REAL, 0, 0.78, false, NULL, AT(timing.trig_middle),
     "FSIN, FCOS and others: largest argument of the middle time; beyond it, up to pi/4, the long one "
     "(inferred)"},
    NUMBER("x87", "trig_negated", timing.trig_negated, 0, 50,
           "additional core clocks if the reduced argument changes the sign of the result (inferred)"),
    NUMBER("x87", "flop_clocks", timing.flop_clocks, 1, 100,
           "transcendentals: core clocks for each of the operations that event 22h counts (inferred)"),
    NUMBER("x87", "flop_most", timing.flop_most, 1, 200,
           "transcendentals: most operations that event 22h counts for one (inferred)"),

    NUMBER("mmx", "after_x87", timing.mmx_after_x87, 0, 200,
           "core clocks of the switch from x87 to MMX, before the instruction"),

    NUMBER("interrupt", "real", timing.dispatch_real, 1, 200,
           "core clocks of the delivery of an interrupt or exception in real mode (inferred: as INT n)"),
    NUMBER("interrupt", "same_level", timing.dispatch_same, 1, 200,
           "core clocks of a delivery in protected mode, to the same privilege level (inferred)"),
    NUMBER("interrupt", "inner_level", timing.dispatch_inner, 1, 200,
           "core clocks of a delivery to a more privileged level (inferred)"),
    NUMBER("interrupt", "v86", timing.dispatch_v86, 1, 200,
           "core clocks of a delivery from V86 mode (inferred)"),
    NUMBER("interrupt", "task_gate", timing.dispatch_task, 1, 250,
           "core clocks of a delivery through a task gate (inferred)"),

    POWER("code_cache", "ways", code_cache.ways, 2, 4,
          "ways of 4 KB each (128 sets of 32-byte lines), replaced by tree pseudo-LRU"),
    POWER("data_cache", "ways", data_cache.ways, 2, 4,
          "ways of 4 KB each (128 sets of 32-byte lines), replaced by tree pseudo-LRU"),
    FLAG("data_cache", "same_set_waits", data_cache.same_set_waits,
         "a lookup in the set of a line that is being filled waits until the line is in the array "
         "(measured: chains through one set cost 4 clocks more on P54C, none on P55C)"),

    POWER("code_tlb", "sets", code_tlb.sets, 1, 16, "sets for 4 KB pages"),
    POWER("code_tlb", "ways", code_tlb.ways, 2, 64, "ways per set, replaced by tree pseudo-LRU"),
    FLAG("code_tlb", "split_large", code_tlb.split_large, "4 MB pages are kept in pieces of 4 KB"),
    POWER("data_tlb", "sets", data_tlb.sets, 1, 16, "sets for 4 KB pages"),
    POWER("data_tlb", "ways", data_tlb.ways, 2, 64, "ways per set, replaced by tree pseudo-LRU"),
    POWER("data_tlb", "large_sets", data_tlb.large_sets, 0, 16,
          "sets of the separate array for 4 MB pages; 0: they share the other array"),
    POWER("data_tlb", "large_ways", data_tlb.large_ways, 0, 4, "ways of the array for 4 MB pages"),

    NUMBER("write_buffers", "entries", write_buffers, 1, 4, "8-byte write buffers"),
    FLAG("write_buffers", "per_pipe", write_buffer_per_pipe,
         "half of the entries belong to each pipe; off: one pool for both"),

    NUMBER("latency", "miss_to_bus", latency.miss_to_bus, 0, 20,
           "core clocks from the end of EX, when a miss is known, to the earliest ADS# (inferred from "
           "pointer chains)"),
    NUMBER("latency", "bus_to_use", latency.bus_to_use, 0, 20,
           "core clocks from BRDY# sampled to the data in EX (inferred from pointer chains)"),
    NUMBER("latency", "fill_to_array", latency.fill_to_array, 0, 20,
           "core clocks from the last BRDY# of a line to its use from the array by further references, which "
           "wait for it (inferred from chains that stay in a line)"),
    NUMBER("latency", "misaligned", latency.misaligned, 0, 20, "additional clocks of a misaligned reference"),
    NUMBER("latency", "walk_start", latency.walk_start, 0, 40,
           "core clocks from a TLB miss to the request of the directory entry (inferred)"),
    NUMBER("latency", "walk_between", latency.walk_between, 0, 40,
           "core clocks from the directory entry to the request of the table entry (inferred)"),
    NUMBER("latency", "walk_end", latency.walk_end, 0, 40,
           "core clocks from the last entry to the repeated lookup (inferred)"),

    CHOICE("btb", "key", btb.key, BTB_KEY_PREVIOUS_PAIR, "previous_pair last_byte",
           "address that an entry is attached to: the first instruction of the pair before the branch, or "
           "the last byte of the branch"),
    CHOICE("btb", "replacement", btb.replacement, BTB_REPLACE_RANDOM, "random plru",
           "way that a new entry takes when no way is free (inferred)"),
    NUMBER("btb", "tight_loop_pairs", btb.tight_loop_pairs, 0, 16,
           "previous_pair: up to this many pairs since the branch's last execution, its counter is forwarded "
           "before the entry is updated"),
    NUMBER("btb", "stale_instructions", btb.stale_instructions, 0, 64,
           "last_byte: up to this many instructions since the branch's last execution, the prediction bit is "
           "still the one before that"),
    NUMBER("btb", "first_history", btb.first_history, 0, 15, "last_byte: history of a new entry (inferred)"),
    NUMBER("btb", "first_counter", btb.first_counter, 0, 3,
           "last_byte: the 16 two-bit counters of a new entry (inferred)"),
    FLAG("btb", "aligned_loop_at_hand", btb.aligned_loop_at_hand,
         "previous_pair: a loop within 16 aligned bytes that jumps to its first is predicted even right "
         "after its own misprediction (inferred: the target is in the prefetch buffer)"),
    NUMBER("return_stack", "entries", btb.return_entries, 0, 4,
           "return addresses kept; 0: none, returns are predicted by the BTB's target"),

    NUMBER("bus", "idle_after_read", bus.idle_after_read, 0, 8,
           "bus clocks between the last BRDY# of a read and the next ADS#"),
    NUMBER("bus", "write", bus.write, 2, 64, "bus clocks of a single write"),
    NUMBER("bus", "idle_after_write", bus.idle_after_write, 0, 8,
           "bus clocks between the BRDY# of a write and the next ADS#"),
    NUMBER("bus", "write_back_first", bus.write_back_first, 2, 64,
           "bus clocks to the first BRDY# of a line written back"),
    NUMBER("bus", "write_back_next", bus.write_back_next, 1, 16, "bus clocks for each further 8 bytes of it"),
    NUMBER("bus", "locked_read", bus.locked_read, 2, 64, "bus clocks of the read of a locked sequence"),
    NUMBER("bus", "locked_write", bus.locked_write, 2, 64, "bus clocks of the write of a locked sequence"),
    NUMBER("bus", "locked_idle", bus.locked_idle, 1, 16, "bus clocks between two locked sequences"),
    NUMBER("bus", "io_read", bus.io_read, 2, 1000, "bus clocks of an I/O read (inferred: 8-bit ISA)"),
    NUMBER("bus", "io_write", bus.io_write, 2, 1000, "bus clocks of an I/O write (inferred: 8-bit ISA)"),
    POWER("bus", "video_bytes", bus.video_bytes, 1, 8,
          "bytes that the bus of the video memory moves at once: 4 PCI, 2 ISA"),
    NUMBER("bus", "video_read", bus.video_read, 2, 1000,
           "bus clocks of each such read of video memory (inferred: PCI)"),
    NUMBER("bus", "video_write", bus.video_write, 2, 1000,
           "bus clocks of each such write to video memory (inferred: PCI, a write every 4 of its clocks)"),
    NUMBER("bus", "ewbe", bus.ewbe, 0, 1000,
           "bus clocks that EWBE# stays inactive after a write; 0: tied active"),
    FLAG("bus", "write_back_lines", bus.write_back_lines,
         "WB/WT#: on: lines are filled exclusive, off: shared, and every write goes to the bus"),
    {"bus", "uncacheable", MODEL_RANGES, 0, 0, false, NULL, AT(uncacheable),
     "physical ranges for which KEN# is inactive: FIRST-LAST, ..."},

    POWER("l2", "bytes", l2.bytes, 0, 16777216,
          "size of the board's direct-mapped cache of 32-byte lines; 0: none"),
    NUMBER("l2", "cacheable_bytes", l2.cacheable_bytes, 0, 4294967295.0, "memory that it can hold"),
    NUMBER("l2", "first", l2.first, 2, 64, "bus clocks to the first BRDY# of a hit"),
    NUMBER("l2", "next", l2.next, 1, 16, "bus clocks for each further 8 bytes"),
    FLAG("l2", "allocate_single", l2.allocate_single,
         "single reads (page walks) allocate a line too (inferred from the cost of TLB misses)"),

    POWER("dram", "page_bytes", dram.page_bytes, 512, 1048576, "bytes of an open page"),
    NUMBER("dram", "hit", dram.hit, 2, 200, "bus clocks to the first BRDY# in the open page"),
    NUMBER("dram", "closed", dram.closed, 2, 200, "bus clocks to the first BRDY# with no page open"),
    NUMBER("dram", "miss", dram.miss, 2, 200, "bus clocks to the first BRDY# with another page open"),
    NUMBER("dram", "next", dram.next, 1, 64, "bus clocks for each further 8 bytes"),
    NUMBER("dram", "close_idle", dram.close_idle, 0, 1000,
           "the page is closed after this many idle bus clocks; 0: never"),

    CHOICE("pins", "pm0", pins[0], PIN_TO_NOTHING, PIN_WIRES,
           "where the board leads PM0: nowhere, NMI, or a line of the interrupt controllers"),
    CHOICE("pins", "pm1", pins[1], PIN_TO_NOTHING, PIN_WIRES, "the same for PM1"),
    CHOICE("pins", "pmi", pmi, PIN_TO_NOTHING, PIN_WIRES,
           "where the overflow interrupt of p6 and arch3 goes: none, nmi, or a line of the interrupt "
           "controllers"),
    NUMBER("pins", "delay_clocks", pin_delay_clocks, 0, 1000,
           "core clocks from what a pin shows to its latch: the manual's \"a few\" (26.4.4.3), inferred"),
    NUMBER("pins", "overflow_clocks", pin_overflow_clocks, 0, 1000,
           "the same of an overflow: the manual's \"approximately 5\""),

    CHOICE("check", "cycle", check.cycle, CHECK_NONE, "none read write code in out",
           "bus cycles that the board answers with BUSCHK#, as if they had failed"),
    NUMBER("check", "address", check.address, 0, 4294967295.0,
           "the 8 bytes of memory that such a cycle touches, or its port"),

    FLAG(
        "board", "apic", apic,
        "an I/O APIC, the processor's local APIC (APICEN) and MP tables; an access costs a single bus cycle"),

    CHOICE("agent", "kind", agent.kind, AGENT_NONE, "none dma processor",
           "another bus master. dma: a device that uses HOLD and HLDA; processor: the second one of a "
           "dual-processor board"),
    NUMBER("agent", "period", agent.period, 1, 1000000000, "bus clocks from one of its requests to the next"),
    NUMBER("agent", "base", agent.base, 0, 4294967295.0,
           "first physical address that it moves a line from or to"),
    NUMBER("agent", "len", agent.length, 32, 1073741824, "bytes, after which it begins again"),
    FLAG("agent", "write", agent.write,
         "on: it writes to memory, and copies in the caches become invalid; off: it reads, and they become "
         "shared"),
    NUMBER("agent", "clocks", agent.clocks, 2, 1000, "bus clocks that a line takes it"),
    NUMBER("agent", "grant", agent.grant, 0, 100,
           "processor: bus clocks from the end of its cycle to PBGNT# (inferred)"),
};
const unsigned model_field_count = sizeof model_fields / sizeof *model_fields;
