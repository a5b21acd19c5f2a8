#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect data_tlb_miss 3
#! expect code_tlb_miss 1
#! expect noncacheable_memory_reads 8
#! expect branches 2
#! expect btb_hits 0
#! expect pipeline_flushes 1
#! expect code_cache_miss 0
#! note a load of CR3 empties both TLBs and the BTB: three data pages and the code page miss, two walk reads each
#! note MOV to CR3 serialises, which event 12h lists as a branch and event 15h leaves out; JNZ is not in the BTB and flushes
        mov edi,offset buf
        mov esi,cr3
        mov eax,[edi]
        mov eax,[edi+4096]
        mov eax,[edi+8192]
        mov ebp,N
        .balign 32
L:      mov cr3,esi
        mov eax,[edi]
        mov ebx,[edi+4096]
        mov ecx,[edi+8192]
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 12288
