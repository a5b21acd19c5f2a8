#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect breakpoint_match_on_dr0_register 1
#! expect breakpoint_match_on_dr1_register 2
#! expect breakpoint_match_on_dr2_register 0
#! note DR0 looks at writes of one byte, DR1 at writes of two: of two stores one covers the first, both the other; DR2 looks at
#! note writes of a byte that is only read
        mov edi,offset buf
        mov eax,[edi]
        mov dr0,edi
        lea eax,[edi+2]
        mov dr1,eax
        lea eax,[edi+8]
        mov dr2,eax
        mov eax,0x01510000
        mov dr7,eax
        mov ebp,N
        .balign 32
L:      mov eax,[edi]
        mov [edi],eax
        mov ecx,[edi+8]
        mov byte ptr [edi+3],0
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
