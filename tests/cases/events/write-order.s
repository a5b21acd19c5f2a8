#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini ewbe-p55c.ini ewbe-p54c.ini
#! n 20 120
#! expect write_hit_to_m_or_e_state_lines 1
#! expect data_write_miss 1
#! expect@p55c clocks 12
#! expect@p54c clocks 14
#! expect@p5 stall_on_write_to_an_e_or_m_state_line 0
#! expect@errata-off-p55c stall_on_write_to_an_e_or_m_state_line 6
#! expect@errata-off-p54c stall_on_write_to_an_e_or_m_state_line 8
#! expect@ewbe-p55c clocks 15
#! expect@ewbe-p55c stall_on_write_to_an_e_or_m_state_line 3
#! expect@ewbe-p54c clocks 16
#! expect@ewbe-p54c stall_on_write_to_an_e_or_m_state_line 2
#! note a store that misses, two clocks later one that hits a modified line: it waits until the first is on the bus
#! note from the end R of that cycle on: hit R, NEG, NEG, DEC with JNZ, miss R+4, NEG, hit wants R+6; the miss is known at R+5
#! note and driven at the next bus clock edge, R+6. P55C: 2 bus clocks of 3, until R+12: 6 clocks waited of 12. P54C: 4 of 2,
#! note until R+14: 8 of 14. Silicon counts only clocks in which EWBE# is inactive (erratum 44): none where it is tied active,
#! note one bus clock with ewbe = 1, which the pipe waits for in addition
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      mov [edi+64],eax
        neg esi
        mov [edi],eax
        neg esi
        neg esi
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 128
