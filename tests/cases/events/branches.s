#! models p55c-200 p54c-133
#! n 20 120
#! expect branches 10
#! expect btb_hits 9
#! expect taken_branch_or_btb_hit 9
#! expect pipeline_flushes 0
#! expect@p55c taken_branches 9
#! note eight JMP and the closing JNZ are taken and found in the BTB; a Jcc that is never taken gets no entry
        mov ebp,N
        .balign 32
L:      .rept 8
        mov eax,1
        mov ecx,2
        jmp 1f
        .balign 16
1:
        .endr
        test edi,edi
        jnz 1f
1:      nop
        nop
        dec ebp
        jnz L
