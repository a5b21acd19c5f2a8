#! models p55c-200 p54c-133
#! n 20 120
#! expect noncacheable_memory_reads 8
#! expect data_read_miss 8
#! expect data_write_miss 8
#! expect data_cache_lines_written_back 0
#! expect@p55c writes_to_noncacheable_memory 8
#! note the boards answer KEN# inactive for A0000h-BFFFFh: every read is a single read, every write a write to memory
        mov edi,0xa0000
        mov ebp,N
        .balign 32
L:      .rept 8
        mov eax,[edi]
        neg esi
        mov [edi+4],eax
        neg esi
        .endr
        dec ebp
        jnz L
