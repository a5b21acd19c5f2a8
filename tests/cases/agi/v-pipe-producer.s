#! case v-pipe-producer
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect instructions_executed_v_pipe 17
#! expect pipeline_agi_stalls 16
#! note the producer may stand in V: pair, stall, load, NEG = 4 clocks a group
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        mov eax,edi
        mov ebx,[eax]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
