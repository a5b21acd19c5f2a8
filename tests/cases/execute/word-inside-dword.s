#! case word-inside-dword
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 33
#! expect misaligned_data_memory_or_io_references 0
#! note a byte never is misaligned
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov al,[edi+3]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
