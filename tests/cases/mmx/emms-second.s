#! case emms-second
#! models p55c-200
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! expect emms_instructions_executed 16
#! note M8: EMMS does not go to V behind an integer instruction either
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        emms
        neg esi
        .endr
        dec ebp
        jnz L
