/* mmx_x87: compares loops that switch between MMX and x87 in every trip with loops that do not. */
#include "measure.h"

MEASURED_LOOP(mmx_only, "", "movq mm0, [esi]\npaddw mm0, [edi]\nmovq [esi + 8], mm0");
MEASURED_LOOP(x87_only, "emms",
              "fld qword ptr [esi + 16]\nfadd qword ptr [edi + 16]\nfstp qword ptr [esi + 24]");
MEASURED_LOOP(mixed, "",
              "movq mm0, [esi]\npaddw mm0, [edi]\nmovq [esi + 8], mm0\nemms\n"
              "fld qword ptr [esi + 16]\nfadd qword ptr [edi + 16]\nfstp qword ptr [esi + 24]");
MEASURED_LOOP(emms, "", "emms");

static const measured_row rows[] = {
    {"MMX only", mmx_only, NOT_STATED},
    {"EMMS alone", emms, NOT_STATED},
    {"x87 only", x87_only, NOT_STATED},
    {"MMX, EMMS, x87 in every trip", mixed, NOT_STATED},
};

int main(int argc, char **argv)
{
    int status = measure_rows(argc, argv, rows, sizeof rows / sizeof *rows);
    __asm__ volatile("emms");
    return status;
}
