#! models p55c-200 p54c-133
#! n 20 120
#! expect locked_bus_cycle 8
#! expect data_read 8
#! expect data_write 8
#! expect noncacheable_memory_reads 8
#! note LOCK INC twice, XCHG with memory twice: one locked sequence each; two that cross 8 bytes are two sequences each
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      lock inc dword ptr [edi]
        xchg [edi+4],eax
        lock inc dword ptr [edi]
        xchg [edi+4],eax
        lock inc dword ptr [edi+14]
        lock inc dword ptr [edi+14]
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
