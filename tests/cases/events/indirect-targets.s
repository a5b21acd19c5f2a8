#! models p55c-200
#! n 20 120
#! expect branches 3
#! expect pipeline_flushes 1
#! expect pipeline_flushes_due_to_wrong_branch_predictions 1
#! note the indirect JMP goes to two places in turn: it is in the BTB, predicted taken, and to where it went the last time
        mov edi,offset targets
        mov esi,4
        mov ebp,N
        jmp L
        .balign 32
L:      xor esi,4
        nop
        jmp [edi+esi]
        .balign 32
A:      jmp B
        .balign 32
B2:     jmp B
        .balign 32
B:      dec ebp
        jnz L
.data
.balign 4
targets: .long A,B2
