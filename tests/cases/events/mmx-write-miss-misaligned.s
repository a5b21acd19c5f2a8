#! models p55c-200 errata-off-p55c.ini
#! n 20 120
#! expect mmx_instruction_data_writes 4
#! expect@p55c mmx_instruction_data_write_misses 4
#! expect@errata-off mmx_instruction_data_write_misses 2
#! note two MOVQ stores that cross 8 bytes within a line that is not cached
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .rept 2
        movq [edi+4],mm0
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
