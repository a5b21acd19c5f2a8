#! case single-pipe
#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect clocks 34
#! expect instructions_executed_v_pipe 0
#! expect instructions_executed 34
#! note P9: with TR12.SE nothing pairs: a clock for each instruction
        mov ecx,0xe
        xor edx,edx
        mov eax,4
        wrmsr
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,ebx
        mov ecx,edx
        .endr
        dec ebp
        jnz L
