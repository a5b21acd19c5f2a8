; A COM image in a file named .EXE.
;! name COM.EXE
;! output
;! a COM image named EXE
org 100h
    mov dx, text
    mov ah, 9
    int 21h
    ret
text: db 'a COM image named EXE',13,10,'$'
