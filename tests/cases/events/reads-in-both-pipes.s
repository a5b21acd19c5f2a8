#! models p55c-200 p54c-133
#! n 20 120
#! expect data_read 32
#! expect data_read:c 16
#! expect data_read_or_write 32
#! expect data_read_or_write:c 16
#! expect memory_accesses_in_both_pipes 16
#! expect bank_conflicts 0
#! note 16 pairs of loads from different banks: two reads in one clock, so the signal is on in 16 clocks
        mov edi,offset buf
        mov eax,[edi]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,[edi]
        mov ebx,[edi+4]
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
