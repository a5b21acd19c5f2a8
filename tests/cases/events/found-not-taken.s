#! models p55c-200 p54c-133
#! n 40 1240
#! expect branches 2
#! expect btb_hits 2
#! expect taken_branch_or_btb_hit 2
#! expect@p55c taken_branches 1.75
#! note a branch taken three times of four stays in the BTB: found on each execution, also on the one not taken
        mov ebp,N
        .balign 32
L:      mov eax,1
        mov ecx,2
        mov edx,3
        mov ebx,4
        mov edx,3
        mov ebx,4
        test ebp,3
        jnz 1f
        nop
        nop
        .balign 16
1:      mov eax,1
        mov ecx,2
        dec ebp
        jnz L
