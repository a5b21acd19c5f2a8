#! case lea-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note LEA pairs in either pipe
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        lea eax,[ebx+ecx*4+8]
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
