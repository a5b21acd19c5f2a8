; An instruction of the Pentium Pro, and no handler of interrupt 6.
        org 7c00h
        bits 16
        fldz
        fldz
        fcomip st1
        mov al, 0
        out 0f5h, al
        hlt
        times 510 - ($ - $$) db 0
        dw 0aa55h
