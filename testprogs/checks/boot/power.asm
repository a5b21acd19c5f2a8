; Switches the power off by the APM BIOS. Prints the signature and the version of the installation check, and the status of a state that does not exist.
        org 7c00h
        bits 16
        xor ax, ax
        mov ds, ax
        mov ss, ax
        mov sp, 7c00h
        mov ax, 5300h
        mov bx, 0
        int 15h
        jc .fails
        add ax, 3030h           ; the version, 1.2, as digits
        push ax
        mov al, bh
        out 0e9h, al
        mov al, bl
        out 0e9h, al
        pop ax
        xchg al, ah
        out 0e9h, al
        xchg al, ah
        out 0e9h, al
        mov ax, 5301h
        int 15h
        jc .fails
        mov bx, 1
        mov cx, 77h
        mov ax, 5307h
        int 15h
        jnc .fails
        mov al, ah              ; 60h, the state cannot be entered: `
        out 0e9h, al
        mov cx, 3
        mov ax, 5307h
        int 15h
.fails: mov al, '!'
        out 0e9h, al
        cli
        hlt
        times 510 - ($ - $$) db 0
        dw 0aa55h
