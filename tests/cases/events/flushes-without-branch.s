#! models p54c-133
#! n 240 1260
#! expect branches 2
#! expect pipeline_flushes 1.166667 ~0.000001
#! note The carry is set every third time. Entries count 3 -> 2 -> 1 -> 2 -> 1 -> 0 -> 3 in six trips (not taken, not taken, taken,
#! note twice). The branch is mispredicted in five of them: in all but the fifth, where it is at 1 and not taken. After the two
#! note that are taken, the branch of the next pair cannot load its target: two more flushes, so seven in six trips. In the
#! note fifth trip the pair without a branch finds the entry of DEC and JNZ at 1, which flushes nothing (Agner Fog, 3).
        mov ecx,N
        mov edx,0x55555556
        .balign 32
L:      .rept 10
        nop
        .endr
        add eax,edx
        jc 1f
        nop
        nop
1:      dec ecx
        jnz L
