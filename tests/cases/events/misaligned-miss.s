#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect data_read 16
#! expect@p5 data_read_miss 16
#! expect@p5 data_read_miss_or_write_miss 16
#! expect@errata-off data_read_miss 8
#! expect@errata-off data_read_miss_or_write_miss 8
#! note misaligned loads that miss, within a line: one miss by the manual (one look-up), two on silicon (erratum 44)
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .set at,2
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
