; A relocation after the image, in the memory that the header asks for.
;! name RELOC.EXE
;! output
;! a relocation behind the image
org 0
db 'MZ'
dw (fileend-$$) % 512, (fileend-$$+511)/512, 1, 3, 200h, 0ffffh, 0, 200h, 0, 0, 0, 1ch, 0
dw 0, 100h              ; 0100:0000 of the image
times 48-($-$$) db 0
start:
    push cs
    pop ds
    mov dx, text-48
    mov ah, 9
    int 21h
    mov ax, 4c00h
    int 21h
text: db 'a relocation behind the image',13,10,'$'
fileend:
