#! case push-call
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 34
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 51
#! note P2b, ESP exception: PUSH pairs with a near CALL. 40 bytes from one to the next, so that no more than two meet in a set of the P54C's
#! note branch target buffer and all are predicted right
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 2 of loop control
        mov ecx,8
        lea edx,[esp-256]
        W: mov eax,[edx]
        add edx,32
        dec ecx
        jnz W
        xor eax,eax
        xor edx,edx
        mov ebp,N
        .balign 32
L:      .rept 16
        push eax
        call 1f
        .skip 32
        .balign 8
1:      neg esi
        .endr
        add esp,128
        dec ebp
        jnz L
