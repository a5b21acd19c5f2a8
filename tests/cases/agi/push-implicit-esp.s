#! case push-implicit-esp
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 50
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 51
#! expect pipeline_agi_stalls 0
#! note ESP changed by PUSH has a bypass: no stall (no pair either: B reads ESP)
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 2 of loop control
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
        mov ecx,[esp]
        neg esi
        .endr
        add esp,64
        dec ebp
        jnz L
