#! case queue
#! models p54c-133
#! n 20 120
#! expect instructions_executed_v_pipe 2
#! expect instructions_executed 11
#! note P8: the partner has to be in the prefetch queue in the clock in which the first is decoded; the first does not wait for it
#! note A is the last byte of a line, and the target of a jump; B begins the next line. At L that line is one of three that stand 4096 bytes
#! note apart in a cache of two ways, so it is never there, and A goes alone. At E it is: both lines are read in one clock, and they pair.
#! note The instructions are of one byte, so that it does not matter where they end. 1 pair, and 1 of loop control
        mov ebp,N
        jmp L
        .balign 4096
        .skip 63
L:      inc eax
        inc ecx
        neg esi
        jmp Y
        .balign 4096
        .skip 64
Y:      jmp Z
        .balign 4096
        .skip 64
Z:      jmp E
        .balign 4096
        .skip 2048+31
E:      inc eax
        inc ecx
        neg esi
        dec ebp
        jnz L
