#! case lea-next-clock
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! expect pipeline_agi_stalls 16
#! note LEA obeys the same rule
#! note 16 groups of A, B and a NEG that never pairs (4 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,edi
        lea ecx,[eax+4]
        neg esi
        .endr
        dec ebp
        jnz L
