#! models p55c-200 p54c-133
#! n 20 120
#! expect bank_conflicts 16
#! expect memory_accesses_in_both_pipes 16
#! expect data_read 32
#! expect data_read:c 32
#! expect clocks 33
#! note loads 32 bytes apart have the same address bits 4-2: V waits one clock, so the reads are one a clock
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,[edi]
        mov ebx,[edi+32]
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
