; Writes the letters, each on a line of its own, as programs with a teletype of their own do: AH = 09h writes and AH = 02h moves the cursor; in
; the last row, AH = 06h scrolls. Then writes two strings on two rows by AH = 13h.
org 7c00h
bits 16
    xor ax, ax
    mov ds, ax
    mov es, ax
    mov ss, ax
    mov sp, 7c00h
    mov ax, 3                   ; 80 columns, 25 rows
    int 10h
    xor dx, dx
    mov si, 'A'
letter:
    mov ax, si
    mov ah, 9
    mov bx, 7
    mov cx, 1
    int 10h
    inc dl                      ; after the letter, then to the next line
    call move
    mov dl, 0
    cmp dh, 24
    je .last
    inc dh
    jmp .next
.last:
    push dx
    mov ax, 0601h
    mov bh, 7
    xor cx, cx
    mov dx, 184fh
    int 10h
    pop dx
.next:
    call move
    inc si
    cmp si, 'Z'
    jbe letter
    mov dx, 0500h               ; to a higher row, which ends no line
    call move
    mov bp, one
    mov dx, 0500h
    call string
    mov bp, two
    mov dx, 0600h
    call string
    mov al, 0
    out 0f5h, al
    hlt
move:
    mov ah, 2
    mov bh, 0
    int 10h
    ret
string:
    mov ax, 1301h
    mov bx, 7
    mov cx, 3
    int 10h
    ret
one: db 'one'
two: db 'two'
times 510-($-$$) db 0
dw 0aa55h
