; LOCK CMPXCHG8B of a register, erratum 81: the processor reads the gate of #UD with the bus locked. If that page cannot be written, a page
; fault comes first - the workaround of the specification update, tried here with the page read-only and absent -; if it can, the processor
; hangs, which is the end of this guest. nasm -D NO_ERRATA: always #UD.
%include "system.inc"
gate_entry equ 0
P equ 1
W equ 2
U equ 4
directory equ 10000h
table equ 11000h
own_idt equ 31000h - 7 * 8      ; gates 0-6 lie in the page at 30000h, the others in the next
%define PTE(a) dword [table + ((a) >> 12) * 4]
%ifdef NO_ERRATA
 %define OUTCOME(code) UD, 0
%else
 %define OUTCOME(code) PF, code
%endif

; All eight registers, at both levels, with the prefixes in both orders.
%macro try 1                    ; error code
 %assign register 0
 %rep 8
        begin_case
 %%a %+ register: db 0f0h, 0fh, 0c7h, 0c8h + register
        end_case OUTCOME(%1), %%a %+ register
  %ifndef NO_ERRATA
        is dword [seen.cr2], own_idt + UD * 8
  %endif
  %assign register register + 1
 %endrep
        begin_case
 %%b:   db 66h, 0f0h, 0fh, 0c7h, 0cfh
        end_case OUTCOME(%1), %%b
        begin_case
        at_user
 %%c:   db 0f0h, 66h, 0fh, 0c7h, 0c9h
        end_case OUTCOME(%1), %%c
%endmacro

start:  call boot
        mov dword [directory], table | P | W | U
        mov eax, P | W | U
        mov edi, table
        mov ecx, 1024
.fill:  stosd
        add eax, 1000h
        loop .fill
        mov esi, idt
        mov edi, own_idt
        mov ecx, 256 * 8 / 4
        rep movsd
        lidt [own_idt_register]
        mov eax, directory
        mov cr3, eax
        mov eax, cr0
        or eax, 80010000h       ; paging, and read-only pages hold at CPL 0
        mov cr0, eax

        mov PTE(30000h), 30000h | P
        invlpg [30000h]
        try P | W
        ; what is neither locked nor CMPXCHG8B raises #UD, whose gate can be read
        begin_case
.u1:    db 0fh, 0c7h, 0c8h
        end_case UD, 0, .u1
        begin_case
.u2:    db 0f0h, 0fh, 0c7h, 0c0h
        end_case UD, 0, .u2
%ifndef NO_ERRATA               ; else #UD finds no gate
        mov PTE(30000h), 30000h | W
        invlpg [30000h]
        try W
%endif
        mov PTE(30000h), 30000h | P | W
        invlpg [30000h]
%ifdef NO_ERRATA
        try 0
        finish
%else
        mov al, '!'             ; all cases are as expected
        out 0e9h, al
        db 0f0h, 0fh, 0c7h, 0c8h
%endif

own_idt_register:
        dw 256 * 8 - 1
        dd own_idt
