#! case immediate-without-displacement
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note P4: an immediate without displacement pairs in V
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        mov dword ptr [edi],1
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
