#! case multi-clock-producer
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 81
#! expect pipeline_agi_stalls 16
#! note only the last EX clock of the producer counts: ADD 2, stall 1, MOV 1, NEG 1
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        add eax,[edi]
        mov ecx,[edi+eax]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
