; Memory control blocks: first, best and last fit, joining of free neighbours, growing into one, and errors. Segments are told from the
; program's own end.
;! output
;! 4A
;! 48 too much 0008 C
;! 48 up to the end 0000
;! 48 a 0000
;! 48 b 0011
;! 48 c 0052
;! 48 d 0063
;! 48 e 0084
;! 49 b
;! 48 best 0063
;! 48 first 0011
;! 48 first 002A
;! 48 last 0000
;! 4A grows
;! 4A too much 0008 0040 C
;! 4A shrinks
;! 48 the rest 0042
;! control block 004D 0030 0000
;! 48 joined 0000
;! 4A all of it
;! 4A more 0008 0083 C
;! 48 all again 0000
;! 49 no block 0009 C
org 100h
%include "dos.inc"
%include "report.inc"
%macro take 1                   ; paragraphs; AX: the segment
        mov bx, %1
        mov ah, 48h
        int 21h
%endmacro
%macro give 1                   ; where the segment is
        mov es, [%1]
        mov ah, 49h
        int 21h
%endmacro
%macro place 1                  ; text: where AX is after what is kept
        sub ax, [kept]
        report %1, ax
%endmacro
        mov sp, stack
        push cs
        pop es
        mov bx, 200h
        mov ah, 4ah
        int 21h
        report "4A"
        mov ax, cs
        add ax, 201h
        mov [kept], ax
        take 0ffffh
        mov [all], bx
        report "48 too much", ax
        add bx, [kept]
        sub bx, [2]
        report "48 up to the end", bx
        take 10h
        mov [a], ax
        place "48 a"
        take 40h
        mov [b], ax
        place "48 b"
        take 10h
        mov [c], ax
        place "48 c"
        take 20h
        mov [d], ax
        place "48 d"
        take 10h
        mov [e], ax
        place "48 e"
        give b
        report "49 b"
        give d
        mov ax, 5801h           ; best fit: d's place
        mov bx, 1
        int 21h
        take 18h
        mov [d], ax
        place "48 best"
        give d
        mov ax, 5801h           ; first fit: b's place
        mov bx, 0
        int 21h
        take 18h
        mov [b], ax
        place "48 first"
        take 10h                ; after it in what is left of b
        mov [f], ax
        place "48 first"
        give f
        mov ax, 5801h           ; last fit: at the end of all
        mov bx, 2
        int 21h
        take 18h
        mov [f], ax
        add ax, 18h
        sub ax, [2]
        report "48 last", ax
        give f
        mov ax, 5801h
        mov bx, 0
        int 21h
        mov es, [b]             ; b grows into its free neighbour, all of it
        mov bx, 40h
        mov ah, 4ah
        int 21h
        report "4A grows"
        mov es, [b]
        mov bx, 41h
        mov ah, 4ah
        int 21h
        report "4A too much", ax, bx
        mov es, [b]
        mov bx, 30h
        mov ah, 4ah
        int 21h
        report "4A shrinks"
        take 0fh                ; what it left
        mov [f], ax
        place "48 the rest"
        give f
        mov ax, [b]             ; its control block
        dec ax
        mov es, ax
        mov al, [es:0]
        mov ah, 0
        mov bx, [es:3]
        mov cx, [es:1]
        mov dx, cs
        sub cx, dx
        report "control block", ax, bx, cx
        give a
        give b
        give c
        take 60h                ; a, b, c and d are one: 10h + 40h + 10h + 20h and three control blocks
        mov es, ax
        place "48 joined"
        mov bx, 83h
        mov ah, 4ah
        int 21h
        report "4A all of it"
        mov bx, 84h
        mov ah, 4ah
        int 21h
        report "4A more", ax, bx
        mov ah, 49h
        int 21h
        give e
        take 0ffffh
        sub bx, [all]
        report "48 all again", bx
        mov ax, cs
        add ax, 5
        mov es, ax
        mov ah, 49h
        int 21h
        report "49 no block", ax
        finish
kept:   dw 0
all:    dw 0
a:      dw 0
b:      dw 0
c:      dw 0
d:      dw 0
e:      dw 0
f:      dw 0
        hexadecimal
        reports
        times 512 db 0
stack:
