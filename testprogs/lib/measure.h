/* Measures short loops with RDTSC. A table has, for each loop, the clocks of a trip by the Pentium's pairing
 * rules; measure_rows prints them next to the measured clocks. */
#ifndef TESTPROGS_MEASURE_H
#define TESTPROGS_MEASURE_H

#include "guest.h"

typedef void measured_loop(uint32_t trips);

typedef struct measured_row {
    const char *title;
    measured_loop *loop;
    int32_t expected; /* hundredths of a clock per trip; NOT_STATED = depends on the board */
} measured_row;

enum { NOT_STATED = -1 };

/* Memory that the loops may use: ESI and EDI point to it, 64 bytes apart, aligned to 32. Both lines are read
 * before the loop, because a write that misses does not fill a line. */
extern uint8_t measured_memory[256 * 1024];

/* Defines the loop NAME(trips). SETUP and BODY are assembly in Intel syntax; they may use all registers but
 * ECX (the trip count) and ESP. The loop control that follows BODY, DEC ECX and JNZ, is a pair: one clock, if
 * BODY leaves it a U pipe to begin in. */
#define MEASURED_LOOP(name, setup, body)                                                                     \
    measured_loop name;                                                                                      \
    __asm__(".text\n.intel_syntax noprefix\n.balign 32\n" #name ":\n"                                        \
            "pusha\nmov ecx, [esp + 36]\nlea esi, measured_memory\nlea edi, [esi + 64]\n"                    \
            "mov eax, [esi]\nmov eax, [edi]\n"                                                               \
            "xor eax, eax\nxor ebx, ebx\nxor edx, edx\nxor ebp, ebp\n" setup "\n.balign 32\n9:\n" body       \
            "\ndec ecx\njnz 9b\npopa\nret\n.att_syntax prefix\n")

/* Clocks of one trip in hundredths: the difference of two runs, so that set-up and cold misses cancel out. */
int32_t clocks_per_trip(measured_loop *loop);

/* Prints a table; the exit status: 1 if a row is not as expected and the first argument is "check". */
int measure_rows(int argc, char **argv, const measured_row *rows, size_t count);

#endif
