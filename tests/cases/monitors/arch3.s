#! case counters-arch3
#! models p55c-200-arch3
#! cpl 3
#! msr perfevtsel0 4100c0
#! msr perfevtsel1 4100c4
#! msr fixed_ctr_ctrl 012
#! msr global_ctrl 300000003
#! expect pmc0 4
#! expect pmc1 1
#! expect fixed_ctr0 4
#! expect fixed_ctr1 0
#! note C0h is Instructions Retired, C4h Branch Instructions Retired; fixed counter 0 counts instructions at CPL 1-3 (EN 2), fixed counter 1 clocks at CPL 0 (EN 1) only
#! source four instructions a trip, one of them a branch, at CPL 3
        mov ecx, N
1:      nop
        nop
        dec ecx
        jnz 1b
