; timer: counts ten ticks of the 8254 through the 8259 while it waits in HLT; interrupts, port I/O and halted clocks at CPL 0.
global start
section .text
%include "bare.inc"

CODE0 equ 08h
DATA0 equ 10h
TICKS equ 10
DIVISOR equ 1193                ; of 1.193182 MHz: about 1 ms
PIC equ 20h                     ; command, data
PIT_CHANNEL0 equ 40h
PIT_CONTROL equ 43h
FIRST_VECTOR equ 20h
END_OF_INTERRUPT equ 20h

start:
        mov esp, stack_top
        lgdt [gdt_pointer]
        jmp CODE0:.flat
.flat:  mov ax, DATA0
        mov ds, ax
        mov es, ax
        mov ss, ax

        mov eax, tick
        mov [idt + FIRST_VECTOR * 8], ax
        mov word [idt + FIRST_VECTOR * 8 + 2], CODE0
        mov word [idt + FIRST_VECTOR * 8 + 4], 8e00h
        shr eax, 16
        mov [idt + FIRST_VECTOR * 8 + 6], ax
        lidt [idt_pointer]

        mov al, 11h             ; ICW1: edge, cascade, ICW4 follows
        out PIC, al
        mov al, FIRST_VECTOR    ; ICW2
        out PIC + 1, al
        mov al, 4               ; ICW3: second controller at IR2
        out PIC + 1, al
        mov al, 1               ; ICW4: 8086 mode
        out PIC + 1, al
        mov al, 0feh            ; mask: IR0 only
        out PIC + 1, al
        mov al, 34h             ; channel 0, low then high byte, mode 2
        out PIT_CONTROL, al
        mov al, DIVISOR & 255
        out PIT_CHANNEL0, al
        mov al, DIVISOR >> 8
        out PIT_CHANNEL0, al

        sti
.wait:  hlt
        cmp dword [ticks], TICKS
        jb .wait
        cli
        mov eax, [ticks]
        call print_decimal
        print " ticks", 10
        finish 0

tick:   push eax
        inc dword [ticks]
        mov al, END_OF_INTERRUPT
        out PIC, al
        pop eax
        iretd

section .data
align 8
gdt:    dq 0
        dq 00cf9a000000ffffh
        dq 00cf92000000ffffh
gdt_end:
gdt_pointer:
        dw gdt_end - gdt - 1
        dd gdt
idt_pointer:
        dw (FIRST_VECTOR + 1) * 8 - 1
        dd idt

section .bss
align 8
ticks:  resd 1
idt:    resb (FIRST_VECTOR + 1) * 8
        resb 4096
stack_top:
