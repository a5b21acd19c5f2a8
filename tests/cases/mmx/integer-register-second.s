#! case integer-register-second
#! models p55c-200
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note M4: an MMX instruction with an integer register goes to U only
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        paddb mm2,mm3
        movd mm0,eax
        neg esi
        .endr
        dec ebp
        jnz L
