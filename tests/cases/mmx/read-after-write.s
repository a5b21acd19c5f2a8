#! case read-after-write
#! models p55c-200
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note M7: B reads the destination of A
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        paddb mm0,mm1
        paddb mm2,mm0
        neg esi
        .endr
        dec ebp
        jnz L
