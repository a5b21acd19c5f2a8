#! case moffs-store
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P2: MOV moffs,EAX counts as a write of EAX for pairing
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov [buf],eax
        mov ecx,eax
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
