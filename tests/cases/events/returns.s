#! models p55c-200
#! n 20 120
#! expect returns 8
#! expect predicted_returns 8
#! expect mispredicted_or_unpredicted_returns 0
#! expect branches 17
#! note eight calls of one function from eight places: the return stack knows where to go back to
        mov ebp,N
        jmp L
        .balign 16
F:      mov eax,1
        mov ecx,2
        ret
        .balign 32
L:      .rept 8
        call F
        mov eax,1
        mov ecx,2
        .balign 16
        .endr
        dec ebp
        jnz L
