#! case fxch-alone
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note F1: behind an integer instruction FXCH goes alone and takes a clock
#! note 16 groups of MOV, FXCH and a NEG (3 clocks, 0 pair a group) + 1 of loop control
        fld1
        fldz
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        fxch st(1)
        neg esi
        .endr
        dec ebp
        jnz L
