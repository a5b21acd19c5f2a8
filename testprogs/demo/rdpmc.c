/* rdpmc: reads both counters from CPL 3 around a loop of 1000 reads of memory. Needs CR4.PCE and CESR set
 * before it starts (options of `p5scope stat`); without CR4.PCE the first RDPMC ends the program with
 * SIGSEGV, as #GP(0) does under Linux. */
#include "measure.h"

static uint64_t read_counter(uint32_t counter)
{
    uint64_t value;
    __asm__ volatile("rdpmc" : "=A"(value) : "c"(counter));
    return value;
}

MEASURED_LOOP(reads, "", "mov eax, [esi]");

int main(int argc, char **argv)
{
    uint64_t begin[2], end[2];
    (void)argc, (void)argv;
    for (uint32_t i = 0; i < 2; i++)
        begin[i] = read_counter(i);
    reads(1000);
    for (uint32_t i = 0; i < 2; i++)
        end[i] = read_counter(i);
    for (uint32_t i = 0; i < 2; i++) {
        print(i == 0 ? "CTR0 " : "CTR1 ");
        print_decimal(end[i] - begin[i]);
        print("\n");
    }
    return 0;
}
