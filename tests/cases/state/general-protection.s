#! note INC and DEC pair and JNZ follows alone: 2 clocks. HLT is privileged: #GP(0) at CPL 3. The fault is reported at the instruction, and what precedes it has been executed.
#! models p55c-200 p54c-133
#! n 20 100
#! expect clocks 2
#! expect-fault #GP(0) at bad
#! expect-register eax 100
#! expect-register ecx 0
        mov ecx,N
        .balign 32
L:      inc eax
        dec ecx
        jnz L
bad:    hlt
        inc eax
