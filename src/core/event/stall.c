/* Names of the owners of clocks (p5_stall): the spelling in the CPI stack, in JSON and in profiles. */
#include "p5scope/core.h"

static const char *const stall_names[P5_STALL_COUNT] = {
    [P5_STALL_ISSUE] = "issue",
    [P5_STALL_EXECUTE] = "execute",
    [P5_STALL_BRANCH] = "branch",
    [P5_STALL_CODE_FETCH] = "code_fetch",
    [P5_STALL_DECODE] = "decode",
    [P5_STALL_AGI] = "agi",
    [P5_STALL_DATA_READ] = "data_read",
    [P5_STALL_DATA_TLB] = "data_tlb",
    [P5_STALL_MISALIGNED] = "misaligned",
    [P5_STALL_BANK_CONFLICT] = "bank_conflict",
    [P5_STALL_WRITE_BUFFER] = "write_buffer",
    [P5_STALL_WRITE_ORDER] = "write_order",
    [P5_STALL_LOCKED] = "locked",
    [P5_STALL_IO] = "io",
    [P5_STALL_FPU] = "fpu",
    [P5_STALL_MMX_MULTIPLY] = "mmx_multiply",
    [P5_STALL_MMX_STORE] = "mmx_store",
    [P5_STALL_MMX_FP_SWITCH] = "mmx_fp_switch",
    [P5_STALL_SERIALISE] = "serialise",
    [P5_STALL_EXCEPTION] = "exception",
    [P5_STALL_HALT] = "halt",
};

const char *p5_stall_name(p5_stall cause)
{
    return (unsigned)cause < P5_STALL_COUNT ? stall_names[cause] : "unknown";
}
