#! case pop-implicit-esp
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 50
#! expect pipeline_agi_stalls 0
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 51
#! note D2 steps ESP for POP and forwards it: [ESP] in the next clock does not wait (but reads what POP writes, so they do not pair)
#! note 16 groups of POP, MOV and a NEG that never pairs (3 clocks, 0 pair a group) + 2 of loop control (SUB and DEC, JNZ)
        mov ecx,8
        lea edx,[esp-256]
        W: mov eax,[edx]
        add edx,32
        dec ecx
        jnz W
        sub esp,256
        mov ebp,N
        .balign 32
L:      .rept 16
        pop eax
        mov ecx,[esp]
        neg esi
        .endr
        sub esp,64
        dec ebp
        jnz L
