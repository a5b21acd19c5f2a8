#! models p55c-200 p54c-133
#! n 20 120
#! expect instructions_executed 35
#! expect instructions_executed:c 18
#! expect instructions_executed_v_pipe 17
#! expect@p55c number_of_cycles_not_in_halt_state 18
#! expect clocks 18
#! note 16 pairs of NOP, NEG that never pairs, DEC with JNZ: 18 clocks in which instructions complete
        mov ebp,N
        .balign 32
L:      .rept 16
        nop
        nop
        .endr
        neg esi
        dec ebp
        jnz L
