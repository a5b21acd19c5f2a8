#! case index-next-clock
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! expect pipeline_agi_stalls 16
#! note an index register counts like a base
#! note 16 groups of A, B and a NEG that never pairs (4 clocks, 0 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,ebx
        mov ecx,[edi+eax*4]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
