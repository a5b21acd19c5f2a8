#! case both-pipes
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 65
#! expect instructions_executed_v_pipe 33
#! expect pipeline_agi_stalls 32
#! note U and V of one pair both wait: one clock, but the event counts two: pair, stall, pair, NEG = 4 clocks a group
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edi
        mov eax,edi
        mov ebx,[eax]
        mov edx,[ecx+4]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
