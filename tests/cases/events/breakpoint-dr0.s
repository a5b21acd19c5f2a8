#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect breakpoint_match_on_dr0_register 3
#! note DR0 set to data reads and writes of 4 bytes, not enabled: a load, a byte within and a store to it match; a load of
#! note the dword behind it does not
        mov edi,offset buf
        mov eax,[edi]
        mov dr0,edi
        mov eax,0xf0000<<(0*4)
        mov dr7,eax
        mov ebp,N
        .balign 32
L:      mov eax,[edi]
        mov bl,[edi+3]
        mov [edi],eax
        mov ecx,[edi+4]
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
