/* Counts two instructions that pair: cc count_code.c $(pkg-config --cflags --libs p5scope) */
#include <p5scope/machine.h>
#include <stdio.h>

int main(void)
{
    static const unsigned char code[] = {0x83, 0xc0, 0x01, 0x83, 0xc3, 0x01}; /* add eax, 1; add ebx, 1 */
    p5_counts *counts;
    if (p5_count_code(code, sizeof code, NULL, &counts, NULL) != P5_OK)
        return 1;
    printf("%d\n", (int)p5_counts_event(counts, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, P5_CPL_MASK_ALL));
    p5_counts_free(counts);
}
