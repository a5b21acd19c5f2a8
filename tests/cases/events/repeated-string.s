#! models p55c-200 p54c-133
#! n 20 120
#! expect instructions_executed 5
#! expect data_read 10
#! note a repeated string instruction is one instruction; its ten iterations read ten times
        mov ebx,offset buf
        mov eax,[ebx]
        mov eax,[ebx+32]
        mov ebp,N
        .balign 32
L:      mov esi,ebx
        mov ecx,10
        rep lodsd
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
