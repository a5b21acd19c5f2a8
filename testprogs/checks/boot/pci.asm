; PCI configuration, mechanism 1: the address register keeps a doubleword, every device is absent. Prints + if so.
        org 7c00h
        bits 16
        mov bl, '-'
        mov dx, 0cf8h
        mov eax, 80000008h
        out dx, eax
        xor eax, eax
        in eax, dx
        cmp eax, 80000008h
        jne end
        mov dx, 0cfch
        in eax, dx
        inc eax
        jnz end
        mov dx, 0cfbh           ; mechanism 2 is not there: bytes do not reach the register
        mov al, 0
        out dx, al
        mov dx, 0cf8h
        out dx, al
        in al, dx
        cmp al, 0
        je end
        in eax, dx
        cmp eax, 80000008h
        jne end
        mov bl, '+'
end:    mov al, bl
        out 0e9h, al
        mov al, 0
        out 0f5h, al
        hlt
        times 510 - ($ - $$) db 0
        dw 0aa55h
