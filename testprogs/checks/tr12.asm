; TR12 (manual, 26.3): write-only; cache inhibit and the test sequence for a second-level cache; inhibit of one cache (P55C); one pipe.
%include "treg.inc"

NBP equ 1 << 0
SE  equ 1 << 2
CI  equ 1 << 3
ITR equ 1 << 9
CCI equ 1 << 19
DCI equ 1 << 20
EVENT_READ_MISS equ 3
EVENT_CODE_MISS equ 0eh
EVENT_V         equ 17h
EVENT_NONCACHED equ 1eh
CC  equ 1 << 6                  ; CPL 0-2

LINE equ 200000h

%macro count 1                  ; events of the code up to counted -> eax
        wr CTR0, 0
        wr CESR, CC | (%1)
%endmacro
%macro counted 0
        wr CESR, 0
        rd CTR0
%endmacro

start:  which_model
        mov esp, 7000h

; ---- write-only registers read as 0; TR1 but for PES
        wr MSR_TR12, NBP | ITR
        rd MSR_TR12
        is eax, 0
        wr MSR_TR5, CD_DATA
        rd MSR_TR5
        is eax, 0
        wr MSR_TR1, 2
        rd MSR_TR1
        is eax, 0
        wr MSR_TR1, 0
        wr MSR_TR12, 0

; ---- CI inhibits fills; what is in the caches stays and is hit
        wbinvd
        mov eax, [LINE]                 ; in the data cache
        call near_code                  ; in the code cache
        wr MSR_TR12, CI
        count EVENT_READ_MISS
        mov eax, [LINE]
        counted
        is eax, 0
        count EVENT_READ_MISS           ; another line: a miss each time
        mov eax, [LINE + 1000h]
        mov eax, [LINE + 1000h]
        mov eax, [LINE + 1004h]
        counted
        is eax, 3
        count EVENT_NONCACHED           ; single transfers
        mov eax, [LINE + 1000h]
        counted
        cmp eax, 1
        mov dword [check], 100
        jb near fail

; ---- the second-level cache test sequence: CI, flush the internal caches, then every access goes to the second level
        wr MSR_TR12, CI
        wbinvd
        count EVENT_READ_MISS
        mov eax, [LINE]
        mov eax, [LINE]
        counted
        is eax, 2
        ; a line of it: written, read back, and found faster than memory
        mov dword [LINE + 40h], 0cafe1234h
        is dword [LINE + 40h], 0cafe1234h
        mov esi, 300000h                ; nothing has been here yet
        call clocks
        mov edi, eax                    ; from memory
        call clocks                     ; from the second level
        mov dword [check], 101
        cmp eax, edi
        jae near fail
        wr MSR_TR12, 0
        mov eax, [LINE]
        count EVENT_READ_MISS           ; normal again
        mov eax, [LINE]
        counted
        is eax, 0

; ---- P55C: one cache at a time
        cmp ebp, 4
        jne no_cci
        wbinvd
        wr MSR_TR12, DCI
        call code_misses
        call code_misses                ; of code that has run before
        is eax, 0
        count EVENT_READ_MISS
        mov eax, [LINE]
        mov eax, [LINE]
        counted
        is eax, 2
        wbinvd
        wr MSR_TR12, CCI
        mov eax, [LINE]
        count EVENT_READ_MISS
        mov eax, [LINE]
        counted
        is eax, 0
        call code_misses
        call code_misses
        isnt eax, 0
        wr MSR_TR12, 0
no_cci:

; ---- SE: nothing in V
        call pairs
        count EVENT_V
        call pairs
        counted
        cmp eax, 8
        mov dword [check], 102
        jb near fail
        wr MSR_TR12, SE
        count EVENT_V
        call pairs
        counted
        is eax, 0
        wr MSR_TR12, 0
        ending

code_misses:
        count EVENT_CODE_MISS
        call near_code
        counted
        ret

; clocks of a read at esi -> eax
clocks: rdtsc
        mov ebx, eax
        mov eax, [esi]
        rdtsc
        sub eax, ebx
        ret

        align 32
pairs:
%rep 8
        inc esi
        inc edi
%endrep
        ret
        align 32
near_code:
        ret
        align 32
        times 64 nop
