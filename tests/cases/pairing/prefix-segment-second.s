#! case prefix-segment-second
#! models p55c-200 p54c-133
#! n 20 120
#! expect@p55c clocks 49
#! expect@p55c instructions_executed_v_pipe 1
#! expect@p54c clocks 65
#! expect@p54c instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P5: a segment prefix keeps an instruction out of V; its decode clock stands in D1 on P54C and overlaps the NEG push in F on P55C
#! note 16 groups of A, B and a NEG that never pairs (p55c: 3 clocks, 0 pair; p54c: 4 clocks, 0 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        .byte 0x3e; mov eax,[edi]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
