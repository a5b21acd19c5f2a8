/* agi [check]: an address register written in the clock before costs one clock (address generation
 * interlock). */
#include "measure.h"

MEASURED_LOOP(none, "", "add ebx, 0\nadd edx, 1\nmov eax, [esi]\nadd ebp, 1");
MEASURED_LOOP(base, "", "add esi, 0\nadd edx, 1\nmov eax, [esi]\nadd ebp, 1");
MEASURED_LOOP(index, "", "add ebx, 0\nadd edx, 1\nmov eax, [esi + ebx * 4]\nadd ebp, 1");
MEASURED_LOOP(from_v, "", "add edx, 1\nadd esi, 0\nmov eax, [esi]\nadd ebp, 1");
MEASURED_LOOP(used_in_v, "", "add esi, 0\nadd edx, 1\nadd ebp, 1\nmov eax, [esi]");
MEASURED_LOOP(one_clock_between, "",
              "add esi, 0\nadd edx, 1\nadd ebx, 1\nadd ebp, 1\nmov eax, [esi]\nadd edx, 1");
MEASURED_LOOP(lea, "", "add esi, 0\nadd edx, 1\nlea eax, [esi + 4]\nadd ebp, 1");

/* Two pairs and DEC+JNZ: 3 clocks; the interlock adds 1. */
static const measured_row rows[] = {
    {"no interlock", none, 300},
    {"base register written one clock before", base, 400},
    {"index register written one clock before", index, 400},
    {"... written in the V pipe", from_v, 400},
    {"... used in the V pipe", used_in_v, 400},
    {"a pair in between (one more clock for the pair)", one_clock_between, 400},
    {"LEA generates an address too", lea, 400},
};

int main(int argc, char **argv)
{
    return measure_rows(argc, argv, rows, sizeof rows / sizeof *rows);
}
