#! case leave
#! models p55c-200 p54c-133
#! n 20 120
#! expect pipeline_agi_stalls 1
#! expect instructions_executed 8
#! note LEAVE writes ESP: PUSH after it waits a clock (inferred). EBP, which LEAVE reads, was written two clocks before, because no source says whether LEAVE would wait for it
        mov esi,N
        .balign 32
L:      push ebp
        mov ebp,esp
        neg eax
        leave
        push ebx
        pop ebx
        dec esi
        jnz L
