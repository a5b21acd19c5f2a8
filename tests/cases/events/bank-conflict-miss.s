#! case bank-conflict-miss
#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect@p55c-200 bank_conflicts 16
#! expect@p54c-133 bank_conflicts 16
#! expect@errata-off bank_conflicts 8
#! expect memory_accesses_in_both_pipes 8
#! expect data_read_miss 8
#! note the read in V has the bank of the one in U (address bits 4-2) and misses: one conflict by the manual; silicon counts it
#! note again when the read is repeated (erratum 44). 64 KB apart from round to round: no line is there a second time
        mov edi,offset buf
        mov eax,[edi]
        mov esi,edi
        mov ebp,N
        .balign 32
L:      .rept 8
        add esi,4096
        and esi,0xffff
        add esi,offset buf
        nop
        mov eax,[edi]
        mov ebx,[esi+64]
        .endr
        dec ebp
        jnz L
.bss
.balign 65536
buf:    .skip 131072
