#! models p54c-133
#! n 240 1260
#! expect branches 2
#! expect pipeline_flushes 0.5
#! note A branch that is taken every second time goes 3 -> 2 -> 3 and is always predicted taken, so every second execution flushes.
#! note Where it is not taken, the pair after it has no branch, but the key of DEC and JNZ, to which the branch jumps. That entry
#! note predicts taken; its prediction is discarded with the flush and costs nothing (Agner Fog, 3).
        mov ecx,N
        .balign 32
L:      .rept 10
        nop
        .endr
        xor eax,1
        jz 1f
        nop
        nop
1:      dec ecx
        jnz L
