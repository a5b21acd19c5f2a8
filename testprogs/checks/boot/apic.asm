; Boots from a diskette into flat protected mode, drives the local APIC and the I/O APIC, and prints what it finds on port E9h.
; QEMU's PC prints the same, except lines that begin with *: there the manual and the 82093AA data sheet decide, and QEMU is another
; processor or takes a short cut.
%include "boot.inc"
LOADED equ 12
BOOT_LOAD LOADED

%include "apic.inc"

start32:
    call interrupts

    say "mp "
    mov esi, 0f0000h
.find:
    cmp dword [esi], '_MP_'
    je .found
    add esi, 16
    cmp esi, 100000h
    jb .find
.found:
    mov ecx, 16
    call sum
    call hex2
    call blank
    mov esi, [esi + 4]
    movzx ecx, word [esi + 4]
    call sum
    call hex2
    call blank
    show [esi]
    show [esi + 36]
    add esi, 44         ; the first entry of a table is a processor's
.entry:
    cmp byte [esi], 2
    je .io
    cmp byte [esi], 0
    lea esi, [esi + 8]
    jne .entry
    add esi, 12
    jmp .entry
.io:
    show [esi + 4]
    call line
    mov eax, 1
    cpuid
    mov eax, edx
    and eax, 200h
    call hex8
    call line

    say "* version "
    show [LAPIC + 30h]
    show [LAPIC + 20h]
    mov eax, 1
    call io_read
    call hex8
    call blank
    mov eax, 0
    call io_read
    call hex8
    call line
    say "* virtual wire "
    show [LAPIC + SVR]
    show [LAPIC + LINT0]
    show [LAPIC + LINT1]
    call line

    say "masks "
    mov dword [LAPIC + SVR], 1ffh
    mov dword [LAPIC + LINT0], MASKED
    mov dword [LAPIC + LINT1], MASKED
    mov dword [LAPIC + LVTE], MASKED
    mov dword [LAPIC + LDR], -1
    mov dword [LAPIC + DFR], 0f0000000h
    show [LAPIC + LDR]
    show [LAPIC + DFR]
    show [LAPIC + SVR]
    mov dword [LAPIC + TPR], 123h
    show [LAPIC + TPR]
    show [LAPIC + PPR]
    mov dword [LAPIC + TPR], 0
    call line

    say "self "
    mov dword [hook], eoi
    self 55h
    show [LAPIC + IRR + 20h]
    show [count]
    call window
    show [trace]
    show [LAPIC + IRR + 20h]
    show [LAPIC + ISR + 20h]
    self 61h            ; the higher one comes first
    self 72h
    self 63h
    call window
    show [trace]
    call line

    say "priority "
    call clear
    mov dword [LAPIC + TPR], 5fh
    self 5fh
    call window
    show [count]
    show [LAPIC + PPR]
    mov dword [LAPIC + TPR], 4fh
    call window
    show [trace]
    mov dword [LAPIC + TPR], 0
    call clear
    mov dword [hook], nested
    self 63h
    call window
    show [trace]
    show [seen]
    mov dword [hook], eoi
    mov dword [LAPIC + EOI], 0          ; nothing is in service
    show [LAPIC + PPR]
    call line

    say "destinations "
    call clear
    mov dword [LAPIC + ICR], 80041h     ; all
    call window
    show [trace]
    mov dword [LAPIC + ICR], 0c0042h    ; all others: none
    call window
    show [trace]
    mov dword [LAPIC + ICRH], 0         ; the identifier of this processor
    mov dword [LAPIC + ICR], 43h
    call window
    show [trace]
    mov dword [LAPIC + LDR], 4000000h
    mov dword [LAPIC + ICRH], 6000000h  ; logical, flat
    mov dword [LAPIC + ICR], 844h
    call window
    mov dword [LAPIC + ICRH], 3000000h
    mov dword [LAPIC + ICR], 845h
    call window
    show [trace]
    mov dword [LAPIC + DFR], 0          ; clusters
    mov dword [LAPIC + LDR], 21000000h
    mov dword [LAPIC + ICRH], 23000000h
    mov dword [LAPIC + ICR], 846h
    call window
    mov dword [LAPIC + ICRH], 33000000h
    mov dword [LAPIC + ICR], 847h
    call window
    mov dword [LAPIC + ICRH], 22000000h
    mov dword [LAPIC + ICR], 848h
    call window
    show [trace]
    mov dword [LAPIC + DFR], -1
    mov dword [LAPIC + ICRH], 0
    mov dword [LAPIC + ICR], SELF | 400h ; NMI comes with IF clear
    call settle
    show [nmis]
    call line

    say "* errors "
    cmp byte [LAPIC + 30h], 10h         ; QEMU delivers illegal vectors
    jne .no_errors
    mov dword [LAPIC + ESR], 0
    self 0fh
    show [LAPIC + ESR]
    mov dword [LAPIC + ESR], 0
    show [LAPIC + ESR]
    mov dword [LAPIC + ICR], 0c0042h
    show [LAPIC + ESR]
    mov dword [LAPIC + ESR], 0
    mov dword [LAPIC + LVTE], 0e1h
    call clear
    self 3
    call window
    show [trace]
    mov dword [LAPIC + LVTE], MASKED
    mov dword [LAPIC + ESR], 0
.no_errors:
    call line
    say "* software disable "
    mov dword [LAPIC + LINT1], 400h
    mov dword [LAPIC + SVR], 0ffh
    show [LAPIC + LINT1]
    mov dword [LAPIC + LVTT], 30h
    show [LAPIC + LVTT]
    mov dword [LAPIC + SVR], 1ffh
    show [LAPIC + LINT1]
    mov dword [LAPIC + LINT1], MASKED
    mov dword [LAPIC + LVTT], MASKED
    call line

    say "timer "
    call clear
    mov dword [LAPIC + DIVIDE], 0bh     ; 1
    mov dword [LAPIC + LVTT], 0d0h
    mov dword [LAPIC + INITIAL], 2000h
    show [LAPIC + INITIAL]
    mov ebx, 1
    call wait_for
    show [trace]
    show [LAPIC + CURRENT]
    call settle
    call window
    show [count]
    mov dword [LAPIC + LVTT], 200d1h    ; periodic
    mov dword [LAPIC + DIVIDE], 3       ; 16
    mov dword [LAPIC + INITIAL], 20000h
    mov ebx, 4
    call wait_for
    show [trace]
    mov dword [LAPIC + LVTT], 0d2h | MASKED
    mov dword [LAPIC + INITIAL], 100h
    mov ebx, 5
    mov eax, [LAPIC + CURRENT]
.masked:
    cmp dword [LAPIC + CURRENT], 0
    jne .masked
    call window
    show [count]
    show [LAPIC + IRR + 0c0h]
    mov dword [LAPIC + INITIAL], 0
    call line

    say "io apic "
    mov eax, 10h + 2 * 5
    call io_read
    call hex8
    call blank
    redirect 5, 0ffffffffh
    mov eax, 10h + 2 * 5
    call io_read
    and eax, 1afffh     ; without those that are reserved or read-only
    call hex8
    call blank
    redirect 5, MASKED
    call clear
    mov al, 34h         ; the 8254 comes to input 2, as an edge
    out 43h, al
    mov al, 0
    out 40h, al
    mov al, 10h
    out 40h, al
    redirect 2, 58h
    mov ebx, 2
    call wait_for
    show [trace]
    redirect 2, MASKED
    call clear
    mov dx, 3f9h        ; COM1 wants to send: line 4 is active until that is disabled
    mov al, 0
    out dx, al
    mov dx, 3fch
    mov al, 8
    out dx, al
    redirect 4, 68h     ; as an edge, which comes once
    mov dx, 3f9h
    mov al, 2
    out dx, al
    mov ebx, 1
    call wait_for
    call window
    show [trace]
    mov dx, 3f9h
    mov al, 0
    out dx, al
    redirect 4, 68h | MASKED
    mov dx, 3f9h        ; an edge at a masked input is lost
    mov al, 2
    out dx, al
    call settle
    redirect 4, 68h
    call window
    show [count]
    mov dx, 3f9h
    mov al, 0
    out dx, al
    call clear
    mov dword [hook], level
    redirect 4, 8069h   ; as a level, which comes until it is gone
    mov dx, 3f9h
    mov al, 2
    out dx, al
    mov ebx, 3
    call wait_for
    call window
    show [trace]
    show [seen]
    show [seen + 4]
    mov eax, 10h + 2 * 4
    call io_read
    call hex8
    mov dword [hook], eoi
    redirect 4, MASKED
    call line

    say "8259 "
    call clear
    mov dword [hook], pic_eoi
    mov al, 11h
    out 20h, al
    mov al, 40h
    out 21h, al
    mov al, 4
    out 21h, al
    mov al, 1
    out 21h, al
    mov al, 0feh
    out 21h, al
    mov dword [LAPIC + LINT0], 700h
    mov dword [LAPIC + TPR], 0ffh       ; has no effect on the 8259's
    mov ebx, 2
    call wait_for
    show [trace]
    mov dword [LAPIC + LINT0], 700h | MASKED
    call clear
    mov ebx, 10000
.time:
    call window
    dec ebx
    jnz .time
    show [count]
    mov dword [LAPIC + TPR], 0
    call line
    say "* 8259 as an edge at LINT0 "
    mov dword [hook], pic_poll          ; an edge of the 8259's output is an interrupt of its own
    mov dword [LAPIC + LINT0], 59h
    call pic_poll
    mov ebx, 2
    call wait_for
    show [trace]
    mov dword [LAPIC + LINT0], MASKED
    call line
    say "* 8259 by the I/O APIC "
    call clear
    mov dword [hook], pic_eoi
    redirect 0, 700h
    mov ebx, 2
    call wait_for
    show [trace]
    redirect 0, MASKED
    call line

    mov al, 0
    out 0f4h, al
    jmp $

; The first comes in vector 63h: the lower 54h and the equal 65h wait for its end, 77h does not.
nested:
    cmp byte [trace], 63h
    jne eoi
    mov eax, [LAPIC + PPR]
    mov [seen], eax
    self 54h
    self 65h
    self 77h
    call window
    jmp eoi
level:
    mov eax, [LAPIC + TMR + 60h]
    mov [seen], eax
    mov eax, 10h + 2 * 4
    call io_read
    mov [seen + 4], eax
    cmp dword [count], 3
    jb eoi
    mov dx, 3f9h
    mov al, 0
    out dx, al
    jmp eoi
pic_poll:
    mov al, 0ch
    out 20h, al
    in al, 20h
    call eoi
pic_eoi:
    mov al, 20h
    out 20h, al
    ret
; Returns in AL the sum of ECX bytes at ESI.
sum:
    push esi
    xor eax, eax
.next:
    add al, [esi]
    inc esi
    loop .next
    pop esi
    ret
seen    dd 0, 0
BOOT_END LOADED
