#! case multiply-dependent
#! models p55c-200
#! n 20 120
#! expect clocks 81
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! expect mmx_multiply_unit_interlock 32
#! note multiply latency 3: the dependent operation waits 2 clocks
#! note 16 groups of A, B and a NEG that never pairs (5 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        pmullw mm0,mm1
        paddw mm2,mm0
        neg esi
        .endr
        dec ebp
        jnz L
