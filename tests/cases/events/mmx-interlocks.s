#! models p55c-200
#! n 20 120
#! expect mmx_multiply_unit_interlock 24
#! expect movd_movq_store_stall_due_to_previous_mmx_operation 8
#! note a consumer right after PMULLW waits 2 clocks, one with a clock between 1: 8 of each
#! note MOVQ to memory right after the addition that makes its value waits 1 clock: 8 times
        mov edi,offset buf
        movq mm7,[edi]
        mov ebp,N
        .balign 32
L:      .rept 8
        pmullw mm0,mm1
        paddw mm0,mm2
        neg esi
        .endr
        .rept 8
        pmullw mm0,mm1
        neg esi
        paddw mm0,mm2
        neg esi
        .endr
        .rept 8
        paddw mm3,mm4
        movq [edi],mm3
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
