#! case x87-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note F1: an x87 instruction does not pair with an integer one behind it
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        fld1
        mov ebp,N
        .balign 32
L:      .rept 16
        fchs
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
