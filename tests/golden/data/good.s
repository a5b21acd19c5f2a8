#! case pairs
#! models p55c-200
#! expect clocks 3
#! expect instructions_executed 6
#! expect instructions_executed_v_pipe 3
#! note two pairs of simple instructions, and dec + jnz
        mov ecx,N
        .balign 32
L:      inc eax
        inc ebx
        inc edx
        inc esi
        dec ecx
        jnz L
