#! case multiply-alu
#! models p55c-200
#! n 20 120
#! expect clocks 48
#! expect mmx_multiply_unit_interlock 15
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note M2: a multiply pairs with an ALU operation
#! note 16 groups of the pair and a NEG, 2 clocks each; the multiply reads its own result of two clocks before, so 15 of them wait 1 clock; behind the loop control (1 clock) none does: 32 + 15 + 1
        mov ebp,N
        .balign 32
L:      .rept 16
        pmullw mm0,mm1
        paddb mm2,mm3
        neg esi
        .endr
        dec ebp
        jnz L
