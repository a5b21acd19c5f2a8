#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect data_read 9
#! expect data_write 9
#! expect@p55c-200 misaligned_data_memory_or_io_references 9
#! expect@p54c-133 misaligned_data_memory_or_io_references 9
#! expect@errata-off misaligned_data_memory_or_io_references 6
#! note ten bytes are a reference of eight and one of two: at 0 both are aligned, at 2 the first crosses 8 bytes, at 3 the second
#! note crosses 4 as well: 0 + 1 + 2 are misaligned, and 2 + 3 + 4 parts are read; FSTP stores them likewise, but silicon counts it twice (erratum 44)
        mov edi,offset buf
        fninit
        mov ebp,N
        .balign 32
L:      .irp at,0,2,3
        fld tbyte ptr [edi+\at]
        fstp tbyte ptr [edi+16+\at]
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
