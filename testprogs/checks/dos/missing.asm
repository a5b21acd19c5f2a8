; A missing function that matters is named once, however often a program calls it: DOS, video, fonts, modes, VESA, mouse, and a port of the board.
;! dosbox it tells nothing
;! output
;! p5scope: DOS function 03h (INT 21h) is not implemented
;! p5scope: DOS function 32h (INT 21h) is not implemented
;! p5scope: BIOS: video mode 08h is not supported; 00h-07h, 0Dh-13h and VESA modes are
;! p5scope: BIOS: font function AAh (INT 10h AH = 11h) is not implemented
;! p5scope: BIOS: video function 1Eh (INT 10h) is not implemented
;! p5scope: BIOS: VESA mode 1FFh is not supported
;! p5scope: BIOS: VESA function 4F0Bh (INT 10h) is not implemented
;! p5scope: mouse function 16h (INT 33h) is not implemented
;! p5scope: mouse function 27h (INT 33h) is not implemented
;! p5scope: port E0h has no device; reads return all ones and writes are ignored
;! that is all
org 100h
%include "dos.inc"
        mov bp, 3
.again: mov si, calls
.next:  lodsw
        or ax, ax
        jz .port
        mov cx, ax              ; the number of an interrupt
        lodsw
        mov bx, ax              ; BX, then AX
        lodsw
        mov [.int+1], cl
        jmp .flush              ; the processor fetches the number anew
.flush: pusha
        push ds
        push es
.int:   int 0
        pop es
        pop ds
        popa
        jmp .next
.port:  in al, 0e0h
        dec bp
        jnz .again
        say text
        finish
text:   db 'that is all', 13, 10, '$'
calls:  dw 21h, 0, 0300h        ; input from AUX
        dw 21h, 0, 3200h        ; drive parameters
        dw 10h, 0, 0008h        ; a mode of the PCjr
        dw 10h, 0, 11aah        ; fonts
        dw 10h, 0, 1e00h        ; a flat panel
        dw 10h, 1ffh, 4f02h     ; a VESA mode that does not exist
        dw 10h, 0, 4f0bh        ; the pixel clock of VESA 3.0
        dw 33h, 0, 0016h        ; the mouse's state
        dw 33h, 0, 0027h        ; its motion, and the pointer's masks
        dw 0
