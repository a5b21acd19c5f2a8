#! models p55c-200
#! n 20 120
#! expect btb_miss_prediction_on_not_taken_branch 1
#! expect pipeline_flushes_due_to_wrong_branch_predictions 1
#! note an inner loop of 20 trips: four taken executions before its end look like all others, so its end is predicted taken
        mov ebp,N
        .balign 32
L:      mov ecx,20
        .balign 16
1:      mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        mov eax,1
        dec ecx
        jnz 1b
        mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        mov eax,1
        mov edx,2
        dec ebp
        jnz L
