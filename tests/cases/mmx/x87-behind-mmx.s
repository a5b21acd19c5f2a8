#! case x87-behind-mmx
#! models p55c-200
#! n 20 120
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! expect transitions_between_mmx_and_fp_instructions 32
#! note M8: FXCH, the only x87 instruction that goes to V, does not behind an MMX instruction
#! note 16 groups of A, B and a NEG that never pairs (0 pair a group) + 1 of loop control; clocks are those of the switches
        mov ebp,N
        .balign 32
L:      .rept 16
        paddb mm0,mm1
        fxch st(1)
        neg esi
        .endr
        dec ebp
        jnz L
