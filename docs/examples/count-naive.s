#! case count-naive
#! models p55c-200 p54c-133
#! expect clocks 6
#! note counts in memory: two additions to memory take 5 clocks as a pair (3 alone), DEC and JNZ are the other pair
        mov eax, [counts]       # brings the line into the cache
        mov ebp, N
        .balign 32
L:      add dword ptr [counts], eax
        add dword ptr [counts+4], ecx
        dec ebp
        jnz L
.data
        .balign 32
counts: .skip 32
