#! case push-pop
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P2b: PUSH does not pair with POP
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
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
        pop ebx
        neg esi
        .endr
        dec ebp
        jnz L
