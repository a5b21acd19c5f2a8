#! models p55c-200 p54c-133
#! n 20 120
#! expect branches 9
#! expect pipeline_flushes 8
#! expect btb_hits 1
#! expect taken_branch_or_btb_hit 9
#! expect@p55c pipeline_flushes_due_to_wrong_branch_predictions 8
#! expect@p55c pipeline_flushes_due_to_wrong_branch_predictions_resolved_in_wb_stage 0
#! note a jump to its own fall-through address never gets a BTB entry: eight mispredictions, known in EX
        mov ebp,N
        .balign 32
L:      .rept 8
        neg esi
        jmp 1f
1:
        .endr
        neg esi
        nop
        nop
        dec ebp
        jnz L
