#! case fst-misaligned
#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect@p55c-200 misaligned_data_memory_or_io_references 20
#! expect@p54c-133 misaligned_data_memory_or_io_references 20
#! expect@errata-off misaligned_data_memory_or_io_references 12
#! expect data_write 16
#! expect data_read 8
#! note four FST m32 across 4 bytes and four FST m64 across 8: one misaligned reference each by the manual, two in silicon
#! note (erratum 44); four FLD across 4 bytes count once in both. Each half of a reference is a write or a read of its own
        fninit
        fld1
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        mov ebp,N
        .balign 32
L:      .rept 4
        fst dword ptr [edi+2]
        fst qword ptr [edi+12]
        fld dword ptr [edi+18]
        fstp st
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
