; Boots from a diskette: reads the kernel after this sector to 10000h by INT 13h, goes to 32-bit protected mode and calls it.
        bits 16
        org 7c00h
start:  cli
        xor ax, ax
        mov ds, ax
        mov ss, ax
        mov sp, 7c00h
        mov [drive], dl
        mov ax, 1000h
        mov es, ax
        mov si, 1               ; sector number
next:   mov ax, si
        xor dx, dx
        mov bx, 36              ; sectors in a cylinder
        div bx
        mov ch, al
        mov ax, dx
        mov bl, 18
        div bl
        mov dh, al
        mov cl, ah
        inc cl
        mov dl, [drive]
        mov ax, 0201h
        xor bx, bx
        int 13h
        jc stop
        mov ax, es
        add ax, 20h
        mov es, ax
        inc si
        cmp si, SECTORS
        jbe next
        in al, 92h
        or al, 2
        and al, 0feh
        out 92h, al
        cli
        lgdt [gdt_register]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp 8:go
stop:   hlt
        bits 32
go:     mov ax, 10h
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov fs, ax
        mov gs, ax
        mov esp, 70000h
        mov eax, 10000h
        jmp eax
drive:  db 0
        align 8
gdt:    dq 0, 00cf9a000000ffffh, 00cf92000000ffffh
gdt_register:
        dw 23
        dd gdt
        times 492 - ($ - $$) db 0
        dd 0, 0, 0, 0           ; system.sh puts here: the first test, how many, whether with breakpoints, whether records go to port E9h
        dw 0, 0aa55h
