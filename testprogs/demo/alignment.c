/* alignment [check]: reads that straddle a 4-byte boundary (8 for m64) cost three clocks more. */
#include "measure.h"

MEASURED_LOOP(dword_aligned, "", "mov eax, [esi]\nadd ebx, 1");
MEASURED_LOOP(dword_misaligned, "", "mov eax, [esi + 2]\nadd ebx, 1");
MEASURED_LOOP(dword_across_lines, "", "mov eax, [esi + 30]\nadd ebx, 1");
MEASURED_LOOP(word_aligned, "", "movzx eax, word ptr [esi]\nadd ebx, 1");
MEASURED_LOOP(word_inside, "", "movzx eax, word ptr [esi + 1]\nadd ebx, 1");
MEASURED_LOOP(word_across, "", "movzx eax, word ptr [esi + 3]\nadd ebx, 1");
MEASURED_LOOP(byte, "", "mov al, [esi + 3]\nadd ebx, 1");

static const measured_row rows[] = {
    {"dword at 0", dword_aligned, 200},
    {"dword at 2", dword_misaligned, 500},
    {"dword at 30: two lines", dword_across_lines, 500},
    {"word at 0 (MOVZX: three clocks, alone)", word_aligned, 500},
    {"word at 1: inside a dword", word_inside, 500},
    {"word at 3: two dwords", word_across, 800},
    {"byte at 3", byte, 200},
};

int main(int argc, char **argv)
{
    return measure_rows(argc, argv, rows, sizeof rows / sizeof *rows);
}
