; Parity (manual, 26.2.1.4): for each array, TR1 reverses the sense, a testability or normal write goes in, and the next read of it sets
; TR1.PES. With NS set the processor continues.
%include "treg.inc"

P_PES equ 1
P_NS  equ 2
P_IT  equ 1 << 2
P_ID0 equ 1 << 3
P_ID1 equ 1 << 4
P_ID2 equ 1 << 5
P_ID3 equ 1 << 6
P_ITT equ 1 << 7
P_ITD equ 1 << 8
P_DT  equ 1 << 9
P_DD  equ 1 << 10
P_DTT equ 1 << 11
P_DTD equ 1 << 12
P_MC  equ 1 << 13

LINE equ 200000h

; reverse bits; NS stays set, PES is cleared
%macro reverse_array 0
        mov eax, [array]
        or eax, P_NS
        wr MSR_TR1, eax
%endmacro
%macro reverse 1
        wr MSR_TR1, P_NS | (%1)
%endmacro
; PES is as said
%macro pes 1
        rd MSR_TR1
        is eax, %1
%endmacro

start:  which_model
        mov esp, 7000h
        cd_on
        wbinvd
        wr MSR_TR1, P_NS
        pes 0                           ; and NS cannot be read

; ---- data cache: testability write, testability read
        mov dword [array], P_DT
        call data_by_test
        mov dword [array], P_DD
        call data_by_test
        ; PES stays until it is cleared by software
        reverse 0
        pes 0

; ---- data cache: normal fill and normal read
        cd_off
        mov dword [array], P_DT
        call data_by_load
        mov dword [array], P_DD
        call data_by_load
        ; a byte written: only a read of that byte finds it
        wbinvd
        reverse 0
        mov eax, [LINE]
        reverse P_DD
        mov byte [LINE + 5], 77h
        reverse 0
        mov al, [LINE + 4]
        pes 0
        mov al, [LINE + 6]
        pes 0
        mov al, [LINE + 5]
        pes P_PES
        reverse 0
        mov byte [LINE + 5], 78h        ; written again: right
        mov al, [LINE + 5]
        pes 0
        ; a modified line is read when it is written back
        reverse P_DD
        mov byte [LINE + 9], 1
        reverse 0
        pes 0
        wbinvd
        pes P_PES
        reverse 0

; ---- code cache: every quarter by testability read; tag
        cd_on
        mov dword [array], P_IT
        xor edi, edi
        call code_by_test
        mov dword [array], P_ID0
        mov edi, BUFFER(0)
        call code_by_test
        mov dword [array], P_ID1
        mov edi, BUFFER(3)
        call code_by_test
        mov dword [array], P_ID2
        mov edi, BUFFER(4)
        call code_by_test
        mov dword [array], P_ID3
        mov edi, BUFFER(7)
        call code_by_test
        ; ID2 and ID3 are in the other half
        reverse P_ID2 | P_ID3
        mov esi, TAG(LINE) | 1
        mov edi, CD_CODE
        call write_line
        reverse 0
        mov eax, CD_CODE | CACHE_READ | BUFFER(1)
        call to_tr5
        pes 0
        mov eax, CD_CODE | CACHE_FLUSH
        call to_tr5
        ; code cache: filled and executed
        cd_off
        mov byte [LINE], 0c3h
        mov dword [array], P_IT
        call code_by_call
        mov dword [array], P_ID1
        call code_by_call

; ---- TLBs: testability write and read
        mov dword [array], P_DTT
        mov dword [which], 2
        call tlb_by_test
        mov dword [array], P_DTD
        call tlb_by_test
        mov dword [array], P_ITT
        mov dword [which], 0
        call tlb_by_test
        mov dword [array], P_ITD
        call tlb_by_test
        mov eax, cr3
        mov cr3, eax

; ---- microcode: the transition of MC from 0 to 1 forces one error
        reverse 0
        pes 0
        reverse P_MC
        pes P_PES
        reverse P_MC                      ; no transition
        pes 0
        reverse 0
        reverse P_MC
        pes P_PES
        reverse 0
        pes 0
        ending

data_by_test:
        mov eax, 12340000h
        call fill_line
        mov esi, TAG(LINE) | STATE_E
        mov edi, CD_DATA
        reverse_array
        call write_line
        pes 0
        reverse 0
        mov eax, CD_DATA | CACHE_READ
        call to_tr5
        pes P_PES
        reverse 0
        call write_line                 ; with the right parity
        mov eax, CD_DATA | CACHE_READ
        call to_tr5
        pes 0
        mov eax, CD_DATA | CACHE_FLUSH
        jmp to_tr5

data_by_load:
        wbinvd
        reverse_array
        mov eax, [LINE]                 ; fill
        reverse 0
        pes 0
        mov eax, [LINE]
        pes P_PES
        reverse 0
        pes 0
        mov eax, [LINE]                 ; still wrong
        pes P_PES
        wbinvd
        reverse 0
        mov eax, [LINE]
        mov eax, [LINE]
        pes 0
        ret

code_by_test:
        push edi
        mov esi, TAG(LINE) | 1
        mov edi, CD_CODE
        reverse_array
        call write_line
        pes 0
        reverse 0
        pop edi
        lea eax, [edi + CD_CODE + CACHE_READ]
        call to_tr5
        pes P_PES
        reverse 0
        mov eax, CD_CODE | CACHE_FLUSH
        jmp to_tr5

code_by_call:
        wbinvd
        reverse_array
        call LINE                       ; fill
        reverse 0
        call LINE
        pes P_PES
        wbinvd
        reverse 0
        call LINE
        call LINE
        pes 0
        ret

tlb_by_test:
        reverse_array
        wr MSR_TR7, 300000h | 1 << 4
        mov eax, [which]
        or eax, 40000000h | 1 << 11
        wr MSR_TR6, eax
        pes 0
        reverse 0
        mov eax, [which]
        or eax, 40000001h
        wr MSR_TR6, eax
        pes P_PES
        reverse 0
        ret

        cache_lines
array:  dd 0
which:    dd 0
