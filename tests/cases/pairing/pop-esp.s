#! case pop-esp
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 97
#! expect pipeline_agi_stalls 16
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 82
#! note P2b: what POP ESP loads is no step of ESP that D2 could forward: POP does not pair after it, and waits a clock for its address
#! note 16 groups of POP ESP, a clock of waiting, POP EAX, NEG, MOV ESP and NEG (6 clocks, 0 pair a group) + 1 of loop control
        mov edi,offset buf
        lea eax,[edi+4]
        mov [edi],eax
        mov eax,[edi]
        mov esp,edi
        mov ebp,N
        .balign 32
L:      .rept 16
        pop esp
        pop eax
        neg esi
        mov esp,edi
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
