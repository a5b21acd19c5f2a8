/* pairing [check]: shows which adjacent instructions pair, by clocks per trip measured with RDTSC and by rule. */
#include "measure.h"

MEASURED_LOOP(independent, "", "add eax, 1\nadd ebx, 1");
MEASURED_LOOP(read_after_write, "", "add eax, 1\nadd ebx, eax");
MEASURED_LOOP(write_after_read, "", "mov ebx, eax\nmov eax, edx");
MEASURED_LOOP(write_after_write, "", "mov eax, ebx\nmov eax, edx");
MEASURED_LOOP(shift_first, "", "shl eax, 1\nadd ebx, 1");
MEASURED_LOOP(shift_second, "", "add ebx, 1\nshl eax, 1");
MEASURED_LOOP(never, "", "not eax\nadd ebx, 1");
MEASURED_LOOP(displacement_or_immediate, "", "mov dword ptr [esi], 1\nadd ebx, 1");
MEASURED_LOOP(displacement_and_immediate, "", "add ebx, 1\nmov dword ptr [esi + 4], 1");
MEASURED_LOOP(same_bank, "", "mov eax, [esi]\nmov ebx, [edi]");
MEASURED_LOOP(other_bank, "", "mov eax, [esi]\nmov ebx, [edi + 4]");

/* A body that pairs costs 1 clock and leaves DEC+JNZ a pair of their own: 2. One that does not: first |
 * second+DEC | JNZ: 3. */
static const measured_row rows[] = {
    {"independent: add eax / add ebx", independent, 200},
    {"second reads what the first writes", read_after_write, 300},
    {"second writes what the first reads", write_after_read, 200},
    {"both write the same register", write_after_write, 300},
    {"shift first (U only)", shift_first, 200},
    {"shift second", shift_second, 300},
    {"not eax: never pairs", never, 300},
    {"mov [esi], 1 / add", displacement_or_immediate, 200},
    {"add / mov [esi + 4], 1: displacement + immediate", displacement_and_immediate, 300},
    {"two reads of different banks", other_bank, 200},
    {"two reads of the same bank: V waits a clock", same_bank, 300},
};

int main(int argc, char **argv)
{
    return measure_rows(argc, argv, rows, sizeof rows / sizeof *rows);
}
