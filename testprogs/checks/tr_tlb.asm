; The TLBs through TR6 and TR7 (manual, 26.2.1.2): entries written, looked up, dumped, and used.
%include "treg.inc"

; TR6
V   equ 1 << 11
D   equ 1 << 10
U   equ 1 << 9
W   equ 1 << 8
PS  equ 1 << 2
CD  equ 1 << 1                  ; data TLB
OP  equ 1                       ; read
; TR7
PCD equ 1 << 11
PWT equ 1 << 10
H   equ 1 << 4

DIRECTORY equ 100000h
TABLE     equ 101000h           ; linear 0 to 4 MB, one to one but for what is said below

start:  which_model
        mov esp, 7000h

; ---- every entry of the data TLB: what was written is found, with its entry number, and nothing else
        mov ebx, 0
        call flush
d_w:    call place_data                 ; -> esi linear, edi TR7
        wr MSR_TR7, edi
        mov eax, esi
        or eax, V | D | U | W | CD
        wr MSR_TR6, eax
        inc ebx
        cmp ebx, 64
        jb d_w
        mov ebx, 0
d_r:    call place_data
        wr MSR_TR7, 0
        mov eax, esi
        or eax, CD | OP
        wr MSR_TR6, eax
        rd MSR_TR7
        and eax, ~(7 << 7)              ; LRU (P54C): below
        is eax, edi
        rd MSR_TR6
        is eax, V | D | U | W | CD | OP         ; at the end of the read the linear address is gone
        inc ebx
        cmp ebx, 64
        jb d_r
        ; dump: step through the linear address space, page by page; here the 256 pages around those that were written
        xor ebx, ebx                    ; hits
        mov esi, 0
dump:   mov eax, esi
        or eax, CD | OP
        wr MSR_TR6, eax
        rd MSR_TR7
        test al, H
        jz no_hit
        inc ebx
no_hit: add esi, 1000h
        cmp esi, 100000h
        jb dump
        is ebx, 64
        ; CR3 flushes
        call flush
        wr MSR_TR6, 40000h | CD | OP
        rd MSR_TR7
        and eax, H
        is eax, 0
        ; an entry that is written invalid is not found
        wr MSR_TR7, 0abcd0000h | H
        wr MSR_TR6, 40000h | W | CD
        wr MSR_TR6, 40000h | CD | OP
        rd MSR_TR7
        and eax, H
        is eax, 0

; ---- attributes: PCD and PWT, and rights that are clear
        wr MSR_TR7, 0abcd0000h | PCD | H
        wr MSR_TR6, 40000h | V | CD
        wr MSR_TR7, 0
        wr MSR_TR6, 40000h | CD | OP
        rd MSR_TR7
        and eax, 0fffff000h | PCD | PWT | H
        is eax, 0abcd0000h | PCD | H
        rd MSR_TR6
        is eax, V | CD | OP
        wr MSR_TR7, 0abcd0000h | PWT | H
        wr MSR_TR6, 40000h | V | D | CD
        wr MSR_TR6, 40000h | CD | OP
        rd MSR_TR7
        and eax, 0fffff000h | PCD | PWT | H
        is eax, 0abcd0000h | PWT | H
        rd MSR_TR6
        is eax, V | D | CD | OP

; ---- P54C: LRU bits are reported as they were before the read, which then is a use
        cmp ebp, 2
        jne no_lru
        wr MSR_TR7, 0abcd0000h | H              ; way 0, LRU 000
        wr MSR_TR6, 41000h | V | CD
        wr MSR_TR6, 41000h | CD | OP
        rd MSR_TR7
        and eax, 7 << 7
        is eax, 0
        wr MSR_TR6, 41000h | CD | OP
        rd MSR_TR7
        and eax, 7 << 7
        is eax, 3 << 7                          ; away from way 0: L0 and L1
        wr MSR_TR7, 0abcd0000h | H | 3 << 2 | 5 << 7
        wr MSR_TR6, 42000h | V | CD
        wr MSR_TR6, 42000h | CD | OP
        rd MSR_TR7
        and eax, 7 << 7
        is eax, 5 << 7
no_lru:

; ---- 4 MB pages: found for every address in them, PS comes from the processor; in both sizes: the large one
        call flush
        wr MSR_TR7, 0c0000000h | H
        wr MSR_TR6, 10800000h | V | W | PS | CD
        wr MSR_TR6, 10987000h | CD | OP
        rd MSR_TR6
        and eax, PS | V | W | D
        is eax, PS | V | W
        rd MSR_TR7
        and eax, 0ffc00000h | H
        is eax, 0c0000000h | H
        mov eax, 0a0000000h | H
        cmp ebp, 4
        jne lp
        or eax, 1                               ; not the entry of the large page
lp:     wr MSR_TR7, eax
        wr MSR_TR6, 10987000h | V | CD
        wr MSR_TR6, 10987000h | CD | OP
        rd MSR_TR6
        and eax, PS
        is eax, PS
        rd MSR_TR7
        and eax, 0ffc00000h
        is eax, 0c0000000h
        call flush

; ---- every entry of the code TLB; a read leaves no linear address in TR6, and D, W and PS mean nothing there
        xor ebx, ebx
c_w:    call place_code
        wr MSR_TR7, edi
        mov eax, esi
        or eax, V | U | W | D | PS
        wr MSR_TR6, eax
        inc ebx
        cmp ebx, 32
        jb c_w
        xor ebx, ebx
c_r:    call place_code
        wr MSR_TR7, 0
        mov eax, esi
        or eax, OP
        wr MSR_TR6, eax
        rd MSR_TR7
        and eax, ~(7 << 7)
        is eax, edi
        rd MSR_TR6
        is eax, V | U | OP
        inc ebx
        cmp ebx, 32
        jb c_r
        wr MSR_TR6, 0ffff0000h | OP             ; a miss
        rd MSR_TR7
        and eax, H
        is eax, 0
        rd MSR_TR6
        is eax, OP
        wr MSR_TR6, 0ffff0000h | CD | OP
        rd MSR_TR6
        is eax, CD | OP
        call flush

; ---- with paging: what walks have brought in is found
        mov edi, DIRECTORY
        xor eax, eax
        mov ecx, 1024
        rep stosd
        mov edi, TABLE
        mov eax, 63h                            ; present, writable, accessed, dirty
        mov ecx, 1024
table:  stosd
        add eax, 1000h
        loop table
        mov dword [DIRECTORY], TABLE | 67h
        mov dword [TABLE + 250h * 4], 205000h | 7bh     ; page 250h: at 205000h, PCD and PWT
        mov dword [TABLE + 251h * 4], 206000h | 25h     ; page 251h: read-only, user, not dirty
        mov eax, DIRECTORY
        mov cr3, eax
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
        jmp paged
paged:  mov eax, [250000h]
        mov eax, [251000h]
        wr MSR_TR6, 250000h | CD | OP
        rd MSR_TR7
        and eax, 0fffff000h | PCD | PWT | H
        is eax, 205000h | PCD | PWT | H
        rd MSR_TR6
        and eax, V | U | W | PS
        is eax, V | U | W                       ; supervisor only
        wr MSR_TR6, 251000h | CD | OP
        rd MSR_TR7
        and eax, 0fffff000h | PCD | PWT | H
        is eax, 206000h | H
        rd MSR_TR6
        and eax, V | D | U | W
        is eax, V
        wr MSR_TR6, 252000h | CD | OP           ; never used
        rd MSR_TR7
        and eax, H
        is eax, 0
        wr MSR_TR6, 8000h | OP                  ; this page, in the code TLB
        rd MSR_TR7
        and eax, 0fffff000h | H
        is eax, 8000h | H

; ---- an entry that was written is used: a hit, and the translation
        mov dword [210000h], 11111111h          ; physical; page 212h is 212000h in the tables
        mov dword [212000h], 22222222h
        mov ebx, cr3
        mov cr3, ebx
        wr MSR_TR7, 210000h | H
        wr MSR_TR6, 212000h | V | D | U | W | CD
        push eax                                ; the stack's own page
        pop eax
        wr CTR0, 0
        wr CESR, 1 << 6 | 2                     ; data TLB misses
        mov edx, [212000h]
        mov dword [212004h], 33333333h
        push edx
        wr CESR, 0
        pop edx
        is edx, 11111111h
        push edx
        rd CTR0
        pop edx
        is eax, 0
        mov ebx, cr3
        mov cr3, ebx                            ; and gone with CR3
        is dword [212000h], 22222222h
        is dword [210004h], 33333333h
        isnt dword [212004h], 33333333h
        ; the code TLB alone: a fetch goes there, a load does not
        mov byte [220000h], 0b8h                ; mov eax, 1
        mov dword [220001h], 1
        mov byte [220005h], 0c3h
        mov byte [221000h], 0b8h                ; mov eax, 2
        mov dword [221001h], 2
        mov byte [221005h], 0c3h
        wbinvd
        call 221000h
        is eax, 2
        wr MSR_TR7, 220000h | H
        wr MSR_TR6, 221000h | V | U
        call 221000h
        is eax, 1
        is dword [221001h], 2
        invlpg [221000h]
        call 221000h
        is eax, 2
        ; a large page that the tables do not have
        wr MSR_TR7, 000000h | H
        wr MSR_TR6, 40000000h | V | D | U | W | PS | CD
        is dword [40000000h + 210000h], 11111111h
        ending

flush:  mov eax, cr3
        mov cr3, eax
        ret

; ebx = 0-63 -> esi linear, edi TR7. P54C: 16 sets, chosen by the low bits of the page number, of 4 ways
place_data:
        mov esi, ebx
        shl esi, 12
        or esi, 40000h
        lea edi, [esi + 7000000h]
        or edi, H
        mov eax, ebx
        cmp ebp, 4
        je .p55c
        shr eax, 4                      ; way
        shl eax, 2
        or edi, eax
        ret
.p55c:  mov edx, eax
        and edx, 15
        or edi, edx
        and eax, 30h
        shl eax, 1
        or edi, eax
        ret

; ebx = 0-31: P54C 8 sets of 4 ways
place_code:
        mov esi, ebx
        shl esi, 12
        or esi, 40000h
        lea edi, [esi + 9000000h]
        or edi, H
        mov eax, ebx
        cmp ebp, 4
        je .p55c
        shr eax, 3
        shl eax, 2
        or edi, eax
        ret
.p55c:  mov edx, eax
        and edx, 15
        or edi, edx
        and eax, 10h
        shl eax, 1
        or edi, eax
        ret
