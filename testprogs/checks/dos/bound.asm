; The DOS program before an NE header is run, and a notice names the other one.
;! name BOUND.EXE
;! dosbox it tells nothing
;! output
;! p5scope: C:\BOUND.EXE also contains a program for 16-bit Windows or OS/2; p5scope runs the DOS program only
;! the DOS half of a bound program
org 0
db 'MZ'
dw (ne-$$) % 512, (ne-$$+511)/512, 0, 4, 10h, 0ffffh, 0, 400h, 0, 0, 0, 40h, 0
times 3ch-($-$$) db 0
dd ne-$$
start:
    push cs
    pop ds
    mov dx, text-64
    mov ah, 9
    int 21h
    mov ax, 4c00h
    int 21h
text: db 'the DOS half of a bound program',13,10,'$'
times 600-($-$$) db 0
ne: db 'NE', 5, 10
times 64 db 0
