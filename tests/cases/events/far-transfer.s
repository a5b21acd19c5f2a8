#! models p55c-200 p54c-133
#! n 20 120
#! expect any_segment_register_loaded 2
#! expect branches 3
#! expect pipeline_flushes 2
#! expect@p55c returns 1
#! expect@p55c predicted_returns 0
#! expect@p55c mispredicted_or_unpredicted_returns 1
#! expect@p55c taken_branches 3
#! note far CALL and far RET to the same privilege level load CS once each and are branches, as is JNZ; a far RET is never predicted
        mov ebx,cs
        mov edi,offset pointer
        mov [edi+4],bx
        mov ebp,N
        jmp L
F:      retf
        .balign 32
L:      call fword ptr [edi]
        dec ebp
        jnz L
.data
pointer: .long F
        .word 0
