#! case xchg-accumulator
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P1: XCHG EAX,r: 2 clocks, never pairs
#! note 16 groups of A, B and a NEG that never pairs (4 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        xchg eax,ebx
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
