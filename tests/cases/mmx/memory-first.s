#! case memory-first
#! models p55c-200
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note M4: memory access in U pairs with MMX in V
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        movq mm2,[edi]
        paddb mm0,mm1
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
