#! models dma-read-p55c.ini dma-read-p54c.ini dma-write-p55c.ini dma-write-p54c.ini dual-read-p55c.ini dual-write-p55c.ini
#! n 20 120
#! expect@dma-read external_snoops 10.1 ~0.15
#! expect@dma-read external_data_cache_snoop_hits 10.1 ~0.15
#! expect@dma-read data_cache_lines_written_back 1 +0 -0.15
#! expect@dma-read data_read_miss 0
#! expect@dma-read data_write_miss 0
#! expect@dma-read write_hit_to_m_or_e_state_lines 1 +0 -0.15
#! expect@dma-read-p55c bus_utilization_due_to_processor_activity 21 ~3
#! expect@dma-read-p55c bus_cycle_duration 263 ~6
#! expect@dma-read-p54c bus_cycle_duration 184 ~6
#! note dma-read: a device reads one line every 300 clocks; a trip is 1500 * 2 clocks and some 30 more, 10.1 inquire cycles, all hits
#! note the first one after the stores finds the line modified: it is written back and left shared. The next trip's first store
#! note goes through to the bus and makes it exclusive, the second hits it in E
#! note bus: the store (P55C 2 bus clocks of 3, P54C 4 of 2) and the write-back (5, 7), and 10.1 times 8 bus clocks of HLDA
#! expect@dma-write external_snoops 10.1 ~0.15
#! expect@dma-write external_data_cache_snoop_hits 1 +0.15 -0
#! expect@dma-write data_cache_lines_written_back 1 +0 -0.3
#! expect@dma-write data_read_miss 1 +0 -0.15
#! note dma-write: a device writes one line every 300 clocks (INV active): the first inquire cycle after the stores finds it modified, has it
#! note written back and invalid; the others find nothing, and the next trip's load misses
#! note in a trip whose inquire cycle comes between that load and the store, within some 40 of 300 clocks, nothing gets modified
#! expect@dual-read cache_line_sharing 10.1 ~0.15
#! expect@dual-read cache_m_state_line_sharing 1 +0 -0.15
#! expect@dual-read bus_ownership_transfers 2 +0 -0.2
#! expect@dual-read bus_ownership_latency 6 +6 -0.6
#! expect@dual-read data_cache_lines_written_back 1 +0 -0.15
#! expect@dual-read external_snoops 0
#! expect@dual-read data_read_miss 0
#! note dual-read: a second processor reads one line every 300 clocks, 10.1 times a trip: PHIT# each time, PHITM# once, after the stores
#! note two bus cycles of this processor follow one of the other's: the store to the shared line and the write-back; each
#! note requests the bus and gets it a bus clock (3 clocks) later
#! note a request that meets the other's cycle, 24 clocks of 300, waits for its end as well
#! expect@dual-write cache_line_sharing 1 +0.15 -0
#! expect@dual-write cache_m_state_line_sharing 1 +0.15 -0.15
#! expect@dual-write bus_ownership_transfers 2 +0.15 -0.15
#! expect@dual-write bus_ownership_latency 6 +6 -0.6
#! expect@dual-write data_read_miss 1 +0 -0.15
#! note dual-write: a second processor writes one line: its first write after the stores finds it modified (PHITM#) and leaves it invalid
#! note the write-back and the fill of the next trip's load request the bus
#! note a request that meets the other's cycle, 24 clocks of 300, waits for its end as well
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
