; Prints the words that INT 16h gives for keys: by AH = 10h until Esc, then by AH = 00h until Enter.
org 7c00h
bits 16
    xor ax, ax
    mov ds, ax
    mov ss, ax
    mov sp, 7c00h
    sti
new:
    mov ah, 10h
    int 16h
    call print
    cmp al, 1bh
    jne new
old:
    mov ah, 0
    int 16h
    call print
    cmp al, 0dh
    jne old
    mov al, 0
    out 0f5h, al
    hlt
print:
    mov bx, ax
    mov cx, 4
.digit:
    rol bx, 4
    mov al, bl
    and al, 15
    cmp al, 10
    sbb al, 69h
    das
    out 0e9h, al
    loop .digit
    mov al, ' '
    out 0e9h, al
    mov ax, bx
    ret
times 510-($-$$) db 0
dw 0aa55h
