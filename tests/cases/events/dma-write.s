#! models dma-write-p55c.ini dma-write-p54c.ini
#! n 20 120
#! expect external_snoops 10.1 ~0.15
#! expect external_data_cache_snoop_hits 1 +0.15 -0
#! expect data_cache_lines_written_back 1 +0 -0.3
#! expect data_read_miss 1 +0 -0.15
#! note a device writes one line every 300 clocks (INV active): the first inquire cycle after the stores finds it modified, has it
#! note written back and invalid; the others find nothing, and the next trip's load misses
#! note in a trip whose inquire cycle comes between that load and the store, within some 40 of 300 clocks, nothing gets modified
        mov edi,0x800000
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      mov eax,[edi]
        mov [edi],eax
        .rept 20
        neg esi
        .endr
        mov [edi],eax
        mov ecx,1500
        .balign 32
1:      neg esi
        dec ecx
        jnz 1b
        dec ebp
        jnz L
