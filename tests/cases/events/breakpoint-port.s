#! models p55c-200 p54c-133
#! cpl 0
#! cr4 8
#! n 20 120
#! expect breakpoint_match_on_dr3_register 2
#! expect breakpoint_match_on_dr0_register 0
#! note CR4.DE: DR3 looks at port 60h, which is read and written; DR0 at memory of that address
        mov eax,0x60
        mov dr3,eax
        mov dr0,eax
        mov eax,0x20030000
        mov dr7,eax
        mov ebp,N
        .balign 32
L:      in al,0x60
        out 0x60,al
        in al,0x61
        dec ebp
        jnz L
