; An exception of the x87 goes through line 13 and interrupts 75h and 2, each time, and leaves all registers.
;! dosbox it has no exceptions of the x87
;! output
;! 0202 0000
org 100h
%include "dos.inc"
        mov dx, handler
        mov ax, 2502h
        int 21h
        in al, 0a1h
        and al, 0dfh
        out 0a1h, al
        in al, 21h
        and al, 0fbh
        out 21h, al
        sti
        mov ax, 1111h
        mov cx, 3333h
        mov dx, 4444h
        call divide
        call divide
        sub ax, 1111h
        sub cx, 3333h
        sub dx, 4444h
        or cx, ax
        or cx, dx
        mov ax, [divided]
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
        mov ax, cx
        call hex4
        call crlf
        finish
divide: fninit
        fldcw [unmasked]
        fld1
        fldz
        fdivp st1, st0
        fwait
        inc byte [divided]
        ret
handler:
        fnclex
        inc byte [cs:divided + 1]
        iret
unmasked: dw 37bh               ; division by zero
divided: db 0, 0                ; times, and times in the handler
        hexadecimal
