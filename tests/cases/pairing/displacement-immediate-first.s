#! case displacement-immediate-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect@p55c clocks 33
#! expect@p55c instructions_executed_v_pipe 17
#! expect@p54c clocks 49
#! expect@p54c instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note P4: displacement and immediate in one instruction: P55C in U only, P54C never
#! note 16 groups of A, B and a NEG that never pairs (p55c: 2 clocks, 1 pair; p54c: 3 clocks, 0 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov dword ptr [edi+4],1
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
