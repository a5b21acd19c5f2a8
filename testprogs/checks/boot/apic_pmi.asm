; The interrupt of an overflow of a performance counter, by the local APIC's entry at 340h. The monitor is that of the P6 or version 3;
; with the P5's, whose CESR has no interrupt, the entry does not exist.
%include "boot.inc"
LOADED equ 8
BOOT_LOAD LOADED
%include "apic.inc"
LVTP equ 340h
ENABLED equ 16h | 1 << 17 | 1 << 20 | 1 << 22   ; instructions at CPL 0, INT

%macro wr 2
    mov ecx, %1
    mov eax, %2
    xor edx, edx
    wrmsr
%endmacro

; Overflows a counter after fifty instructions.
overflow:
    wr 186h, 0
    wr 0c1h, -50
    wr 186h, ENABLED
    %rep 60
    nop
    %endrep
    wr 186h, 0
    ret

start32:
    call interrupts
    mov dword [LAPIC + SVR], 1ffh
    show [LAPIC + 30h]
    mov dword [LAPIC + LVTP], 0d5h
    show [LAPIC + LVTP]
    mov al, [LAPIC + 32h]               ; the number of the last entry
    cmp al, 4
    jne .end
    mov dword [hook], eoi
    sti
    call overflow
    cli
    show [trace]
    show [LAPIC + LVTP]                 ; masked by the interrupt
    sti
    call overflow
    cli
    show [count]
    mov dword [LAPIC + LVTP], 400h      ; NMI comes with IF clear
    call overflow
    show [nmis]
    show [LAPIC + LVTP]
.end:
    call line
    mov al, 0
    out 0f4h, al
    jmp $
BOOT_END LOADED
