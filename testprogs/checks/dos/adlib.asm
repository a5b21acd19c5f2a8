; A sound card is found as programs do it: the timers of the FM chip, then the DSP of a Sound Blaster 16 and its interrupt.
;! output
;! 00
;! C0
;! 00
;! A0
;! AA
;! 04
;! 5A
;! A5
;! IRQ
org 100h
%include "dos.inc"
        jmp start
hexadecimal
%macro opl 2
        mov ah, %1
        mov al, %2
        call opl_write
%endmacro
opl_write:
        mov dx, 388h
        xchg al, ah
        out dx, al
        mov cx, 6
.a:     in al, dx
        loop .a
        inc dx
        mov al, ah
        out dx, al
        mov cx, 35
.b:     in al, dx
        loop .b
        ret
status: mov dx, 388h
        in al, dx
        and al, 0e0h
        call hex2
        jmp crlf
pause:  push ax                 ; until the second tick of the BIOS's clock
        push ds
        mov ax, 40h
        mov ds, ax
        mov ax, [6ch]
        add ax, 2
.a:     cmp [6ch], ax
        jne .a
        pop ds
        pop ax
        ret
dsp:    push ax
        mov dx, 22ch
.a:     in al, dx
        test al, 80h
        jnz .a
        pop ax
        out dx, al
        ret
answer: mov dx, 22eh
        mov cx, 0ffffh
.a:     in al, dx
        test al, 80h
        loopz .a
        mov dl, 2ah
        in al, dx
        call hex2
        jmp crlf
irq:    push ax
        push dx
        mov byte [cs:seen], 1
        mov dx, 22eh
        in al, dx
        mov al, 20h
        out 20h, al
        pop dx
        pop ax
        iret
seen    db 0
text    db "IRQ$"
start:
        opl 4, 60h
        opl 4, 80h
        call status
        opl 2, 0ffh             ; 80 us
        opl 4, 21h
        call pause
        call status
        opl 4, 60h
        opl 4, 80h
        call status
        opl 3, 0ffh             ; 320 us
        opl 4, 42h
        call pause
        call status
        opl 4, 60h
        opl 4, 80h
        mov dx, 226h
        mov al, 1
        out dx, al
        call pause
        mov al, 0
        out dx, al
        call answer             ; AA
        mov al, 0e1h
        call dsp
        call answer             ; major version
        mov dx, 22ah
        in al, dx               ; minor version
        mov al, 0e4h
        call dsp
        mov al, 5ah
        call dsp
        mov al, 0e8h
        call dsp
        call answer
        mov al, 0e0h
        call dsp
        mov al, 5ah
        call dsp
        call answer             ; its complement
        mov ax, 250fh
        mov dx, irq
        int 21h
        in al, 21h
        and al, 7fh
        out 21h, al
        mov al, 5               ; DMA channel 1: 100 bytes from here
        out 0ah, al
        out 0ch, al
        mov al, 49h
        out 0bh, al
        mov ax, cs
        mov bx, ax
        shl ax, 4
        shr bx, 12
        add ax, text
        adc bx, 0
        out 2, al
        mov al, ah
        out 2, al
        mov al, bl
        out 83h, al
        mov al, 99
        out 3, al
        mov al, 0
        out 3, al
        mov al, 1
        out 0ah, al
        mov al, 40h             ; 10 kHz
        call dsp
        mov al, 156
        call dsp
        mov al, 14h
        call dsp
        mov al, 99
        call dsp
        mov al, 0
        call dsp
wait_for:
        cmp byte [seen], 0
        je wait_for
        say text
        call crlf
        finish
