#! models dual-read-p55c.ini
#! n 20 120
#! expect cache_line_sharing 10.1 ~0.15
#! expect cache_m_state_line_sharing 1 +0 -0.15
#! expect bus_ownership_transfers 2 +0 -0.2
#! expect bus_ownership_latency 6 +6 -0.6
#! expect data_cache_lines_written_back 1 +0 -0.15
#! expect external_snoops 0
#! expect data_read_miss 0
#! note a second processor reads one line every 300 clocks, 10.1 times a trip: PHIT# each time, PHITM# once, after the stores
#! note two bus cycles of this processor follow one of the other's: the store to the shared line and the write-back; each
#! note requests the bus and gets it a bus clock (3 clocks) later
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
