#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect data_cache_lines_written_back 2
#! expect data_read_miss 3
#! expect code_cache_miss 1
#! expect branches 2
#! note WBINVD sends the two modified lines of three to the bus and empties both caches; the loop is one code line
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      mov eax,[edi]
        mov ebx,[edi+32]
        mov ecx,[edi+64]
        mov [edi],eax
        mov [edi+32],eax
        wbinvd
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 128
