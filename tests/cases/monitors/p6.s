#! case counters-p6
#! models p55c-200-p6
#! cpl 3
#! msr perfevtsel0 410016
#! msr perfevtsel1 020016
#! msr pmc0 1000
#! expect instructions_executed 4
#! expect pmc0 4
#! expect pmc1 0
#! note EN of PERFEVTSEL0 is for both counters; USR counts at CPL 1-3, OS at CPL 0
#! source one increment for each instruction of the trip, which runs at CPL 3
        mov ecx, N
1:      nop
        nop
        dec ecx
        jnz 1b
