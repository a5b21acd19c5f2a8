#! models p55c-200
#! n 20 120
#! expect transitions_between_mmx_and_fp_instructions 2
#! expect emms_instructions_executed 1
#! note one change to x87 and one back a trip
        mov ebp,N
        .balign 32
L:      paddb mm0,mm1
        paddb mm0,mm1
        emms
        fld1
        fstp st(0)
        dec ebp
        jnz L
