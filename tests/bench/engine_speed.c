/* Measures the engine alone: instructions per second of small kernels with a callback that only counts. Prints a table
 * and checks nothing, because the figures depend on the machine. */
#include <time.h>

#include "../unit/engine/guest.h"

GUEST(alu, "mov ecx, 20000000\n 1: add eax, ebx\n xor edx, eax\n lea ebx, [ebx + eax * 2]\n shl edx, 3\n add "
           "esi, edx\n sub edi, esi\n inc ebp\n and eax, 0xffff\n"
           "dec ecx\n jnz 1b\n hlt");
GUEST(memory, "mov ecx, 20000000\n 1: mov eax, [0x30000]\n add eax, ecx\n mov [0x30004], eax\n add "
              "[0x30008], ebx\n mov edx, [0x3000c]\n xor edx, eax\n"
              "dec ecx\n jnz 1b\n hlt");
GUEST(calls,
      "mov ecx, 10000000\n 1: push eax\n call 2f\n pop eax\n dec ecx\n jnz 1b\n hlt\n 2: add eax, ecx\n ret");
GUEST(x87, "fninit\n mov ecx, 5000000\n fld1\n 1: fld qword ptr [0x30000]\n fmul qword ptr [0x30008]\n fadd "
           "st(1), st\n fadd qword ptr [0x30010]\n"
           "fstp qword ptr [0x30018]\n fld st(0)\n fdiv st, st(1)\n fstp st(0)\n dec ecx\n jnz 1b\n hlt");
GUEST(mmx, "mov ecx, 10000000\n 1: movq mm0, [0x30000]\n pmaddwd mm0, mm1\n paddd mm2, mm0\n paddsw mm3, "
           "mm0\n psrlq mm2, 1\n movq [0x30008], mm2\n"
           "dec ecx\n jnz 1b\n hlt");
GUEST(strings, "mov edx, 20000\n 1: mov esi, 0x30000\n mov edi, 0x34000\n mov ecx, 256\n rep movsd\n dec "
               "edx\n jnz 1b\n hlt");

static uint64_t instructions, accesses;

static bool count_retired(void *context, const p5_retired *retired)
{
    (void)context;
    instructions += retired->count;
    accesses += retired->access_count;
    return false;
}

static void measure(const char *name, const uint8_t *code, const uint8_t *end)
{
    guest g;
    guest_open(&g);
    engine_set_retired(g.e, count_retired, NULL);
    guest_put(&g, GUEST_CODE, code, end);
    static const double numbers[] = {1.5, 0.75, 2.25};
    memcpy(engine_ram(g.e, 0x30000, sizeof numbers), numbers, sizeof numbers);
    guest_enter(&g, 0, GUEST_CODE, GUEST_STACK);
    instructions = accesses = 0;
    clock_t begin = clock();
    engine_stop stop = engine_run(g.e);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%-8s %8.0f million instructions/s, %6.0f million accesses/s%s\n", name,
           (double)instructions / seconds / 1e6, (double)accesses / seconds / 1e6,
           stop == ENGINE_HALTED ? "" : "  (did not end as it should)");
    guest_close(&g);
}

#define MEASURE(name) measure(#name, name, name##_end)

int main(void)
{
    MEASURE(alu);
    MEASURE(memory);
    MEASURE(calls);
    MEASURE(x87);
    MEASURE(mmx);
    MEASURE(strings);
    return 0;
}
