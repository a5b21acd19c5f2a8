#! models p55c-200
#! cpl 0
#! n 20 120
#! expect branches 10
#! expect pipeline_flushes 9
#! expect pipeline_flushes_due_to_wrong_branch_predictions 9
#! expect pipeline_flushes_due_to_wrong_branch_predictions_resolved_in_wb_stage 8
#! note a load of CR3 empties the BTB, so nine taken branches are mispredicted: eight JE, each paired with CMP and so in the
#! note V pipe, where they are known in WB, and JNZ, alone in the U pipe after CLD and known in EX; MOV to CR3 is the tenth
        mov esi,cr3
        mov ebp,N
        .balign 32
L:      mov cr3,esi
        .rept 8
        cmp edi,edi
        je 1f
        nop
        .balign 8
1:
        .endr
        dec ebp
        cld
        jnz L
