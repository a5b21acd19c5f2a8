#! models p55c-200
#! n 20 120
#! expect mmx_instructions_executed_u_pipe 18
#! expect mmx_instructions_executed_v_pipe 16
#! expect emms_instructions_executed 1
#! expect transitions_between_mmx_and_fp_instructions 0
#! note 16 pairs of additions; a load that goes to U alone and EMMS, which never pairs
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .rept 16
        paddb mm0,mm1
        paddb mm2,mm3
        .endr
        movq mm0,[edi]
        neg esi
        emms
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
