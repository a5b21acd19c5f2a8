#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect noncacheable_memory_reads 8
#! expect data_read_miss 8
#! expect@p55c writes_to_noncacheable_memory 8
#! note PCD in the page-table entry: nothing of the page is taken into the cache
        mov edi,offset buf
        mov eax,cr3
        mov eax,[eax]
        and eax,0xfffff000
        mov ecx,edi
        shr ecx,12
        or dword ptr [eax+ecx*4],0x10
        invlpg [edi]
        mov ebp,N
        .balign 32
L:      .rept 8
        mov eax,[edi]
        neg esi
        mov [edi+4],eax
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
