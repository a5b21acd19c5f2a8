#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect data_tlb_miss 1
#! expect code_tlb_miss 0
#! expect noncacheable_memory_reads 2
#! expect data_read 2
#! expect data_read_miss 0
#! expect@p55c data_cache_tlb_miss_stall_duration 31 ~1
#! expect@p55c waiting_for_data_memory_read_stall_duration 31 ~1
#! expect@p54c waiting_for_data_memory_read_stall_duration 24.5 ~0.5
#! note INVLPG of an address in the page, then a load from it: one miss; the other page stays in the TLB
#! note The walk reads the directory and the table entry past the cache
#! note P55C 200 MHz: 2 clocks to the first request, 2 bus clocks (6) from the board's L2, 6, again 6, 10 to the second
#! note look-up = 30, and up to 2 until the first request meets a bus clock edge
#! note P54C 133 MHz: 2, 3 bus clocks (6), 4, 6, 6 = 24, and up to 1
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      mov ebx,[edi+4096]
        invlpg [edi+0x123]
        mov eax,[edi]
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 8192
