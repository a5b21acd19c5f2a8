#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect io_read_or_write_cycle 5
#! expect misaligned_data_memory_or_io_references 1
#! expect data_read 0
#! expect data_write 0
#! expect data_read_miss 0
#! expect data_write_miss 0
#! expect@p55c writes_to_noncacheable_memory 1
#! expect@p5 noncacheable_memory_reads 4
#! expect@errata-off noncacheable_memory_reads 0
#! note IN twice, OUT once, and one IN that crosses 4 bytes and takes two cycles; ports are no memory,
#! note but silicon counts the four reads in event 1Eh (erratum 44)
        mov edx,0x103
        mov ebp,N
        .balign 32
L:      in al,0x60
        in al,0x61
        out 0x62,al
        in ax,dx
        dec ebp
        jnz L
