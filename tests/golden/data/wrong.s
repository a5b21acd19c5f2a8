#! case wrong
#! models p55c-200
#! expect clocks 4 ~0.5
#! expect instructions_executed 6
#! expect instructions_executed_v_pipe 1 +1 -0
#! note two pairs of simple instructions, and dec + jnz
        mov ecx,N
        .balign 32
L:      inc eax
        inc ebx
        inc edx
        inc esi
        dec ecx
        jnz L
