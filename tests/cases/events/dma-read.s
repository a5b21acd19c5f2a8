#! models dma-read-p55c.ini dma-read-p54c.ini
#! n 20 120
#! expect external_snoops 10.1 ~0.15
#! expect external_data_cache_snoop_hits 10.1 ~0.15
#! expect data_cache_lines_written_back 1 +0 -0.15
#! expect data_read_miss 0
#! expect data_write_miss 0
#! expect write_hit_to_m_or_e_state_lines 1 +0 -0.15
#! expect@dma-read-p55c bus_utilization_due_to_processor_activity 21 ~3
#! expect@dma-read-p55c bus_cycle_duration 263 ~6
#! expect@dma-read-p54c bus_cycle_duration 184 ~6
#! note a device reads one line every 300 clocks; a trip is 1500 * 2 clocks and some 30 more, 10.1 inquire cycles, all hits
#! note the first one after the stores finds the line modified: it is written back and left shared. The next trip's first store
#! note goes through to the bus and makes it exclusive, the second hits it in E
#! note bus: the store (P55C 2 bus clocks of 3, P54C 4 of 2) and the write-back (5, 7), and 10.1 times 8 bus clocks of HLDA
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
