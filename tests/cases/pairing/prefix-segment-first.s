#! case prefix-segment-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note P5: segment prefix on A: one clock of decode (P54C in D1, P55C in F), then the pair issues
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 1 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        .byte 0x3e; mov eax,[edi]
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
