; Waits for a key by INT 16h; a handler of INT 1Ch leaves the wait after 36 ticks. Prints K for a key, T for the time-out.
        org 7c00h
        bits 16
        cli
        xor ax, ax
        mov ds, ax
        mov ss, ax
        mov sp, 7c00h
        mov word [1ch * 4], tick
        mov [1ch * 4 + 2], ax
        sti
        int 16h
        mov al, 'K'
print:  out 0e9h, al
        mov al, 0
        out 0f5h, al
        hlt
tick:   dec byte [cs:left]
        jz .leave
        iret
.leave: mov al, 20h
        out 20h, al
        xor ax, ax
        mov ds, ax
        mov sp, 7c00h
        sti
        mov al, 'T'
        jmp print
left:   db 36
        times 510 - ($ - $$) db 0
        dw 0aa55h
