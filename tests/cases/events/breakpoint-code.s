#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect instructions_executed_v_pipe 2
#! expect breakpoint_match_on_dr0_register 1
#! expect breakpoint_match_on_dr1_register 0
#! expect breakpoint_match_on_dr2_register 1
#! expect breakpoint_match_on_dr3_register 0
#! note code breakpoints that are not enabled look at the U pipe: DR0 at the first of a pair, DR1 at the second, DR2 at an
#! note instruction that runs alone, DR3 at the middle of an instruction
        mov eax,offset A
        mov dr0,eax
        inc eax
        mov dr1,eax
        mov eax,offset B
        mov dr2,eax
        inc eax
        mov dr3,eax
        mov ebp,N
        .balign 32
L:
A:      nop
        nop
B:      neg esi
        dec ebp
        jnz L
