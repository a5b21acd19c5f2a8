#! models p55c-200 p54c-133
#! n 20 100
#! expect clocks 29
#! note AAM 18 and AAD 10 clocks (manual), DEC with JNZ 1
        mov ebp,N
        .balign 32
L:      aam
        aad
        dec ebp
        jnz L
