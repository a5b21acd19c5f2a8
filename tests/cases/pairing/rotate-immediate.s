#! case rotate-immediate
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 49
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note rotate by an immediate does not pair (measured; the optimisation manual lists it as U)
#! note 16 groups of A, B and a NEG that never pairs (3 clocks, 0 pair a group) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        rol eax,3
        mov ecx,edx
        neg esi
        .endr
        dec ebp
        jnz L
