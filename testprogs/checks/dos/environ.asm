; AH = 4Bh: the block of a child's environment holds the variables, an empty one, a 1 and the program's path, rounded up to paragraphs,
; for each remainder of its length. A child returns 10h plus the remainder.
;! dosbox it keeps bytes free behind the variables
;! output
;! remainders FFFF
;! other sizes 0000
org 100h
%include "dos.inc"
%include "report.inc"
        cmp byte [80h], 0
        jne child
        shrink
        mov ax, cs
        mov [block + 4], ax
        mov [block + 8], ax
        mov [block + 12], ax
        mov ax, variables
        shr ax, 4
        mov cx, cs
        add ax, cx
        mov [block], ax
        mov cx, 20              ; X= and 0 to 19 characters
.next:  push cx
        mov dx, name
        mov bx, block
        mov ax, 4b00h
        int 21h
        mov ah, 4dh
        int 21h
        sub al, 10h
        jb .other
        mov cl, al
        mov ax, 1
        shl ax, cl
        or [remainders], ax
        jmp .longer
.other: inc word [others]
.longer: mov di, [end]          ; the final zeros move on
        mov byte [di], 'a'
        inc word [end]
        pop cx
        loop .next
        mov ax, [remainders]
        report "remainders", ax
        mov ax, [others]
        report "other sizes", ax
        finish
child:  mov ax, [2ch]
        mov es, ax
        dec ax
        mov fs, ax
        xor di, di
        xor al, al
        mov cx, 8000h
.end:   repne scasb
        scasb
        jne .end
        add di, 2
        repne scasb             ; the path
        lea ax, [di + 15]
        shr ax, 4
        cmp ax, [fs:3]          ; paragraphs of the block
        mov ax, 4c00h
        jne .ends
        mov ax, di
        and al, 15
        add al, 10h
        mov ah, 4ch
.ends:  int 21h
name:   db 'ENVIRON.COM', 0
tail:   db 1, '0', 13
first:  times 16 db 0
block:  dw 0, tail, 0, first, 0, first, 0
remainders: dw 0
others: dw 0
end:    dw variables + 2
        align 16
variables: db 'X='
        times 64 db 0
        hexadecimal
        reports
        times 512 db 0
stack:
