#! case near-jcc
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note P5: the 0Fh of a near Jcc is no prefix, JNE goes to V with a displacement of 32 bits, too; never taken, so never in the BTB and predicted right
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        cmp eax,ebx
        .byte 0x0f,0x85,0,0,0,0
        neg esi
        .endr
        dec ebp
        jnz L
