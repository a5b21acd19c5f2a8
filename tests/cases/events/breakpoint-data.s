#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect breakpoint_match_on_dr0_register 3
#! expect breakpoint_match_on_dr1_register 3
#! expect breakpoint_match_on_dr2_register 3
#! expect breakpoint_match_on_dr3_register 3
#! note each register is set to data reads and writes of 4 bytes of its own, not enabled: a load, a byte within and a store to
#! note them match; a load of the next dword does not
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        mov dr0,edi
        lea eax,[edi+16]
        mov dr1,eax
        lea eax,[edi+32]
        mov dr2,eax
        lea eax,[edi+48]
        mov dr3,eax
        mov eax,0xffff0000
        mov dr7,eax
        mov ebp,N
        .balign 32
L:      .irp at,0,16,32,48
        mov eax,[edi+\at]
        mov bl,[edi+\at+3]
        mov [edi+\at],eax
        mov ecx,[edi+\at+4]
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
