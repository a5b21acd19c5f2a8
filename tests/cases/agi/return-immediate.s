#! case return-immediate
#! models p55c-200 p54c-133
#! n 20 120
#! expect pipeline_agi_stalls 1
#! expect instructions_executed 8
#! note RET with an operand adds it to ESP: PUSH at the place that it returns to waits a clock. POP after PUSH, and CALL after PUSH, do not
        mov esi,N
        .balign 32
L:      push eax
        call f
        push ebx
        pop ebx
        dec esi
        jnz L
        jmp end
        .balign 32
f:      neg edx
        ret 4
        .balign 32
end:
