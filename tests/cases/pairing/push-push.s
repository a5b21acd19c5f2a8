#! case push-push
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 34
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 51
#! note P2b: ESP exception: PUSH pairs with PUSH
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
        push ebx
        neg esi
        .endr
        add esp,128
        dec ebp
        jnz L
