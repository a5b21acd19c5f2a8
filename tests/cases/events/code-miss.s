#! models p55c-200 p54c-133
#! n 20 120
#! expect code_cache_miss 8
#! expect code_read 8
#! expect code_tlb_miss 0
#! expect branches 8
#! note eight pieces of code, all in one set: neither two nor four ways keep one of them until its next turn
        mov ebp,N
        jmp L
        .balign 4096
L:      jmp 1f
        .rept 6
        .balign 4096
1:      jmp 1f
        .endr
        .balign 4096
1:      dec ebp
        jnz L
