#! case write-after-read
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note P2: B may write what A reads
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,ebx
        mov ebx,ecx
        neg esi
        .endr
        dec ebp
        jnz L
