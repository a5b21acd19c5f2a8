#! case counters-p5
#! models p55c-200 p54c-133
#! cpl 3
#! msr cesr 00560096
#! msr ctr0 1000
#! expect instructions_executed 4
#! expect ctr0 4
#! expect ctr1 0
#! note CTR0 counts Instructions Executed (16h) at CPL 3 (CC = 2), CTR1 the same at CPL 0-2 only (CC = 1): manual 26.4.3
#! source one increment for each instruction of the trip, which runs at CPL 3
        mov ecx, N
1:      nop
        nop
        dec ecx
        jnz 1b
