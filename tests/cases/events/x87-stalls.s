#! models p55c-200 p54c-133
#! n 20 120
#! expect flops 16
#! expect@p55c floating_point_stalls_duration 32 +0 -2
#! expect clocks 49 +0 -2
#! note 16 additions, each on the result of the one before: 3 clocks from one to the next, 2 of them waiting; DEC with JNZ
#! note runs beside the last one and may take its place among the clocks waited
        fldz
        fld1
        mov ebp,N
        .balign 32
L:      .rept 16
        fadd st,st(1)
        .endr
        dec ebp
        jnz L
