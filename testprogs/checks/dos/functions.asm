; Functions of INT 21h that ask and set what DOS knows: each line has the registers that it answers in, and C if carry is set.
;! output
;! 19 drive 0002
;! 0E no such drive 0002
;! 0E C: 0002
;! 35 vector 5678 1234
;! 35 memory 5678 1234
;! 2F transfer area 1234
;! 1B as 36 0000 0000 0000
;! 1C of C, a hard disk 0000 00F8
;! 1C no such drive 00FF
;! 54 verify on 0001
;! 54 verify off 0000
;! 33 break on 3300 0001
;! 33 break off 3300 0000
;! 33 boot drive 3305 0003
;! 34 in DOS 0000
;! 37 switch character 0000 002F
;! 51 prefix 0000
;! 62 prefix 0000
;! 50 another 4321
;! 52 first block 004D
;! 58 strategy 0000
;! 58 last fit 0002
;! 58 link 0000
;! 58 no such 0001 C
;! C:\A.TXT
;! 65 a 0041
;! 65 { 007B
;! 65 z 005A
;! ABCdef
;! ABCDEF
;! 66 code page 01B5 01B5
;! 18 nothing 0000
;! 1D nothing 0000
;! 20 nothing 0000
org 100h
%include "dos.inc"
%include "report.inc"
        report_al "19 drive", 19h
        mov dl, 24              ; Y: is not there
        mov ah, 0eh
        int 21h
        report_al "0E no such drive", 19h
        mov dl, 2
        mov ah, 0eh
        int 21h
        report_al "0E C:", 19h
        push ds
        mov ax, 1234h
        mov ds, ax
        mov dx, 5678h
        mov ax, 2560h
        int 21h
        pop ds
        mov ax, 3560h
        int 21h
        mov cx, es
        report "35 vector", bx, cx
        push ds
        xor ax, ax
        mov ds, ax
        mov bx, [60h * 4]
        mov cx, [60h * 4 + 2]
        pop ds
        report "35 memory", bx, cx
        mov dx, 1234h
        mov ah, 1ah
        int 21h
        mov ah, 2fh
        int 21h
        mov cx, es              ; linear, less that of the program
        mov dx, cs
        sub cx, dx
        shl cx, 4
        add cx, bx
        report "2F transfer area", cx
        mov dl, 0               ; the disk by AH = 1Bh and by 36h
        mov ah, 36h
        int 21h
        push dx
        push cx
        push ax
        push ds
        mov ah, 1bh
        int 21h
        pop ds
        mov ah, 0
        pop bx
        sub ax, bx
        pop bx
        sub cx, bx
        pop bx
        sub dx, bx
        report "1B as 36", ax, cx, dx
        push ds
        mov dl, 3
        mov ah, 1ch
        int 21h
        mov dl, [bx]
        pop ds
        mov dh, 0
        sub cx, 512
        report "1C of C, a hard disk", cx, dx
        mov dl, 20
        mov ah, 1ch
        int 21h
        mov ah, 0
        report "1C no such drive", ax
        mov dx, 80h
        mov ah, 1ah
        int 21h
        mov ax, 2e01h
        mov dl, 0
        int 21h
        report_al "54 verify on", 54h
        mov ax, 2e00h
        mov dl, 0
        int 21h
        report_al "54 verify off", 54h
        mov ax, 3301h
        mov dl, 1
        int 21h
        mov dl, 9
        mov ax, 3300h
        int 21h
        and dx, 0ffh
        report "33 break on", ax, dx
        mov ax, 3301h
        mov dl, 0
        int 21h
        mov dl, 9
        mov ax, 3300h
        int 21h
        and dx, 0ffh
        report "33 break off", ax, dx
        mov ax, 3305h
        mov dl, 9
        int 21h
        and dx, 0ffh
        report "33 boot drive", ax, dx
        mov ah, 34h
        int 21h
        mov al, [es:bx]
        mov ah, 0
        report "34 in DOS", ax
        mov ax, 3700h
        mov dl, 9
        int 21h
        and ax, 0ffh
        and dx, 0ffh
        report "37 switch character", ax, dx
        mov ah, 51h
        int 21h
        mov ax, cs
        sub ax, bx
        report "51 prefix", ax
        mov ah, 62h
        int 21h
        mov ax, cs
        sub ax, bx
        report "62 prefix", ax
        mov bx, 4321h
        mov ah, 50h
        int 21h
        mov ah, 51h
        int 21h
        push bx
        mov bx, cs
        mov ah, 50h
        int 21h
        pop bx
        report "50 another", bx
        mov ah, 52h
        int 21h
        mov es, [es:bx - 2]
        mov al, [es:0]
        mov ah, 0
        report "52 first block", ax
        mov ax, 5800h
        int 21h
        report "58 strategy", ax
        mov ax, 5801h
        mov bx, 2
        int 21h
        mov ax, 5800h
        int 21h
        report "58 last fit", ax
        mov ax, 5801h
        mov bx, 0
        int 21h
        mov ax, 5802h
        int 21h
        and ax, 0ffh
        report "58 link", ax
        mov ax, 5809h
        int 21h
        report "58 no such", ax
        mov si, name
        push ds
        pop es
        mov di, area
        mov ah, 60h
        int 21h
        mov si, area
        call show
        mov ax, 6520h
        mov dl, 'a'
        int 21h
        and dx, 0ffh
        report "65 a", dx
        mov ax, 6520h
        mov dl, '{'
        int 21h
        and dx, 0ffh
        report "65 {", dx
        mov ax, 6520h
        mov dl, 'z'
        int 21h
        and dx, 0ffh
        report "65 z", dx
        mov ax, 6521h
        mov cx, 3
        mov dx, letters
        int 21h
        mov si, letters
        call show
        mov ax, 6522h
        mov dx, letters
        int 21h
        mov si, letters
        call show
        mov ax, 6601h
        int 21h
        report "66 code page", bx, dx
        report_al "18 nothing", 18h
        report_al "1D nothing", 1dh
        report_al "20 nothing", 20h
        finish
show:   lodsb
        or al, al
        jz crlf
        mov dl, al
        mov ah, 2
        int 21h
        jmp show
name:   db 'sub\..\a.txt', 0
letters: db 'abcdef', 0
area:   times 128 db 0
        hexadecimal
        reports
