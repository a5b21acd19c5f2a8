/* Interrupts and HLT: what enters a handler from outside, and the clocks that pass while the processor waits
 * for it. The guest is a case at CPL 0 with an IDT of its own; a timer of the test's own interrupts it every
 * PERIOD clocks. */
#include <stdlib.h>

#include "../unit.h"
#include "machine/base/end.h"
#include "machine/state.h"
#include "p5tool/report.h"

enum { PERIOD = 10000, WAITS = 7, VECTOR = 0x20 };

static const char source[] = "        mov edi,offset idt\n"
                             "        mov eax,offset handler\n"
                             "        .irp vector,2,0x20\n"
                             "        mov [edi+\\vector*8],ax\n"
                             "        mov word ptr [edi+\\vector*8+2],8\n"
                             "        mov word ptr [edi+\\vector*8+4],0x8e00\n"
                             "        mov ebx,eax\n"
                             "        shr ebx,16\n"
                             "        mov [edi+\\vector*8+6],bx\n"
                             "        .endr\n"
                             "        lidt [pointer]\n"
                             "        mov ecx,N\n"
                             "        sti\n"
                             "1:      call wait\n"
                             "        dec ecx\n"
                             "        jnz 1b\n"
                             "        jmp done\n"
                             "wait:   hlt\n"
                             "        ret\n"
                             "handler: iretd\n"
                             "        .data\n"
                             "pointer: .word 0x107\n"
                             "        .long idt\n"
                             "        .bss\n"
                             "        .balign 4096\n"
                             "idt:    .skip 0x108\n"
                             "        .text\n"
                             "done:\n";

/* The timer: one interrupt per period. */
static uint64_t deadline(p5_machine *machine)
{
    return (p5_core_clock_estimate(machine->core) / PERIOD + 1) * PERIOD;
}

static void due(p5_machine *machine)
{
    const p5_transfer *kind = machine->guest_state;
    assert_true(engine_inject(machine->engine, *kind == P5_TRANSFER_NMI ? VECTOR_NMI : VECTOR, *kind));
}

static engine_action event(p5_machine *machine, const engine_event *what)
{
    assert_int_equal(what->vector, 6); /* the end of the case */
    machine_end(machine, P5_END_EXIT, 0);
    return ENGINE_STOP;
}

static const guest_kind with_timer = {.deadline = deadline, .due = due, .event = event};

static void run(const char *model, p5_transfer kind, p5_counts *counts, uint64_t *time_stamp)
{
    p5_error error = {0};
    p5_case_program *program;
    p5_machine *machine;
    p5_case_image image;
    p5_run_result result = {.size = sizeof result};
    if (p5_case_assemble_text("interrupts", source, WAITS, &program, &error) != P5_OK)
        fail_msg("line %u: %s", error.line, error.message);
    p5_case_program_image(program, &image);
    p5_machine_options options = {.size = sizeof options, .model = model};
    assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
    assert_int_equal(p5_machine_load_case(machine, &image, &error), P5_OK);
    machine->guest = &with_timer;
    machine->guest_state = &kind;
    assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_OK);
    assert_int_equal(result.end, P5_END_EXIT);
    p5_machine_counts(machine, counts);
    p5_privilege highest = {.mode = P5_MODE_PROTECTED};
    assert_int_equal(p5_pmu_rdtsc(machine->pmu, &highest, time_stamp), P5_NO_FAULT);
    assert_int_equal(p5_laws_check_machine(machine, stderr, NULL), 0);
    machine->guest = NULL; /* its state is ours */
    p5_machine_close(machine);
    p5_case_program_free(program);
}

static uint64_t total(const p5_counts *counts, enum p5_event event_id)
{
    return counts->increments[event_id][P5_CPL_KERNEL] + counts->increments[event_id][P5_CPL_USER];
}

/* Each wait ends with one interrupt, INTR or NMI. A wait lasts until the next multiple of the period; what
 * the processor does between two waits (delivery, IRET, two instructions) takes less than 200 clocks, so
 * nearly all of WAITS periods is spent halted, and the clocks not halted are the rest. */
TEST(waits_in_hlt)
{
    static const char *const models[] = {"p55c-200", "p54c-133"};
    static const p5_transfer kinds[] = {P5_TRANSFER_INTERRUPT, P5_TRANSFER_NMI};
    for (unsigned i = 0; i < 4; i++) {
        static p5_counts counts;
        uint64_t time_stamp;
        run(models[i / 2], kinds[i % 2], &counts, &time_stamp);
        assert_int_equal(total(&counts, P5_EVENT_HARDWARE_INTERRUPTS), WAITS);
        uint64_t halted = counts.stalls[P5_STALL_HALT][P5_CPL_KERNEL];
        assert_in_range(halted, WAITS * (PERIOD - 200) - 1000, WAITS * PERIOD);
        /* The time stamp counter counts in HLT; a next instruction would read it some clocks on. */
        assert_in_range(time_stamp, counts.clocks[P5_CPL_KERNEL] - 4, counts.clocks[P5_CPL_KERNEL] + 4);
        if (i < 2)
            assert_int_equal(total(&counts, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE),
                             counts.clocks[P5_CPL_KERNEL] - halted);
        /* Set-up: 2 and twice 6 and LIDT, MOV, STI; then CALL, HLT, RET, DEC, JNZ each; JMP. HLT is one
         * instruction however long; each interrupt adds one for the handler's entry and IRET. */
        assert_int_equal(total(&counts, P5_EVENT_INSTRUCTIONS_EXECUTED),
                         2 + 2 * 6 + 3 + 5 * WAITS + 1 + 2 * WAITS);
        /* LIDT serialises; CALL, RET, JNZ, the interrupt and IRET each; JMP. */
        assert_int_equal(total(&counts, P5_EVENT_BRANCHES), 1 + 5 * WAITS + 1);
        /* The interrupts come between HLT and RET. Beside them only wrong predictions flush. */
        if (i < 2) {
            assert_int_equal(total(&counts, P5_EVENT_RETURNS), 2 * WAITS);
            assert_int_equal(total(&counts, P5_EVENT_PIPELINE_FLUSHES) -
                                 total(&counts, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS),
                             WAITS);
        }
        /* CS by each interrupt and each IRET, and IDTR. */
        assert_int_equal(total(&counts, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED), 2 * WAITS + 1);
    }
}
