#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect data_read 32
#! expect@p5 data_read_miss 32
#! expect@p5 data_read_miss_or_write_miss 32
#! expect@errata-off data_read_miss 24
#! expect@errata-off data_read_miss_or_write_miss 24
#! note misaligned loads that miss: one within a line is one miss by the manual (one look-up), two on silicon (erratum 44); one
#! note that crosses lines is two look-ups, and two misses of both
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .set at,2
        .rept 8
        mov eax,[edi+at]
        neg esi
        mov eax,[edi+at+60]
        neg esi
        .set at,at+4096
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 32768
