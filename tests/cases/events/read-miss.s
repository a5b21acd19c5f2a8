#! models p55c-200 p54c-133
#! n 20 120
#! expect data_read 8
#! expect data_read_miss 8
#! expect data_read_miss:c 8
#! expect data_read_miss_or_write_miss 8
#! expect@p55c mmx_instruction_data_read_misses 0
#! expect data_cache_lines_written_back 0
#! expect data_tlb_miss 0
#! note eight lines of one set, read in turn: neither two nor four ways keep one of them until its next turn
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .set at,0
        .rept 8
        mov eax,[edi+at]
        neg esi
        .set at,at+4096
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 32768
