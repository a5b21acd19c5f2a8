#! note A write at CPL 3 (code bit 2) beyond the 32 MB, where no page is present (bit 0 clear, bit 1 for a write): #PF(6).
#! models p55c-200 p54c-133
#! expect-fault #PF(6) at bad
#! expect-memory before 78 56 34 12
#! expect-memory before+4 00
        mov dword ptr [before],0x12345678
bad:    mov [0x4000000],eax
        mov dword ptr [before],0
.bss
before: .skip 8
