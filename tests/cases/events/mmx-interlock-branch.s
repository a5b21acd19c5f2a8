#! case mmx-interlock-branch
#! models p55c-200 errata-off-p55c.ini
#! n 20 120
#! expect@p55c-200 mmx_multiply_unit_interlock 2
#! expect@errata-off mmx_multiply_unit_interlock 0
#! expect pipeline_flushes_due_to_wrong_branch_predictions 1
#! expect mmx_instructions_executed_u_pipe 2
#! note a product that the multiply after a taken branch needs. The jump goes to the next instruction, so that it never is predicted
#! note and its refill of 4 clocks covers the 2 clocks of the interlock: none by the manual. Silicon counts them (erratum 76)
        mov ebp,N
        .balign 32
L:      nop
        nop
        nop
        nop
        pmullw mm0,mm1
        jmp 1f
1:      pmullw mm2,mm0
        nop
        nop
        nop
        nop
        dec ebp
        jnz L
        emms
