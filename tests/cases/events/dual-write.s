#! models dual-write-p55c.ini
#! n 20 120
#! expect cache_line_sharing 1 +0.15 -0
#! expect cache_m_state_line_sharing 1 +0.15 -0.15
#! expect bus_ownership_transfers 2 +0.15 -0.15
#! expect bus_ownership_latency 6 +6 -0.6
#! expect data_read_miss 1 +0 -0.15
#! note a second processor writes one line: its first write after the stores finds it modified (PHITM#) and leaves it invalid
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
