#! models p55c-200 p54c-133
#! n 20 100
#! expect clocks 314
#! expect misaligned_data_memory_or_io_references 12
#! note FNSAVE 124 and FRSTOR 70 clocks in protected mode (manual), FNSTENV 50 and FLDENV 33 with a 32-bit image, DEC with JNZ 1: 278
#! note a 32-bit image has 28 bytes of environment; of the registers after it, 10 bytes each, 6 begin where 8 bytes are misaligned. So 6 stores and 6 loads
#! note cost 3 clocks more each: 36.
        mov edi,offset image
        mov ebp,N
        .balign 32
L:      fnsave [edi]
        frstor [edi]
        fnstenv [edi]
        fldenv [edi]
        dec ebp
        jnz L
.bss
.balign 4096
image:  .skip 128
