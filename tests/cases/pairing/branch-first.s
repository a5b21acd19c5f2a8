#! case branch-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P6: a branch never is the first of a pair (carry is clear: NEG of 0; not taken)
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        jc . + 2
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
