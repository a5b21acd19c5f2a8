#! models p55c-200 errata-off-p55c.ini
#! n 20 120
#! expect@p55c mmx_instruction_data_read_misses 18
#! expect@p55c data_read_miss 18
#! expect@errata-off mmx_instruction_data_read_misses 17
#! expect@errata-off data_read_miss 17
#! note sixteen lines of one set and a seventeenth read by a misaligned MOVQ: two misses on silicon (erratum 76), one by the manual
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .set at,0
        .rept 16
        movq mm0,[edi+at]
        neg esi
        .set at,at+4096
        .endr
        movq mm0,[edi+at+4]
        neg esi
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 17*4096
