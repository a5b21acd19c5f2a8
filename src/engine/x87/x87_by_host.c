/* x87 operations by the host's x87 (x87_operation.h). */
#include "engine/x87/x87_operation.h"

#ifndef P5_SOFT_X87
#include "engine/x87/x87.h"

#define OPERATION(name, insn)                                                                                \
    void x87_##name(uint8_t image[X87_IMAGE_BYTES], const void *memory)                                      \
    {                                                                                                        \
        __asm__ volatile("frstor (%0)\n\t" insn "\n\tfnsave (%0)"                                            \
                         :                                                                                   \
                         : "r"(image), "r"(memory)                                                           \
                         : X87_CLOBBERS);                                                                    \
    }
X87_OPERATIONS(OPERATION)

/* With flags cleared and the guest's masks. Nothing waits before FNINIT tidies up, so the host takes no
 * exception. */
#define CONVERSION(name, type, insn)                                                                         \
    uint16_t x87_to_##name(const uc_fpreg *value, uint16_t control, void *to)                                \
    {                                                                                                        \
        uint16_t status;                                                                                     \
        __asm__ volatile("fnclex\n\tfldt %2\n\tfldcw %3\n\t" insn " %0\n\tfnstsw %1\n\tfninit"               \
                         : "+m"(*(type *)to), "=&a"(status)                                                  \
                         : "m"(*value), "m"(control)                                                         \
                         : X87_CLOBBERS);                                                                    \
        return status;                                                                                       \
    }
CONVERSION(m32, uint32_t, "fstps")
CONVERSION(m64, uint64_t, "fstpl")
CONVERSION(i16, int16_t, "fistps")
CONVERSION(i32, int32_t, "fistpl")
CONVERSION(i64, int64_t, "fistpll")
CONVERSION(decimal, uc_fpreg, "fbstp")

uc_fpreg x87_from_decimal(const uc_fpreg *decimal)
{
    uc_fpreg value = {.mantissa = 0};
    __asm__ volatile("fbld %1\n\tfstpt %0" : "=m"(value) : "m"(*decimal) : X87_CLOBBERS);
    return value;
}

#define CONSTANT(name)                                                                                       \
    uc_fpreg x87_##name(uint16_t control)                                                                    \
    {                                                                                                        \
        uc_fpreg value = {.mantissa = 0};                                                                    \
        uint16_t masked = control | X87_EXCEPTIONS, host = X87_DEFAULT_CONTROL;                              \
        __asm__ volatile("fldcw %1\n\t" #name "\n\tfstpt %0\n\tfldcw %2"                                     \
                         : "=m"(value)                                                                       \
                         : "m"(masked), "m"(host)                                                            \
                         : X87_CLOBBERS);                                                                    \
        return value;                                                                                        \
    }
X87_CONSTANTS(CONSTANT)
#endif
