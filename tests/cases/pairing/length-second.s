#! case length-second
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note P3: 7 bytes are not too long for V
#! note 16 groups of MOV, MOV and a NEG that never pairs (2 clocks, 1 pair) + 1 of loop control
        mov ebx,offset buf
        mov edi,[ebx+0x100]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        mov [ebx+eax*4+0x100],edi
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
