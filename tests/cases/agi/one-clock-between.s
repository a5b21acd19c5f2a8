#! case one-clock-between
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect pipeline_agi_stalls 0
#! note one clock between producer and address: no stall
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,edi
        neg esi
        mov ecx,[eax]
        neg edx
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
