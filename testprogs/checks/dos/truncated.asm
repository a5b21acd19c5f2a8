; An MZ file with fewer bytes than its header says is loaded as far as it goes.
;! name TRUNC.EXE
;! output
;! a truncated file runs
org 0
db 'MZ'
dw (fileend-$$+2) % 512, (fileend-$$+2+511)/512, 0, 2, 0, 0ffffh, 0, 200h, 0, 0, 0, 1ch, 0
times 32-($-$$) db 0
start:
    push cs
    pop ds
    mov dx, text-32
    mov ah, 9
    int 21h
    mov ax, 4c00h
    int 21h
text: db 'a truncated file runs',13,10,'$'
fileend:
