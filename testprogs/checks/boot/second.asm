; Copies the first sector of the diskette it was booted from to the first sector of the IDE disk, by the ports, and says so; booted from that
; disk it says so. INT 13h then reads the same sector from either. D: copied; H: booted from the hard disk; = or !: same sectors.
org 7c00h
bits 16
    xor ax, ax
    mov ds, ax
    mov es, ax
    mov ss, ax
    mov sp, 7c00h
    test dl, dl
    mov al, 'H'
    jnz compare
    mov dx, 1f6h                ; WRITE SECTOR, LBA 0
    mov al, 0e0h
    out dx, al
    mov dx, 1f2h
    mov al, 1
    out dx, al
    mov al, 0
    inc dx
    out dx, al
    inc dx
    out dx, al
    inc dx
    out dx, al
    mov dx, 1f7h
    mov al, 30h
    out dx, al
    call ready
    mov dx, 1f0h
    mov si, 7c00h
    mov cx, 256
    rep outsw
    call ready
    mov al, 'D'
compare:
    out 0e9h, al
    mov ax, 0201h
    mov bx, 8000h
    mov cx, 1
    mov dx, 80h
    int 13h
    jc different
    mov si, 7c00h
    mov di, 8000h
    mov cx, 256
    repe cmpsw
    mov al, '='
    je say
different:
    mov al, '!'
say:
    out 0e9h, al
    mov al, 0
    out 0f4h, al
    hlt
ready:
    mov dx, 1f7h
.again:
    in al, dx
    test al, 80h
    jnz .again
    ret
times 510-($-$$) db 0
dw 0aa55h
