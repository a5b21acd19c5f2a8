#! case integer-register-first
#! models p55c-200
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note M4: the first may use an integer register, an ALU operation goes to V beside it
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        movd mm0,eax
        paddb mm2,mm3
        neg esi
        .endr
        dec ebp
        jnz L
