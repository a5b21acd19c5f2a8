#! case fxch
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 18
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 34
#! note F1: FXCH is the only x87 instruction that goes to V, after one that may have it there, and costs nothing then
#! note 16 pairs of FCHS and FXCH, 1 clock each; DEC waits 1 clock after the last (an integer instruction after such a pair) and pairs
#! note with JNZ
        fld1
        fldz
        mov ebp,N
        .balign 32
L:      .rept 16
        fchs
        fxch st(1)
        .endr
        dec ebp
        jnz L
