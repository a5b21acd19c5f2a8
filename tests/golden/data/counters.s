#! models p55c-200 p55c-200-p6
#! msr cesr 96
#! expect ctr0 5
        mov ecx, N
1:      nop
        nop
        dec ecx
        jnz 1b
