#! case after-x87
#! models p55c-200
#! n 20 120
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 114
#! expect transitions_between_mmx_and_fp_instructions 32
#! note M6: the first MMX instruction after x87 code does not go to V, the next one does
#! note 16 groups of an FCHS, A, B and a NEG (0 pair), and the same A, B and NEG (1 pair) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        fchs
        mov ecx,edx
        paddb mm0,mm1
        neg esi
        mov ecx,edx
        paddb mm0,mm1
        neg esi
        .endr
        dec ebp
        jnz L
