#! models p55c-200
#! n 20 120
#! expect returns 8
#! expect mispredicted_or_unpredicted_returns 8
#! note RET to an address that was pushed: no call put it on the return stack, so no prediction can be right
        mov ebp,N
        .balign 32
L:      .rept 8
        push offset 1f
        ret
        .balign 16
1:      mov eax,1
        mov ecx,2
        .endr
        dec ebp
        jnz L
