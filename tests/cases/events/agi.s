#! models p55c-200 p54c-133
#! n 20 120
#! expect pipeline_agi_stalls 24
#! expect pipeline_agi_stalls:c 16
#! note eight groups with an interlock in both pipes (2 in one clock) and eight with one in the U pipe
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        mov ebp,N
        .balign 32
L:      .rept 8
        mov ecx,edi
        mov eax,edi
        mov ebx,[eax]
        mov edx,[ecx+4]
        neg esi
        mov eax,edi
        neg esi
        .endr
        .rept 8
        mov eax,edi
        mov ebx,[eax]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
