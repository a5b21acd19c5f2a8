#! case integer-register
#! models p55c-200
#! n 20 120
#! expect clocks 33
#! expect instructions_executed_v_pipe 17
#! expect instructions_executed 50
#! note M6: integer in U pairs with MMX on registers in V
#! note 16 groups of A, B and a NEG that never pairs (2 clocks, 1 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,edx
        paddb mm0,mm1
        neg esi
        .endr
        dec ebp
        jnz L
