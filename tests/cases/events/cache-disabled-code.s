#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect code_read 4
#! expect code_cache_miss 4
#! expect noncacheable_memory_reads 4
#! note PCD in the page-table entry: the loop's line is not taken into the cache, each trip reads it anew, 8 bytes at a time, each a read and a miss of its own
        mov esi,offset code
        mov eax,cr3
        mov eax,[eax]
        and eax,0xfffff000
        mov ecx,esi
        shr ecx,12
        or dword ptr [eax+ecx*4],0x10
        invlpg [esi]
        mov ebp,N
        jmp code
.balign 4096
code:   neg eax
        neg ecx
        neg edx
        dec ebp
        jnz code
