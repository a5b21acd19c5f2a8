#! case multiply-one-between
#! models p55c-200
#! n 20 120
#! expect clocks 81
#! expect mmx_multiply_unit_interlock 16
#! note one clock between: the dependent operation waits 1 clock
        mov ebp,N
        .balign 32
L:      .rept 16
        pmullw mm0,mm1
        neg esi
        paddw mm2,mm0
        neg edx
        .endr
        dec ebp
        jnz L
