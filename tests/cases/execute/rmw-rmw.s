#! case rmw-rmw
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 97
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note V starts with the last access of U, in clock 3: 5
#! note 16 groups of A, B and a NEG that never pairs (6 clocks, 1 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        add [edi],eax
        add [edi+4],ecx
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
