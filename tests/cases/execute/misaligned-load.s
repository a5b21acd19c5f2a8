#! case misaligned-load
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 81
#! expect misaligned_data_memory_or_io_references 16
#! note a dword across a 4-byte boundary: 3 clocks more
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,[edi+2]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
